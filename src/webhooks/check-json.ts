import { isUtf8 } from 'node:buffer'

export const maxDepth = 128

export type JsonVerdict =
  | { ok: true }
  | { ok: false; fault: 'empty' | 'not-utf8' | 'too-deep' }
  | { ok: false; fault: 'malformed'; at: number }

const byte = {
  tab: 0x09,
  newline: 0x0a,
  return: 0x0d,
  space: 0x20,
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

/** What may come next. */
type Expecting = 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'comma-or-end'

/**
 * RFC 8259, checked in one pass over the bytes. Nothing is built and nothing recurses: `JSON.parse` takes over 100 ms for
 * 1 MiB of small distinct objects, and a stack or a heap that a stranger can fill is not ours to give.
 */
export function checkJson(body: Uint8Array): JsonVerdict {
  const start = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0
  let at = skipSpace(body, start)
  if (at === body.length) return { ok: false, fault: 'empty' }
  if (!isUtf8(body)) return { ok: false, fault: 'not-utf8' }

  const closers = new Uint8Array(maxDepth)
  let depth = 0
  let expecting: Expecting = 'value'

  while (at < body.length) {
    const current = body[at]
    if (expecting === 'comma-or-end') {
      if (depth === 0) return malformed(at)
      if (current === byte.comma) {
        expecting = closers[depth - 1] === byte.closeObject ? 'key' : 'value'
      } else if (current === closers[depth - 1]) {
        depth--
      } else return malformed(at)
      at++
    } else if (expecting === 'key' || expecting === 'key-or-end') {
      if (current === byte.quote) {
        const end = endOfString(body, at)
        if (end < 0) return malformed(at)
        at = skipSpace(body, end)
        if (body[at] !== byte.colon) return malformed(at)
        expecting = 'value'
      } else if (current === byte.closeObject && expecting === 'key-or-end') {
        depth--
        expecting = 'comma-or-end'
      } else return malformed(at)
      at++
    } else if (current === byte.openObject || current === byte.openArray) {
      if (depth === maxDepth) return { ok: false, fault: 'too-deep' }
      closers[depth++] = current === byte.openObject ? byte.closeObject : byte.closeArray
      expecting = current === byte.openObject ? 'key-or-end' : 'value-or-end'
      at++
    } else if (current === byte.closeArray && expecting === 'value-or-end') {
      depth--
      expecting = 'comma-or-end'
      at++
    } else {
      const end = endOfScalar(body, at)
      if (end < 0) return malformed(at)
      at = end
      expecting = 'comma-or-end'
    }
    at = skipSpace(body, at)
  }
  return depth === 0 && expecting === 'comma-or-end' ? { ok: true } : malformed(at)
}

function malformed(at: number): JsonVerdict {
  return { ok: false, fault: 'malformed', at }
}

function skipSpace(body: Uint8Array, from: number): number {
  let at = from
  for (; at < body.length; at++) {
    const current = body[at]
    if (
      current !== byte.space &&
      current !== byte.newline &&
      current !== byte.return &&
      current !== byte.tab
    ) {
      break
    }
  }
  return at
}

/** The index after the value that starts here, or -1. */
function endOfScalar(body: Uint8Array, at: number): number {
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

const simpleEscapes = new Set(Buffer.from('"\\/bfnrt'))

/** Bytes that mean something inside a string: its end, an escape, and those that may not stand there. */
const isSpecial = new Uint8Array(256).fill(1, 0, 0x20)
isSpecial[byte.quote] = 1
isSpecial[byte.backslash] = 1

function endOfString(body: Uint8Array, openingQuote: number): number {
  let at = openingQuote + 1
  for (;;) {
    while (at < body.length && isSpecial[body[at] as number] === 0) at++ // `at` is inside
    if (body[at] === byte.quote) return at + 1
    if (body[at] !== byte.backslash) return -1
    at++
    if (body[at] === byte.u) {
      for (let digit = 1; digit <= 4; digit++) if (!isHexDigit(body[at + digit])) return -1
      at += 5
    } else if (simpleEscapes.has(body[at] ?? 0)) at++
    else return -1
  }
}

function isHexDigit(code = 0): boolean {
  return isDigit(code) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66)
}

function isDigit(code = 0): boolean {
  return code >= byte.zero && code <= byte.nine
}

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
  while (isDigit(body[at])) at++
  return at
}
