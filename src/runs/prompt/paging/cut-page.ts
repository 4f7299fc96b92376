import { escapePointer } from '../../../platform/json/escape-pointer.ts'
import { isRawNumber, parseExactJson } from '../../../platform/json/parse-exact-json.ts'
import { resolvePointer } from '../../../platform/json/resolve-pointer.ts'
import { findMatches, type Match } from './find-matches.ts'
import { shareRoom } from './share-room.ts'

export type PageRequest = {
  /** JSON pointer to the part to read; the empty text means all of it. */
  pointer: string
  /** The first item of a list, member of an object or character of a text; counted from the end if negative. */
  from: number
  /** Only what contains these words, with its surroundings. `from` is then the first match. */
  contains: string
  /** The room for the page, in bytes of UTF-8. */
  maxBytes: number
}

export type Page = {
  text: string
  /** Nothing of the requested part is missing. */
  whole: boolean
  unit: 'items' | 'members' | 'characters' | 'matches'
  from: number
  /** For the requested part: its number of items, members or characters, and where to continue. */
  total: number
  next: number | null
  /** Where the end begins that is shown besides the beginning. */
  endFrom: number | null
  /** Members within the page are shortened, and marks tell how to read them. */
  hasMarks: boolean
}

/** A part of a long text. Valid JSON stays valid JSON; omissions are marked where they were. */
export function cutPage(text: string, request: PageRequest): Page {
  if (isWhole(text, request)) return wholePage(text)
  const document = parseExactJson(text)
  const { pointer, contains } = request
  const part =
    document === undefined || pointer === ''
      ? document
      : resolvePointer(document, pointer.replace(/^\//, '').split('/'))
  if (document !== undefined && part === undefined) return wholePage(`There is nothing at ${pointer}.`)
  if (contains !== '') return pageMatches(findMatches(part ?? text, pointer, contains), request)
  if (part === undefined) return pageText(text, request, Buffer.byteLength)
  if (typeof part === 'string') {
    const page = pageText(part, request, sizeOf)
    return { ...page, text: JSON.stringify(page.text) }
  }
  return pageValue(part, request)
}

/** All of it is requested, and it fits. */
export function isWhole(text: string, { pointer, from, contains, maxBytes }: PageRequest): boolean {
  return from === 0 && pointer === '' && contains === '' && Buffer.byteLength(text) <= maxBytes
}

function wholePage(text: string): Page {
  const total = text.length
  return { text, whole: true, unit: 'characters', from: 0, total, next: null, endFrom: null, hasMarks: false }
}

type Measure = (text: string) => number

/** The beginning of a page is read from its start, but the first page of a text shows the end as well: in a log that is the newest. */
function pageText(text: string, { pointer, maxBytes, ...request }: PageRequest, measure: Measure): Page {
  const total = text.length
  const from = firstOf(request.from, total)
  const rest = { whole: false, unit: 'characters', from, total, hasMarks: false } as const
  if (measure(text.slice(from)) <= maxBytes) {
    return { ...rest, text: text.slice(from), whole: from === 0, next: null, endFrom: null }
  }
  if (from === 0 && maxBytes >= leastRoom(pointer)) {
    const { shown, end, endFrom } = keepEnds(text, maxBytes, pointer, measure)
    return { ...rest, text: shown, next: end, endFrom }
  }
  const end = fitBeginning(text, from, maxBytes, measure)
  return { ...rest, text: text.slice(from, end), next: end < total ? end : null, endFrom: null }
}

function pageMatches(matches: readonly Match[], { maxBytes, contains, ...request }: PageRequest): Page {
  const total = matches.length
  if (total === 0) return wholePage(`Nothing here contains ${JSON.stringify(contains)}.`)
  const from = firstOf(request.from, total)
  let left = maxBytes
  const taken = matches.slice(from).filter((match, at) => {
    left -= left < 0 ? 0 : sizeOf(match) + 1
    return left >= 0 || at === 0
  })
  const next = from + taken.length < total ? from + taken.length : null
  const whole = from === 0 && next === null
  return {
    text: JSON.stringify(taken),
    whole,
    unit: 'matches',
    from,
    total,
    next,
    endFrom: null,
    hasMarks: false,
  }
}

function pageValue(value: unknown, { pointer, maxBytes, ...request }: PageRequest): Page {
  const entries = entriesOf(value)
  if (!entries) return wholePage(JSON.stringify(value))
  const total = entries.length
  const from = firstOf(request.from, total)
  const { taken, hasMarks } = takeEntries(value, entries.slice(from), maxBytes - 2, pointer, {
    left: maxTries,
  })
  const next = from + taken.length < total ? from + taken.length : null
  const text = JSON.stringify(rebuild(value, taken))
  const whole = from === 0 && next === null && !hasMarks
  return { text, whole, unit: unitOf(value), from, total, next, endFrom: null, hasMarks }
}

/** How often the parts of a page are cut once more to use what is left: deep down, each try could make two of the next level. */
type Tries = { left: number }
const maxTries = 150

type Entry = readonly [key: string, value: unknown]

/**
 * As many members as fit, in their order. Where a few are long, all others are shown whole and those share the rest; of many, the
 * first are shown whole, and the one that does not fit is shortened.
 */
function takeEntries(whole: unknown, entries: readonly Entry[], room: number, pointer: string, tries: Tries) {
  const isList = Array.isArray(whole)
  const keySizeOf = (key: string) => (isList ? 1 : sizeOf(key) + 2)
  const pathOf = (key: string) => `${pointer}/${escapePointer(key)}`
  const sizes = entries.map(([key, inner]) => keySizeOf(key) + sizeOf(inner))
  let share = shareRoom(sizes, room)
  const areFewLong = share >= room / 8
  const taken: Entry[] = []
  let left = room
  for (const [at, [key, inner]] of entries.entries()) {
    const size = sizes[at] ?? 0
    const most = areFewLong ? Math.min(share, left) : left
    // The beginning of one more member is not worth a mark where the page is nearly full.
    if (size > most && !areFewLong && taken.length > 0 && left < room / 20) break
    const shown = size <= most ? inner : shorten(inner, most - keySizeOf(key), pathOf(key), tries)
    if (shown === undefined && taken.length > 0) break
    taken.push([key, shown ?? `[left out: read_more pointer ${pathOf(key)}]`])
    left -= shown === inner ? size : keySizeOf(key) + sizeOf(taken.at(-1)?.[1])
    // What it did not use is for the next ones.
    if (shown !== inner && areFewLong) share = shareRoom(sizes.slice(at + 1), left)
  }
  // What is left in the end is for the first ones.
  for (const [at, [key, shown]] of taken.entries()) {
    const inner = entries[at]?.[1]
    if (left < room / 50 || tries.left === 0) break
    if (shown === inner) continue
    tries.left--
    const used = sizeOf(shown)
    const more = sizeOf(inner) <= used + left ? inner : shorten(inner, used + left, pathOf(key), tries)
    const gained = more === undefined ? 0 : sizeOf(more) - used
    if (gained <= 0) continue
    taken[at] = [key, more]
    left -= gained
  }
  return { taken, hasMarks: taken.some(([, shown], at) => shown !== entries[at]?.[1]) }
}

/** A value that is too long, in the given room, with marks in place of omissions. Undefined if there is no room for a mark. */
function shorten(value: unknown, room: number, pointer: string, tries: Tries): unknown {
  if (room < leastRoom(pointer)) return undefined
  if (typeof value === 'string') return keepEnds(value, room, pointer, sizeOf).shown
  const entries = entriesOf(value)
  if (!entries) return undefined
  const markOf = (leftOut: number, from: number) =>
    `[${leftOut} more ${unitOf(value)}: read_more pointer ${pointer} from ${from}]`
  const { length } = entries
  const { taken } = takeEntries(value, entries, room - 10 - sizeOf(markOf(length, length)), pointer, tries)
  const leftOut = length - taken.length
  return rebuild(value, leftOut > 0 ? [...taken, ['…', markOf(leftOut, taken.length)]] : taken)
}

/** The room below which marks would take most of it. */
function leastRoom(pointer: string): number {
  return 150 + 2 * sizeOf(pointer)
}

/** The beginning and the end of a text, and between them a mark. */
function keepEnds(text: string, room: number, pointer: string, measure: Measure) {
  const where = pointer === '' ? '' : ` pointer ${pointer}`
  const markOf = (leftOut: number, end: number) =>
    `\n… [${leftOut} characters left out: read_more${where} from ${end}] …\n`
  const half = (room - measure(markOf(text.length, text.length))) / 2
  const end = fitBeginning(text, 0, half, measure)
  const endFrom = fitEnd(text, half, measure)
  const shown = `${text.slice(0, end)}${markOf(endFrom - end, end)}${text.slice(endFrom)}`
  return { shown, end, endFrom }
}

/** Where to stop, so that what begins at `from` fits. At least one letter is shown, and none is cut into halves. */
function fitBeginning(text: string, from: number, room: number, measure: Measure): number {
  const most = Math.min(text.length - from, Math.floor(room))
  const end = from + findMost(most, (length) => measure(text.slice(from, from + length)) <= room)
  const isCut = isWithinPair(text, end)
  if (end <= from || (isCut && end === from + 1)) return from + (isWithinPair(text, from + 1) ? 2 : 1)
  return isCut ? end - 1 : end
}

function fitEnd(text: string, room: number, measure: Measure): number {
  const most = Math.min(text.length, Math.floor(room))
  const start = text.length - findMost(most, (length) => measure(text.slice(text.length - length)) <= room)
  return isWithinPair(text, start) ? start + 1 : start
}

/** The largest number up to `most` for which it holds, if it holds for all smaller ones. */
function findMost(most: number, holds: (length: number) => boolean): number {
  let [low, high] = [0, most]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (holds(middle)) low = middle
    else high = middle - 1
  }
  return low
}

function isWithinPair(text: string, at: number): boolean {
  return (text.codePointAt(at - 1) ?? 0) > 0xffff
}

function firstOf(from: number, total: number): number {
  return from < 0 ? Math.max(total + from, 0) : from
}

function unitOf(value: unknown): 'items' | 'members' {
  return Array.isArray(value) ? 'items' : 'members'
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}

/** Rebuilds a list or an object, like `value`. */
function rebuild(value: unknown, entries: readonly Entry[]): unknown {
  return Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries)
}

function entriesOf(value: unknown): Entry[] | null {
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return null
  return Object.entries(value)
}
