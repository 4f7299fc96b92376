import { isObject } from '../platform/json/is-object.ts'
import { parseJson } from '../platform/json/parse-json.ts'

/** Where servers put their error message, the most common place first. */
const places = ['message', 'error', 'detail', 'msg', 'description', 'title'] as const

/** The message in an error's body, whatever its form: `{"error":{"message"}}`, `{"error":""}`, `{"message"}`, `{"detail":[{"msg"}]}`. */
export function readProviderMessage(body: unknown): string | null {
  return messageIn(typeof body === 'string' ? parseJson(body) : body, 0)
}

function messageIn(value: unknown, depth: number): string | null {
  if (typeof value === 'string') return value.trim() === '' ? null : value
  if (depth > 4) return null
  if (Array.isArray(value)) return messageIn(value[0], depth + 1)
  if (!isObject(value)) return null
  for (const place of places) {
    const found = messageIn(value[place], depth + 1)
    if (found !== null) return found
  }
  return null
}
