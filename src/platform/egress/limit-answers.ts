import { countUpTo } from '../http-server/count-up-to.ts'
import { EgressError } from './egress-error.ts'

type Fetch = typeof globalThis.fetch

/** An answer that is too long is cut off and becomes an error, so that no server can fill our memory. */
export function limitAnswers(
  ask: Fetch,
  maxMib: number | ((answer: Response) => number),
  whoAnswers: string,
): Fetch {
  return async (url, init) => {
    const answer = await ask(url, init)
    if (answer.body === null) return answer
    const { status, statusText, headers } = answer
    const most = typeof maxMib === 'number' ? maxMib : maxMib(answer)
    const tooLarge = (): never => {
      throw new EgressError('too_large', `${whoAnswers} sent more than ${most} MiB as one answer.`)
    }
    return new Response(answer.body.pipeThrough(countUpTo(most * 1024 * 1024, tooLarge)), {
      status,
      statusText,
      headers: [...headers],
    })
  }
}
