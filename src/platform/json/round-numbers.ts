import { isRawNumber } from './parse-exact-json.ts'

/** The same value for arithmetic: every number becomes the nearest JavaScript number. */
export function roundNumbers(value: unknown): unknown {
  if (isRawNumber(value)) return Number(value.rawJSON)
  if (Array.isArray(value)) return value.map(roundNumbers)
  if (typeof value !== 'object' || value === null) return value
  // fromEntries defines properties, so a member called __proto__ is a member like any other.
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, roundNumbers(inner)]))
}
