import { EgressError } from '../platform/egress/egress-error.ts'
import { cutNesting } from '../platform/json/cut-nesting.ts'
import { hasTooManyValues, mostValues } from '../platform/json/has-too-many-values.ts'
import { writableDepth } from '../platform/json/is-deeper-than.ts'

type Fetch = typeof globalThis.fetch

/** Far more values than a model writes in one answer fit into this. */
const usualBytes = 1024 * 1024

/** Providers wrap an input in up to eight levels. What is left of a cut input is still too deep, so tidy-answers.ts refuses its call. */
const levels = writableDepth + 20

/** An answer is parsed and walked about ten times on its way; without bounds that would block the event loop for seconds. */
export function boundAnswers(ask: Fetch): Fetch {
  return async (url, init) => {
    const response = await ask(url, init)
    if (response.status !== 200) return response
    const { headers } = response
    return new Response(boundJson(await response.text()), { headers })
  }
}

/** Also for an input that is sent as text inside an answer. Throws if there are too many values: a retry would have the same result. */
export function boundJson(text: string): string {
  const shallow = cutNesting(text, levels)
  if (hasTooManyValues(Buffer.from(shallow), usualBytes)) {
    const most = mostValues(usualBytes).toLocaleString('en')
    throw new EgressError('too_large', `The model provider sent more than ${most} values as one answer.`)
  }
  return shallow
}
