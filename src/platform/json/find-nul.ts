import { escapePointer } from './escape-pointer.ts'

/** RFC 6901 pointers to the texts that contain U+0000. */
export function findNul(value: unknown, pointer = ''): string[] {
  if (typeof value === 'string') return value.includes('\0') ? [pointer] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => findNul(inner, `${pointer}/${escapePointer(key)}`))
}
