import { byte, endOfString } from './json-bytes.ts'

/** Documents that mean something have more bytes for each value. To parse a MiB of smaller ones would hold up everybody else. */
const bytesPerValue = 50

export function mostValues(maxBytes: number): number {
  return Math.floor(maxBytes / bytesPerValue)
}

/** One pass over the bytes, which builds nothing. Whether it is JSON at all is for the parser to say. */
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
