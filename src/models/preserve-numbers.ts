import { randomUUID } from 'node:crypto'
import { isRawNumber, parseExactJson, rawNumber } from '../platform/json/parse-exact-json.ts'
import { boundJson } from './bound-answers.ts'

type Fetch = typeof globalThis.fetch

export type NumberPreserver = {
  /** Packs the tool inputs in the provider's answers. */
  packAnswers(ask: Fetch): Fetch
  /** Packs one input, given as JSON text. */
  pack(input: string): string
  unpack<T>(value: T): T
}

/** Where providers put the input of a tool: in an object (Anthropic, Google) or as JSON text (OpenAI). */
const asObject = new Set(['input', 'args'])
const asText = 'arguments'

/**
 * The SDKs parse a tool's input with `JSON.parse`, which rounds long numbers. So a number that would be rounded is replaced by a
 * text with a mark that no model can know, and turned back into a number afterwards.
 */
export function preserveNumbers(): NumberPreserver {
  const mark = `number ${randomUUID()} `

  function packValue(value: unknown): unknown {
    if (isRawNumber(value)) return `${mark}${value.rawJSON}`
    return mapMembers(value, packValue)
  }
  function packInputs(value: unknown, key?: string): unknown {
    if (key === asText && typeof value === 'string') return pack(boundJson(value))
    if (key !== undefined && asObject.has(key)) return packValue(value)
    return mapMembers(value, packInputs)
  }
  function pack(input: string): string {
    return rewrite(input, packValue)
  }
  return {
    pack,
    packAnswers: (ask) => async (url, init) => {
      const response = await ask(url, init)
      if (response.status !== 200) return response
      const { status, headers } = response
      return new Response(rewrite(await response.text(), packInputs), { status, headers })
    },
    unpack(value) {
      const text = JSON.stringify(value) ?? ''
      if (!text.includes(mark)) return value
      return JSON.parse(text, (_key, inner: unknown) =>
        typeof inner === 'string' && inner.startsWith(mark) ? rawNumber(inner.slice(mark.length)) : inner,
      )
    },
  }
}

/** Text that is not JSON stays as it came. */
function rewrite(text: string, change: (document: unknown) => unknown): string {
  return JSON.stringify(change(parseExactJson(text))) ?? text
}

function mapMembers(value: unknown, map: (inner: unknown, key?: string) => unknown): unknown {
  if (Array.isArray(value)) return value.map((inner) => map(inner))
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, map(inner, key)]))
}
