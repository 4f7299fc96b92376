/** A JSON object whose members are not known to be of any kind. */
export type Json = { [key: string]: unknown }

export function asArray(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

export function asString(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
