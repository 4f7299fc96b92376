import { keepBeginning } from './keep-beginning.ts'
import { isRawNumber, parseExactJson } from './parse-exact-json.ts'

/** One value of a JSON document, with the way to it. */
export type Field = { path: string[]; value: string }

const fieldsAtMost = 500
/** To parse a MiB of small values takes the process from everybody else; nobody reads that much in a digest. */
const usualChars = 16_000
/** Longer than any name that means something: every field carries the names of all it stands under. */
const longestKey = 100

/** The scalar values of a document, outer ones first, numbers as they are written. Of a very long one, those at its beginning; none where that is one value. */
export function listFields(text: string, charsAtMost = usualChars): Field[] {
  const found: Field[] = []
  const beginning = keepBeginning(text, charsAtMost)
  if (beginning === null) return found
  // Breadth first: what a person means by "id" is rather the outer one.
  const waiting: { path: string[]; value: unknown }[] = [{ path: [], value: parseExactJson(beginning) }]
  for (let at = 0; at < waiting.length && found.length < fieldsAtMost; at++) {
    const { path, value } = waiting[at] as (typeof waiting)[number] // at < waiting.length
    if (typeof value === 'object' && value !== null && !isRawNumber(value)) {
      for (const [key, inner] of Object.entries(value)) {
        const name = key.length > longestKey ? `${key.slice(0, longestKey)}…` : key
        waiting.push({ path: [...path, name], value: inner })
      }
    } else if (value !== null && value !== undefined && value !== '') {
      found.push({ path, value: typeof value === 'string' ? value : JSON.stringify(value) })
    }
  }
  return found
}
