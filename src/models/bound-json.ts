import { EgressError } from '../platform/egress/egress-error.ts'
import { cutNesting } from '../platform/json/cut-nesting.ts'
import { hasTooManyValues, mostValues } from '../platform/json/has-too-many-values.ts'
import { writableDepth } from '../platform/json/is-deeper-than.ts'

/** Far more values than a model writes in one answer fit into this. */
const usualBytes = 1024 * 1024

/** Providers wrap an input in up to eight levels. What is left of a cut input is still too deep, so tidy-content.ts refuses its call. */
const maxLevels = writableDepth + 20

/** Without bounds, parsing would block the event loop for seconds. Throws if there are too many values: a retry would not help. */
export function boundJson(text: string): string {
  const shallow = cutNesting(text, maxLevels)
  if (hasTooManyValues(Buffer.from(shallow), usualBytes)) {
    const most = mostValues(usualBytes).toLocaleString('en')
    throw new EgressError('too_large', `The model provider sent more than ${most} values as one answer.`)
  }
  return shallow
}
