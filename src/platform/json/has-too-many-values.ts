import { byte, endOfString } from './json-bytes.ts'

/** Real documents have more bytes per value. Parsing a MiB of smaller ones would block the event loop. */
const bytesPerValue = 50

export function mostValues(maxBytes: number): number {
  return Math.floor(maxBytes / bytesPerValue)
}

/** One pass over the bytes, without allocation. Whether it is valid JSON is left to the parser. */
export function hasTooManyValues(body: Uint8Array, maxBytes: number): boolean {
  let left = mostValues(maxBytes)
  for (let at = 0; at < body.length && left >= 0; at++) {
    const current = body[at]
    if (current === byte.quote) {
      const end = endOfString(body, at)
      // No parser gets beyond this.
      if (end < 0) return false
      at = end - 1
    } else if (current === byte.comma || current === byte.openArray || current === byte.openObject) left--
  }
  return left < 0
}
