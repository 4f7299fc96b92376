export const byte = {
  newline: 0x0a,
  quote: 0x22,
  plus: 0x2b,
  comma: 0x2c,
  minus: 0x2d,
  dot: 0x2e,
  zero: 0x30,
  nine: 0x39,
  colon: 0x3a,
  openArray: 0x5b,
  backslash: 0x5c,
  closeArray: 0x5d,
  u: 0x75,
  openObject: 0x7b,
  closeObject: 0x7d,
} as const

/** After a byte order mark, which some senders write. */
export function startOfText(body: Uint8Array): number {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0
}

export function skipSpace(body: Uint8Array, from: number): number {
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

/** Brackets: 1 opens, -1 closes. */
const isBracket = new Int8Array(256)
isBracket[byte.openObject] = isBracket[byte.openArray] = 1
isBracket[byte.closeObject] = isBracket[byte.closeArray] = -1

/** The index after the object or array that opens here. Its content is not checked. */
export function endOfContainer(body: Uint8Array, from: number): number {
  let depth = 0
  let at = from
  for (; at < body.length; at++) {
    const current = body[at] as number // inside
    if (current === byte.quote) {
      while (++at < body.length && body[at] !== byte.quote) if (body[at] === byte.backslash) at++
    } else {
      depth += isBracket[current] as number // one for every byte
      if (depth === 0) return at + 1
    }
  }
  return at
}

/** The index after the text, number or literal that starts here, or a negative number. */
export function endOfScalar(body: Uint8Array, at: number): number {
  switch (body[at]) {
    case byte.quote:
      return endOfString(body, at)
    case 0x74: // t
      return endOfWord(body, at, 'true')
    case 0x66: // f
      return endOfWord(body, at, 'false')
    case 0x6e: // n
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

/** What may follow a backslash, `u` apart. */
const isEscape = tableOf('"\\/bfnrt')
const isHexDigit = tableOf('0123456789abcdefABCDEF')

/** Bytes that need attention inside a string: its end, an escape, and control characters, which are not allowed. */
const isSpecial = new Uint8Array(256).fill(1, 0, 0x20)
isSpecial[byte.quote] = 1
isSpecial[byte.backslash] = 1

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
    const escaped = body[at] as number // inside
    if (isEscape[escaped] === 1) at++
    else if (isUnicodeEscape(body, at)) at += 5
    else return ~(at - 1)
  }
}

/** `u` and four hex digits. By tables and without a loop: a million of them may come before this code is compiled. */
function isUnicodeEscape(body: Uint8Array, at: number): boolean {
  return (
    body[at] === byte.u &&
    at + 4 < body.length &&
    isHexDigit[body[at + 1] as number] === 1 && // inside
    isHexDigit[body[at + 2] as number] === 1 &&
    isHexDigit[body[at + 3] as number] === 1 &&
    isHexDigit[body[at + 4] as number] === 1
  )
}

function isDigit(code = 0): boolean {
  return code >= byte.zero && code <= byte.nine
}

const isNumeral = tableOf('0123456789')

function endOfNumber(body: Uint8Array, from: number): number {
  let at = body[from] === byte.minus ? from + 1 : from
  if (!isDigit(body[at])) return -1
  at = body[at] === byte.zero ? at + 1 : endOfDigits(body, at)
  if (body[at] === byte.dot) {
    if (!isDigit(body[at + 1])) return -1
    at = endOfDigits(body, at + 1)
  }
  if (body[at] === 0x65 || body[at] === 0x45) {
    at += body[at + 1] === byte.plus || body[at + 1] === byte.minus ? 2 : 1
    if (!isDigit(body[at])) return -1
    at = endOfDigits(body, at)
  }
  return at
}

function endOfDigits(body: Uint8Array, from: number): number {
  let at = from
  while (at < body.length && isNumeral[body[at] as number] === 1) at++ // `at` is inside
  return at
}
