import { isExactNumber, parseExactly } from './parse-exactly.ts'

/**
 * Libraries that copy values would break a number that is kept as written. So inside such a library it is a text with a prefix
 * that no keyboard types.
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

/** Packs what was typed. Text that is not a number yet stays text, and the server refuses it. */
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
