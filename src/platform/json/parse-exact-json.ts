type Reviver = (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown
/** Standard, and in Node, but not yet in TypeScript's library. */
type ExactJson = {
  parse(text: string, reviver: Reviver): unknown
  rawJSON(text: string): RawNumber
  isRawJSON(value: unknown): boolean
}
const json = JSON as unknown as ExactJson

/** A number that JavaScript would round or write differently. `JSON.stringify` writes it as it was. */
export type RawNumber = { readonly rawJSON: string }

export function isRawNumber(value: unknown): value is RawNumber {
  return json.isRawJSON(value)
}

/**
 * Parses JSON and keeps numbers that JavaScript would round as they are written. Undefined if the text is not JSON. `change` may
 * replace any value.
 */
export function parseExactJson(text: string, change = (value: unknown): unknown => value): unknown {
  try {
    return json.parse(text, (_key, value, { source }) =>
      typeof value === 'number' && source !== undefined && JSON.stringify(value) !== source
        ? json.rawJSON(source)
        : change(value),
    )
  } catch {
    return undefined
  }
}

/** Throws if the text is not JSON. */
export function rawNumber(text: string): RawNumber {
  return json.rawJSON(text)
}
