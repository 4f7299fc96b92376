import { createPublicKey, verify } from 'node:crypto'
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWK, type JWTPayload, jwtVerify } from 'jose'
import {
  contentDigestOf,
  coveredComponents,
  receiptType,
  signatureLabel,
  targetUri,
} from './issue-receipt.ts'
import { signatureBase } from './sign-message.ts'

/** A request as the target received it. */
export type ReceivedRequest = {
  method: string
  url: string
  headers: Readonly<Record<string, string | undefined>>
  body: Uint8Array
}

export type Verdict = { ok: true; claims: JWTPayload } | { ok: false; reason: string }

/** Whether a receipt is genuine and, with `at`, whether it was in force then. */
export async function verifyReceipt(receipt: string, keys: JSONWebKeySet, at: Date): Promise<Verdict> {
  try {
    const { payload } = await jwtVerify(receipt.trim(), createLocalJWKSet(keys), {
      algorithms: ['EdDSA'],
      typ: receiptType,
      currentDate: at,
      requiredClaims: ['exp', 'jti', 'contentDigest'],
    })
    return { ok: true, claims: payload }
  } catch (error) {
    if (!(error instanceof errors.JOSEError)) throw error
    return { ok: false, reason: explain(error) }
  }
}

/** Everything that a target checks, except whether it has seen the receipt before: only the target knows that. */
export async function verifyRequest(
  { method, url, headers: given, body }: ReceivedRequest,
  keys: JSONWebKeySet,
  at: Date,
): Promise<Verdict> {
  const headers = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]),
  )
  const receipt = headers['bellhop-approval']
  const input = readMember(headers['signature-input'])
  const signature = readMember(headers.signature)
  if (!receipt || !input || !signature) return no('There is no receipt or no signature.')
  const contentDigest = contentDigestOf(body)
  if (headers['content-digest'] !== contentDigest) return no('The body is not the one that was sent.')
  const covered = coveredComponents.map((name) => `"${name}"`).join(' ')
  if (!input.startsWith(`(${covered});`)) return no('The signature does not cover what it must cover.')
  const keyId = /;keyid="([^"]+)"/.exec(input)?.[1]
  const key = keys.keys.find(({ kid }) => kid === keyId)
  if (!key) return no(unknownKey)
  const values = [method, targetUri(url), contentDigest, receipt]
  const base = signatureBase(
    coveredComponents.map((name, at) => [name, values[at] ?? '']),
    input,
  )
  if (!isSignedBy(key, base, signature))
    return no('The signature does not fit the request: method, target, body or receipt is another one.')
  const expires = Number(/;expires=(\d+)/.exec(input)?.[1])
  if (!(expires * 1000 > at.getTime())) return no(expired)
  const verdict = await verifyReceipt(receipt, keys, at)
  if (!verdict.ok) return verdict
  const { contentDigest: promised, jti } = verdict.claims
  if (promised !== contentDigest || !input.includes(`;nonce="${jti}"`))
    return no('The receipt belongs to another request.')
  return verdict
}

function isSignedBy(key: JWK, base: string, written: string): boolean {
  const signature = Buffer.from(written.slice(1, -1), 'base64')
  // Base64 has spare bits: a text that differs only there is not the one that was sent.
  if (`:${signature.toString('base64')}:` !== written) return false
  return verify(null, Buffer.from(base), createPublicKey({ key, format: 'jwk' }), signature)
}

/** The value of our member of a dictionary (RFC 8941), as it was written. */
function readMember(header: string | undefined): string | null {
  const [label, ...value] = header?.split('=') ?? []
  return label === signatureLabel && value.length > 0 ? value.join('=') : null
}

const no = (reason: string): Verdict => ({ ok: false, reason })
const unknownKey = 'It was signed with a key that is not in the list of keys.'
const expired = 'It has expired: a receipt is in force for 60 seconds.'

function explain(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return expired
  if (error instanceof errors.JWKSNoMatchingKey) return unknownKey
  if (error instanceof errors.JWSSignatureVerificationFailed)
    return 'The signature does not fit the receipt: it was changed.'
  return `It is not a receipt of Bellhop (${error.message}).`
}
