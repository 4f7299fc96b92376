import { escapePointer } from '../../platform/json/escape-pointer.ts'
import { isRawNumber, parseExactJson } from '../../platform/json/parse-exact-json.ts'
import { resolvePointer } from '../../platform/json/resolve-pointer.ts'

export type PageRequest = {
  /** JSON pointer to the part to read; the empty text means all of it. */
  pointer: string
  /** The first item of a list, member of an object or character of a text. */
  from: number
  maxChars: number
}

export type Page = {
  text: string
  whole: boolean
  /** For the requested part: its number of items, members or characters, and where to continue. */
  total: number
  next: number | null
}

/** A part of a long text. Valid JSON stays valid JSON; omissions are marked where they were. */
export function cutPage(text: string, request: PageRequest): Page {
  if (isWhole(text, request)) return { text, whole: true, total: text.length, next: null }
  const document = parseExactJson(text)
  if (document === undefined) return sliceText(text, request)
  const { pointer } = request
  const part = pointer === '' ? document : resolvePointer(document, pointer.replace(/^\//, '').split('/'))
  if (part === undefined) {
    return { text: `There is nothing at ${request.pointer}.`, whole: true, total: 0, next: null }
  }
  if (typeof part === 'string') {
    const page = sliceText(part, request)
    return { ...page, text: JSON.stringify(page.text) }
  }
  return pageValue(part, request)
}

/** All of it is requested, and it fits. */
export function isWhole(text: string, { pointer, from, maxChars }: PageRequest): boolean {
  return text.length <= maxChars && from === 0 && pointer === ''
}

export function pageNote(source: string, { total, next }: Page): string {
  const instruction =
    next === null
      ? 'Read marked parts'
      : `There are ${total} in all; go on with from ${next}, and read marked parts`
  return `This is not all of it. ${instruction} with read_more, source ${JSON.stringify(source)} and the pointer that the mark names.`
}

function sliceText(text: string, { from, maxChars }: PageRequest): Page {
  const end = from + maxChars
  return {
    text: text.slice(from, end),
    whole: from === 0 && end >= text.length,
    total: text.length,
    next: end < text.length ? end : null,
  }
}

function pageValue(value: unknown, { pointer, from, maxChars }: PageRequest): Page {
  const entries = entriesOf(value)
  if (!entries) return { text: JSON.stringify(value), whole: true, total: 1, next: null }
  const taken: [string, unknown][] = []
  let left = maxChars
  let index = from
  for (; index < entries.length; index++) {
    const [key, inner] = entries[index] as [string, unknown] // index < entries.length
    const shown = shorten(inner, Math.max(Math.floor(left / 2), 200), `${pointer}/${escapePointer(key)}`)
    const size = JSON.stringify(shown).length + key.length + 4
    if (size > left && taken.length > 0) break
    taken.push([key, shown])
    left -= size
  }
  const next = index < entries.length ? index : null
  const whole = taken.length === entries.length && taken.every(([, shown], n) => shown === entries[n]?.[1])
  return { text: JSON.stringify(rebuild(value, taken)), whole, total: entries.length, next }
}

/** The value in about `budget` characters at most, with marks in place of omissions. */
function shorten(value: unknown, budget: number, pointer: string): unknown {
  if (typeof value === 'string') {
    if (value.length <= budget) return value
    return `${value.slice(0, budget)}… [${value.length - budget} more characters: read_more pointer ${pointer} from ${budget}]`
  }
  const entries = entriesOf(value)
  if (!entries || JSON.stringify(value).length <= budget) return value
  const taken: [string, unknown][] = []
  let left = budget
  for (const [key, inner] of entries) {
    const shown = shorten(inner, Math.max(Math.floor(left / 2), 100), `${pointer}/${escapePointer(key)}`)
    left -= JSON.stringify(shown).length + key.length + 4
    if (left < 0 && taken.length > 0) break
    taken.push([key, shown])
  }
  const leftOut = entries.length - taken.length
  if (leftOut > 0) taken.push(['…', `[${leftOut} more: read_more pointer ${pointer} from ${taken.length}]`])
  return rebuild(value, taken)
}

/** Rebuilds a list or an object, like `value`. */
function rebuild(value: unknown, entries: readonly [string, unknown][]): unknown {
  return Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries)
}

function entriesOf(value: unknown): [string, unknown][] | null {
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return null
  return Object.entries(value)
}
