export const byte = {
  newline: 0x0a,
  quote: 0x22,
  comma: 0x2c,
  nine: 0x39,
  colon: 0x3a,
  openArray: 0x5b,
  backslash: 0x5c,
  closeArray: 0x5d,
  u: 0x75,
  openObject: 0x7b,
  closeObject: 0x7d,
} as const

/** Told in the order of the text. `depth` is how many objects and arrays are around it; `end` is the index after it. */
export type JsonVisitor = {
  /** An object or array begins. True stops the scan here. */
  open?(at: number, depth: number): unknown
  close?(at: number, depth: number): void
  key?(at: number, end: number, depth: number): void
  /** A text, number or literal. */
  scalar?(at: number, end: number, depth: number): void
  comma?(at: number, depth: number): void
}

/**
 * Null if the bytes are JSON (RFC 8259), after a byte order mark or not; otherwise the index of what does not fit, or of where the
 * visitor stopped. One pass without recursion that builds nothing: `JSON.parse` takes over 100 ms for 1 MiB of small distinct
 * objects, and a stranger must not be able to fill the stack or the heap. Whether the texts are UTF-8 is not looked at.
 */
export function scanJson(body: Uint8Array, { open, close, key, scalar, comma }: JsonVisitor): number | null {
  /** What ends each object and array around this place, and the innermost one. */
  const closers: number[] = []
  let closer = 0
  let hasJustOpened = false
  let at = skipSpace(body, startOfText(body))
  for (;;) {
    if (closer === byte.closeObject && body[at] === byte.quote) {
      const end = endOfString(body, at)
      if (end < 0) return at
      key?.(at, end, closers.length)
      at = skipSpace(body, end)
      if (body[at] !== byte.colon) return at
      at = skipSpace(body, at + 1)
    } else if (closer === byte.closeObject && !(hasJustOpened && body[at] === closer)) return at

    const current = body[at]
    if (current === byte.openObject || current === byte.openArray) {
      if (open?.(at, closers.length) === true) return at
      closers.push(closer)
      closer = current === byte.openObject ? byte.closeObject : byte.closeArray
      hasJustOpened = true
      at = skipSpace(body, at + 1)
      continue
    }
    if (!(hasJustOpened && current === closer)) {
      const end = endOfScalar(body, at)
      if (end < 0) return at
      scalar?.(at, end, closers.length)
      at = skipSpace(body, end)
    }
    hasJustOpened = false
    while (closers.length > 0 && body[at] === closer) {
      closer = closers.pop() as number // there is one
      close?.(at, closers.length)
      at = skipSpace(body, at + 1)
    }
    if (closers.length === 0) return at === body.length ? null : at
    if (body[at] !== byte.comma) return at
    comma?.(at, closers.length)
    at = skipSpace(body, at + 1)
  }
}

function startOfText(body: Uint8Array): number {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0
}

function skipSpace(body: Uint8Array, from: number): number {
  let at = from
  while (at < body.length && isSpace[body[at] as number] === 1) at++ // `at` is inside
  return at
}

/** By byte: 1 for those of these characters. */
function tableOf(characters: string): Uint8Array {
  const table = new Uint8Array(256)
  for (const code of Buffer.from(characters)) table[code] = 1
  return table
}

const isSpace = tableOf(' \n\r\t')
const isDigit = tableOf('0123456789')
const isHexDigit = tableOf('0123456789abcdefABCDEF')
/** What may follow a backslash, `u` apart. */
const isEscape = tableOf('"\\/bfnrt')
/** Bytes that need attention inside a string: its end, an escape, and control characters, which are not allowed. */
const isSpecial = tableOf('"\\').fill(1, 0, 0x20)

/** A negative number if no text, number or literal starts here. */
function endOfScalar(body: Uint8Array, at: number): number {
  switch (body[at]) {
    case byte.quote:
      return endOfString(body, at)
    case 0x74:
      return endOfWord(body, at, 'true')
    case 0x66:
      return endOfWord(body, at, 'false')
    case 0x6e:
      return endOfWord(body, at, 'null')
    default:
      return endOfNumber(body, at)
  }
}

function endOfWord(body: Uint8Array, at: number, word: string): number {
  for (let index = 0; index < word.length; index++) {
    if (body[at + index] !== word.charCodeAt(index)) return -1
  }
  return at + word.length
}

/** The index after the closing quote. Of the byte that cannot be there, `~` its index, which is negative. */
export function endOfString(body: Uint8Array, openingQuote: number): number {
  let at = openingQuote + 1
  for (;;) {
    while (at < body.length && isSpecial[body[at] as number] === 0) at++ // `at` is inside
    // Reading beyond the end would make every read here slower.
    if (at === body.length) return ~at
    if (body[at] === byte.quote) return at + 1
    if (body[at] !== byte.backslash) return ~at
    if (++at === body.length) return ~at
    if (isEscape[body[at] as number] === 1)
      at++ // inside
    else if (body[at] === byte.u && areDigits(body, at + 1, at + 5, isHexDigit)) at += 5
    else return ~(at - 1)
  }
}

function areDigits(body: Uint8Array, from: number, end: number, table: Uint8Array): boolean {
  return end <= body.length && endOfDigits(body, from, end, table) === end
}

function endOfDigits(body: Uint8Array, from: number, end = body.length, table = isDigit): number {
  let at = from
  while (at < end && table[body[at] as number] === 1) at++ // `at` is inside
  return at
}

function endOfNumber(body: Uint8Array, from: number): number {
  const start = body[from] === 0x2d ? from + 1 : from
  let at = endOfDigits(body, start)
  // No digit, or a zero before others.
  if (at === start || (body[start] === 0x30 && at > start + 1)) return -1
  if (body[at] === 0x2e) {
    const fraction = at + 1
    at = endOfDigits(body, fraction)
    if (at === fraction) return -1
  }
  if (body[at] === 0x65 || body[at] === 0x45) {
    const exponent = at + (body[at + 1] === 0x2b || body[at + 1] === 0x2d ? 2 : 1)
    at = endOfDigits(body, exponent)
    if (at === exponent) return -1
  }
  return at
}
