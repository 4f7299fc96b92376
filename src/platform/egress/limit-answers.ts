import { EgressError } from '../../platform/egress/egress-error.ts'
import { countUpTo } from '../../platform/http/count-up-to.ts'

type Fetch = typeof globalThis.fetch

/** The longest answers of today's models have half a megabyte. */
const maxMib = 8

/** No provider can fill the memory: an answer that goes on and on is cut off, and is no answer. */
export function limitAnswers(ask: Fetch): Fetch {
  return async (url, init) => {
    const answer = await ask(url, init)
    if (answer.body === null) return answer
    const { status, statusText, headers } = answer
    return new Response(answer.body.pipeThrough(countUpTo(maxMib * 1024 * 1024, tooLarge)), {
      status,
      statusText,
      headers: [...headers],
    })
  }
}

function tooLarge(): never {
  throw new EgressError('too_large', `The model provider sent more than ${maxMib} MiB as one answer.`)
}
