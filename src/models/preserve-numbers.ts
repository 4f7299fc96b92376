import { randomUUID } from 'node:crypto'
import { isRawNumber, parseExactJson, rawNumber } from '../platform/json/parse-exact-json.ts'

export type NumberPreserver = {
  pack(value: unknown): unknown
  /** The same for JSON text. Text that is not JSON stays as it came. */
  packText(text: string): string
  unpack<T>(value: T): T
}

/**
 * The SDKs parse a tool's input with `JSON.parse`, which rounds long numbers. So a number that would be rounded is replaced by a
 * text with a mark that no model can know, and turned back into a number afterwards.
 */
export function preserveNumbers(): NumberPreserver {
  const mark = `number ${randomUUID()} `

  function pack(value: unknown): unknown {
    if (isRawNumber(value)) return `${mark}${value.rawJSON}`
    if (Array.isArray(value)) return value.map(pack)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, pack(inner)]))
  }
  return {
    pack,
    packText: (text) => JSON.stringify(pack(parseExactJson(text))) ?? text,
    unpack(value) {
      const text = JSON.stringify(value) ?? ''
      if (!text.includes(mark)) return value
      return JSON.parse(text, (_key, inner: unknown) =>
        typeof inner === 'string' && inner.startsWith(mark) ? rawNumber(inner.slice(mark.length)) : inner,
      )
    },
  }
}
