import { escapePointer } from '../../../platform/json/escape-pointer.ts'
import { isRawNumber } from '../../../platform/json/parse-exact-json.ts'

/** A place that contains what is searched for: a small value around it, or a piece of a long text. */
export type Match = { pointer?: string; from?: number; text?: string; value?: unknown }

/** Up to this size a value is shown whole: a line of a log, an item of an order. */
const smallValue = 600
const surroundings = 200
const maxPiece = 1000

/** Every place in a JSON value or a text that contains the words, in capitals or not. `pointer` names the value itself. */
export function findMatches(value: unknown, pointer: string, words: string): Match[] {
  const pattern = new RegExp(RegExp.escape(words), 'giu')
  const matches: Match[] = []
  const visit = (at: unknown, path: string) => {
    const where = path === '' ? {} : { pointer: path }
    const written = JSON.stringify(at)
    if (typeof at === 'string' && written.length > smallValue) {
      matches.push(...findPieces(at, pattern).map((piece) => ({ ...where, ...piece })))
    } else if (written.length <= smallValue || typeof at !== 'object' || at === null) {
      if (hasMatch(at, pattern)) matches.push({ ...where, value: at })
    } else {
      for (const [key, inner] of Object.entries(at)) {
        const innerPath = `${path}/${escapePointer(key)}`
        const before = matches.length
        visit(inner, innerPath)
        const isNamed = !Array.isArray(at) && hasMatch(key, pattern)
        if (isNamed && matches.length === before) matches.push({ pointer: innerPath, text: key })
      }
    }
  }
  visit(value, pointer)
  return matches
}

function hasMatch(value: unknown, pattern: RegExp): boolean {
  if (typeof value === 'object' && value !== null && !isRawNumber(value)) {
    return Object.entries(value).some(
      ([key, inner]) => (!Array.isArray(value) && hasMatch(key, pattern)) || hasMatch(inner, pattern),
    )
  }
  return (typeof value === 'string' ? value : JSON.stringify(value)).search(pattern) >= 0
}

/** Matches that stand close to each other are in one piece. */
function findPieces(text: string, pattern: RegExp): { from: number; text: string }[] {
  const pieces: { from: number; end: number }[] = []
  for (const { index, 0: found } of text.matchAll(pattern)) {
    const end = Math.min(index + found.length + surroundings, text.length)
    const last = pieces.at(-1)
    const from = Math.max(index - surroundings, last?.end ?? 0)
    if (last && from === last.end && end - last.from <= maxPiece) last.end = end
    else if (!last || index + found.length > last.end) pieces.push({ from: Math.min(from, index), end })
  }
  return pieces.map(({ from, end }) => ({ from, text: text.slice(from, end) }))
}
