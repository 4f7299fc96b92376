/** Undefined if it is not JSON: foreign data is then skipped, or refused like any other wrong shape. */
export function parseJson(text: string | Buffer): unknown {
  try {
    return JSON.parse(String(text))
  } catch {
    return undefined
  }
}
