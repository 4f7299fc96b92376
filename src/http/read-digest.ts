import { problem } from './problems.ts'

/**
 * `If-Match: "sha256:…"` (RFC 9110 §13.1.1): whoever decides says which request they have seen, and decides about no other. Nothing
 * is compared without the header or with `*`.
 */
export function readDigest(request: Request): { digest?: string } {
  const header = request.headers.get('if-match')?.trim()
  if (header === undefined || header === '*') return {}
  const digest = /^"([^"]*)"$/.exec(header)?.[1]
  if (digest === undefined)
    throw problem('invalid-request', 'If-Match takes one digest in quotes, for example "sha256:…".')
  return { digest }
}
