import { isExactNumber, parseExactly } from './parse-exactly.ts'

/**
 * A library that copies what it is given would take a number kept as it is written apart. So inside such a library it is a text
 * with a mark before it that no keyboard types.
 */
const mark = '\u{F0000}'
const number = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

export function packNumbers(value: unknown): unknown {
  return mapLeaves(value, (leaf) => (isExactNumber(leaf) ? `${mark}${leaf.rawJSON}` : leaf))
}

export function unpackNumbers(value: unknown): unknown {
  return mapLeaves(value, (leaf) =>
    typeof leaf === 'string' && leaf.startsWith(mark) ? parseExactly(leaf.slice(mark.length)) : leaf,
  )
}

/** What was typed, packed. What is no number yet stays the text it is, and the server says so. */
export function packTyped(text: string): unknown {
  return number.test(text) ? packNumbers(parseExactly(text)) : text
}

/** A packed value as somebody typed it. */
export function typedText(packed: unknown): string {
  if (packed === undefined || packed === null) return ''
  return typeof packed === 'string' ? packed.replace(mark, '') : (JSON.stringify(packed) ?? '')
}

function mapLeaves(value: unknown, map: (leaf: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((inner) => mapLeaves(inner, map))
  if (typeof value !== 'object' || value === null || isExactNumber(value)) return map(value)
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mapLeaves(inner, map)]))
}
