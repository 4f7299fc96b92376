import { countUpTo } from '../http-server/count-up-to.ts'
import { EgressError } from './egress-error.ts'

type Fetch = typeof globalThis.fetch

/**
 * An answer that is too long is cut off and becomes an error, so that no server can fill our memory. `listener` is asked with each
 * request who wants to know of each sign of life of the server.
 */
export function limitAnswers(
  ask: Fetch,
  maxMib: number | ((answer: Response) => number),
  whoAnswers: string,
  listener: () => (() => void) | undefined = () => undefined,
): Fetch {
  return async (url, init) => {
    const onByte = listener()
    const answer = await ask(url, init)
    onByte?.()
    if (answer.body === null) return answer
    const { status, statusText, headers } = answer
    const most = typeof maxMib === 'number' ? maxMib : maxMib(answer)
    const tooLarge = (): never => {
      throw new EgressError('too_large', `${whoAnswers} sent more than ${most} MiB as one answer.`)
    }
    return new Response(answer.body.pipeThrough(countUpTo(most * 1024 * 1024, tooLarge, onByte)), {
      status,
      statusText,
      headers: [...headers],
    })
  }
}
