/** Neither a list nor null. Objects of a parsed JSON document have string keys. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
