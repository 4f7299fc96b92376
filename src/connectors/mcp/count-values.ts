import { byte } from '../../platform/json/json-bytes.ts'

/** The state between two chunks. */
export type ValueCount = { values: number; inText: boolean; isEscaped: boolean }

export const noValues: ValueCount = { values: 0, inText: false, isEscaped: false }

/**
 * About how many JSON values a stream has brought, counted as in has-too-many-values.ts. A line break ends every text, since JSON
 * must escape it: what else a stream of events says, such as a comment with one quote, does not confuse the count for long.
 */
export function countValues({ values, inText, isEscaped }: ValueCount, chunk: Uint8Array): ValueCount {
  for (const current of chunk) {
    if (isEscaped) isEscaped = false
    else if (inText) {
      if (current === byte.backslash) isEscaped = true
      else if (current === byte.quote || current === byte.newline) inText = false
    } else if (current === byte.quote) inText = true
    else if (current === byte.comma || current === byte.openArray || current === byte.openObject) values++
  }
  return { values, inText, isEscaped }
}
