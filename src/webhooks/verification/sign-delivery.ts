import { createHash } from 'node:crypto'
import type { Secret } from '../../platform/secret.ts'
import { hmacSignature } from './hmac-signature.ts'
import { readKey } from './read-key.ts'
import type { Delivery, Scheme } from './scheme.ts'
import { signedContent } from './signed-content.ts'

type Signed = { url: string; headers: Record<string, string> }

/** The headers that the sender would send with this body. Null if only the sender can sign, or the secret is not a key of the scheme. */
export function signDelivery(
  scheme: Scheme,
  secret: Secret,
  request: { method: string; url: string; headers: Record<string, string>; body: Uint8Array },
  now: Date,
): Signed | null {
  if (scheme.algorithm === 'ed25519') return null
  const key = readKey(scheme, secret)
  if (key === null) return null
  if (scheme.algorithm === 'equality') {
    const value = (scheme.prefix ?? '') + key.export().toString('latin1')
    return { url: request.url, headers: withHeader(request.headers, scheme.header, value) }
  }

  const url = withBodyHash(scheme, request.url, request.body)
  let { headers } = request
  const timestamp = timestampText(scheme, now)
  if (scheme.timestamp?.from === 'header') headers = withHeader(headers, scheme.timestamp.header, timestamp)
  for (const [, name] of scheme.template.matchAll(/\{header:([^{}]+)\}/g)) {
    const isThere = Object.keys(headers).some((header) => header.toLowerCase() === name?.toLowerCase())
    if (name && !isThere) headers = withHeader(headers, name, `test_${now.getTime()}`)
  }
  const delivery: Delivery = { ...request, url, rawHeaders: Object.entries(headers).flat() }
  const content = signedContent(scheme.template, delivery, timestamp)
  if (content.kind !== 'content') return null

  const signature =
    (scheme.prefix ?? '') + hmacSignature(scheme.algorithm, scheme.encoding, key, content.parts)
  return { url, headers: withHeader(headers, scheme.header, inList(scheme, signature, timestamp)) }
}

/** In place of one with the same name: a header that is sent twice is not believed. */
function withHeader(headers: Record<string, string>, name: string, value: string): Record<string, string> {
  const others = Object.entries(headers).filter(([other]) => other.toLowerCase() !== name.toLowerCase())
  return { ...Object.fromEntries(others), [name]: value }
}

function timestampText(scheme: Scheme, now: Date): string {
  switch (scheme.timestamp?.unit) {
    case undefined:
      return ''
    case 's':
      return String(Math.floor(now.getTime() / 1000))
    case 'ms':
      return String(now.getTime())
    case 'iso':
      return now.toISOString()
  }
}

function inList(scheme: Scheme, signature: string, timestamp: string): string {
  if (!scheme.list) return signature
  const { separator, between, key } = scheme.list
  const entry = `${key}${between}${signature}`
  if (scheme.timestamp?.from !== 'list') return entry
  return `${scheme.timestamp.key}${between}${timestamp}${separator}${entry}`
}

function withBodyHash(scheme: Scheme, url: string, body: Uint8Array): string {
  if (!scheme.bodyHashQuery) return url
  const signedUrl = new URL(url)
  signedUrl.searchParams.set(scheme.bodyHashQuery, createHash('sha256').update(body).digest('hex'))
  return signedUrl.href
}
