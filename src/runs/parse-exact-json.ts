type Reviver = (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown
/** Standard, and in Node, but not yet in TypeScript's library. */
type ExactJson = { parse(text: string, reviver: Reviver): unknown; rawJSON(text: string): unknown }
const json = JSON as unknown as ExactJson

/** Numbers that JavaScript would round come through as they are written. Undefined if the text is not JSON. */
export function parseExactJson(text: string): unknown {
  try {
    return json.parse(text, (_key, value, { source }) =>
      typeof value === 'number' && source !== undefined && JSON.stringify(value) !== source
        ? json.rawJSON(source)
        : value,
    )
  } catch {
    return undefined
  }
}
