import { hasTooManyValues } from '../platform/json/has-too-many-values.ts'
import { parseExactJson } from '../platform/json/parse-exact-json.ts'
import type { Endpoint } from './endpoint.ts'
import { problem, tooManyValues } from './problems.ts'

/** Undefined if there is no body and the endpoint needs none. */
export async function readJsonBody(
  request: Request,
  { body, exactNumbers }: Pick<Endpoint<never>, 'body' | 'exactNumbers'>,
  maxBytes: number,
): Promise<unknown> {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  const encoding = request.headers.get('content-encoding')?.trim().toLowerCase()
  if (encoding && encoding !== 'identity') {
    throw problem('unsupported-media-type', 'Send the body uncompressed, without Content-Encoding.')
  }
  const bytes = await request.arrayBuffer()
  const text = decode(bytes)
  // Where every field is optional, no body counts as an empty one.
  if (text.trim() === '' && body?.safeParse(undefined).success) return undefined
  if (type && type !== 'application/json' && !type.endsWith('+json')) {
    throw problem('unsupported-media-type', 'Send the body as application/json.')
  }
  if (hasTooManyValues(new Uint8Array(bytes), maxBytes)) throw tooManyValues(maxBytes)
  try {
    // `parseExactJson` gives up on deep nesting, which is refused later with a clear message. Invalid JSON is refused here.
    return (exactNumbers ? parseExactJson(text) : undefined) ?? JSON.parse(text)
  } catch (cause) {
    const detail =
      text.trim() === '' ? 'The body is empty; send a JSON object.' : 'The body is not valid JSON.'
    throw problem('malformed-json', detail, { cause })
  }
}

function decode(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw problem('malformed-json', 'The body is not UTF-8.', { cause })
  }
}
