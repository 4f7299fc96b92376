/**
 * The text or number at an RFC 6901 pointer of a JSON body, as text; undefined where there is none.
 * Only own properties are looked at, so that `__proto__` and its kind find nothing.
 */
export function readPointer(body: Uint8Array, pointer: string): string | undefined {
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder().decode(body))
  } catch {
    return undefined
  }
  for (const token of pointer.split('/').slice(1)) {
    if (value === null || typeof value !== 'object') return undefined
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~')
    value = Object.getOwnPropertyDescriptor(value, key)?.value
  }
  if (typeof value === 'string') return value === '' ? undefined : value
  // A number that JavaScript cannot hold exactly would make two ids one.
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : undefined
}
