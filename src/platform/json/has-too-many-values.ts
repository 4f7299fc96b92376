import { scanJson } from './scan-json.ts'

/** Real documents have more bytes per value. Parsing a MiB of smaller ones would block the event loop. */
const bytesPerValue = 50

export function mostValues(maxBytes: number): number {
  return Math.floor(maxBytes / bytesPerValue)
}

/** Counted up to where it stops being JSON: no parser gets beyond that. */
export function hasTooManyValues(body: Uint8Array, maxBytes: number): boolean {
  let values = 0
  const count = () => {
    values++
  }
  scanJson(body, { open: count, comma: count })
  return values > mostValues(maxBytes)
}
