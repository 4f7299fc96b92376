type Reviver = (this: unknown, key: string, value: unknown, context?: { source?: string }) => unknown
/** Standard, but not yet in TypeScript's library or in older browsers; those show long numbers rounded. */
type ExactJson = {
  parse(text: string, reviver: Reviver): unknown
  rawJSON?: (text: string) => unknown
  isRawJSON?: (value: unknown) => boolean
}
const json = JSON as unknown as ExactJson

/** Keeps a number that JavaScript would round as it is written; `JSON.stringify` writes it that way. */
export function parseExactly(text: string): unknown {
  return json.parse(text, (_key, value, context) =>
    typeof value === 'number' && context?.source !== undefined && JSON.stringify(value) !== context.source
      ? (json.rawJSON?.(context.source) ?? value)
      : value,
  )
}

/** A number that `parseExactly` kept as it is written. */
export function isExactNumber(value: unknown): value is { rawJSON: string } {
  return json.isRawJSON?.(value) ?? false
}
