import { isRawNumber, parseExactJson } from './parse-exact-json.ts'
import { byte, scanJson } from './scan-json.ts'

/** One value of a JSON document, with its path. */
export type Field = { path: string[]; value: string }

const fieldsAtMost = 500
/** Parsing a MiB of small values would block the event loop; nobody reads that much in a digest. */
const usualChars = 16_000
/** Longer than any meaningful name: every field carries the names of all its parents. */
const longestKey = 100

/**
 * The scalar values of a document, outer ones first, numbers as written. For a very long one only those at its beginning; none if
 * that is a single value.
 */
export function listFields(text: string, charsAtMost = usualChars): Field[] {
  const found: Field[] = []
  const beginning = keepBeginning(text, charsAtMost)
  if (beginning === null) return found
  // Breadth first: by "id" a person usually means the outer one.
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

/**
 * The beginning of a long JSON document, cut after a complete value and closed, so that it is JSON again. The first value may be
 * four times as long; null if it is longer still, since finding its end takes time.
 */
function keepBeginning(text: string, charsAtMost: number): string | null {
  if (text.length <= charsAtMost) return text
  const body = Buffer.from(text.slice(0, 4 * charsAtMost))
  let closers = ''
  let kept = ''
  let end = 0
  scanJson(body, {
    open(at) {
      closers = `${body[at] === byte.openObject ? '}' : ']'}${closers}`
    },
    close() {
      closers = closers.slice(1)
    },
    comma(at) {
      if (end > 0 && at >= charsAtMost) return
      end = at
      kept = closers
    },
  })
  if (end > 0) return body.toString('utf8', 0, end) + kept
  // A document without a comma is one value, so there is no place to cut it.
  return text.length <= 4 * charsAtMost ? text : null
}
