/** Undefined if it is not JSON: what others send is then passed over, or refused like any other wrong shape. */
export function parseJson(text: string | Buffer): unknown {
  try {
    return JSON.parse(String(text))
  } catch {
    return undefined
  }
}
