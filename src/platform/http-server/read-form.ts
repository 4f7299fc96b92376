import querystring from 'node:querystring'

/** Far more than any sender uses. Parsing and sorting a MiB of them would block the event loop. */
const maxFields = 1_000
const plus = 0x2b
const space = 0x20

/** The fields of a URL-encoded form in their order; null if there are too many. */
export function readForm(body: Uint8Array): [string, string][] | null {
  // As bytes, since replacing a million characters in a string takes long.
  const spaced = Buffer.from(body.map((byte) => (byte === plus ? space : byte)))
  const fields = spaced.toString('utf8').split('&', maxFields + 1)
  if (fields.length > maxFields) return null
  return fields
    .filter((field) => field !== '')
    .map((field) => {
      const at = field.indexOf('=')
      return at < 0
        ? [querystring.unescape(field), '']
        : [querystring.unescape(field.slice(0, at)), querystring.unescape(field.slice(at + 1))]
    })
}
