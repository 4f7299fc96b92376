import { createHash, type KeyObject, timingSafeEqual, verify } from 'node:crypto'
import { sameSecret } from '../../platform/crypto/same-secret.ts'
import type { Secret } from '../../platform/secret.ts'
import { hmacSignature } from './hmac-signature.ts'
import { readHeader } from './read-header.ts'
import { readKey } from './read-key.ts'
import { readPointer } from './read-pointer.ts'
import { parseTimestamp, type Reason, readTimestamp } from './read-timestamp.ts'
import type { Delivery, Scheme, SignatureEncoding } from './scheme.ts'
import { signedContent } from './signed-content.ts'

type Verdict = { verified: true; scheme: Scheme } | { verified: false; reason: Reason }

/**
 * A sender may have several ways to sign, and two secrets may be valid during a rotation: any combination will do, each tried
 * completely. If all fail, the reason is that of the one that came closest.
 */
export function verifyDelivery(
  schemes: readonly Scheme[],
  secrets: readonly Secret[],
  delivery: Delivery,
  now: Date,
): Verdict {
  const reasons: Reason[] = []
  const checks = { ed25519: maxEd25519Checks }
  for (const scheme of schemes) {
    const verdict = verifyByScheme(scheme, secrets, delivery, now, checks)
    if (verdict.verified) return verdict
    reasons.push(verdict.reason)
  }
  const nearest = reasons.toSorted((a, b) => nearness.indexOf(b.code) - nearness.indexOf(a.code))[0]
  return { verified: false, reason: nearest ?? { code: 'secret-unusable' } }
}

/** From "not even tried" to "almost accepted". */
const nearness: readonly Reason['code'][] = [
  'header-missing',
  'signature-malformed',
  'signed-header-missing',
  'secret-unusable',
  'timestamp-missing',
  'timestamp-malformed',
  'header-duplicated',
  'signature-mismatch',
  'body-hash-mismatch',
  'timestamp-outside-tolerance',
]

/** How many more of this delivery may be made. */
type Checks = { ed25519: number }

function verifyByScheme(
  scheme: Scheme,
  secrets: readonly Secret[],
  delivery: Delivery,
  now: Date,
  checks: Checks,
): Verdict {
  const refuse = (reason: Reason): Verdict => ({ verified: false, reason })
  const header = readHeader(delivery.rawHeaders, scheme.header)
  if (header.kind === 'none') return refuse({ code: 'header-missing', header: scheme.header })
  if (header.kind === 'many') return refuse({ code: 'header-duplicated', header: scheme.header })

  const signatures = listedSignatures(scheme, header.value)
  if (signatures.length === 0) return refuse({ code: 'signature-malformed', header: scheme.header })

  const time = readTimestamp(scheme, delivery, header.value)
  if (time.kind === 'refused') return refuse(time.reason)
  const content = signedContent(scheme.template, delivery, time.text)
  if (content.kind === 'form-unreadable') return refuse({ code: 'signature-mismatch' })
  if (content.kind !== 'content') return refuse({ code: content.kind, header: content.header })

  const keys = secrets.map((secret) => readKey(scheme, secret))
  if (keys.every((key) => key === null)) return refuse({ code: 'secret-unusable' })
  if (!keys.some((key) => key !== null && anyMatches(scheme, key, content.parts, signatures, checks)))
    return refuse({ code: 'signature-mismatch' })

  const parameter = scheme.bodyHashQuery
  if (parameter && !bodyHashMatches(delivery, parameter)) {
    return refuse({ code: 'body-hash-mismatch', parameter })
  }
  const late = tooFarOff(scheme, delivery, time.timeMs, now)
  return late ? refuse(late) : { verified: true, scheme }
}

/** Senders write one for each of their valid secrets. */
const maxSignatures = 8
/** With ed25519 each one costs a pass over the whole body, for each of our secrets. */
const maxEd25519Signatures = 2
const maxEd25519Checks = 4

/** The signatures that belong to this scheme. Entries under another key belong to other schemes. */
export function listedSignatures(scheme: Scheme, value: string): string[] {
  const prefix = scheme.prefix ?? ''
  if (!scheme.list) return value.startsWith(prefix) ? [value.slice(prefix.length)].filter(Boolean) : []
  const start = scheme.list.key + scheme.list.between + prefix
  const entries = value.split(scheme.list.separator).map((entry) => entry.trim())
  // No sender writes an empty entry, so somebody has changed the header.
  if (entries.includes('')) return []
  const own = entries.filter((entry) => entry.startsWith(start) && entry.length > start.length)
  const most = scheme.algorithm === 'ed25519' ? maxEd25519Signatures : maxSignatures
  return own.length > most ? [] : own.map((entry) => entry.slice(start.length))
}

function anyMatches(
  scheme: Scheme,
  key: KeyObject,
  content: Uint8Array[],
  signatures: string[],
  checks: Checks,
): boolean {
  if (scheme.algorithm === 'equality') {
    // Header values arrive as latin1: these are the bytes that the sender wrote.
    return signatures.some((given) => sameSecret(key.export(), Buffer.from(given, 'latin1')))
  }
  if (scheme.algorithm === 'ed25519') {
    const signed = Buffer.concat(content)
    return signatures.some((given) => {
      const bytes = decodeExactly(given, scheme.encoding)
      if (bytes?.length !== 64 || checks.ed25519 === 0) return false
      checks.ed25519--
      return verify(null, signed, key, bytes)
    })
  }
  const expected = Buffer.from(hmacSignature(scheme.algorithm, scheme.encoding, key, content))
  // Compared as text, so that another spelling of the right signature is not accepted either. Its length is not secret.
  return signatures.some(
    (given) => given.length === expected.length && timingSafeEqual(Buffer.from(given, 'latin1'), expected),
  )
}

function encode(bytes: Buffer, encoding: SignatureEncoding): string {
  return encoding === 'hex-upper' ? bytes.toString('hex').toUpperCase() : bytes.toString(encoding)
}

function decodeExactly(text: string, encoding: SignatureEncoding): Buffer | null {
  const bytes = Buffer.from(text, encoding === 'hex-upper' ? 'hex' : encoding)
  return encode(bytes, encoding) === text ? bytes : null
}

/** The signed URL contains the hash of a JSON body; a form's fields are signed themselves. */
function bodyHashMatches(delivery: Delivery, parameter: string): boolean {
  const type = readHeader(delivery.rawHeaders, 'content-type')
  if (type.kind === 'one' && /^application\/x-www-form-urlencoded\b/i.test(type.value)) return true
  const claimed = URL.parse(delivery.url)?.searchParams.get(parameter) ?? ''
  const actual = createHash('sha256').update(delivery.body).digest('hex')
  return sameSecret(actual, claimed.toLowerCase())
}

function tooFarOff(
  scheme: Scheme,
  delivery: Delivery,
  headerTimeMs: number | null,
  now: Date,
): Reason | null {
  if (!scheme.timestamp || scheme.toleranceSeconds === undefined) return null
  let timeMs = headerTimeMs
  if (scheme.timestamp.from === 'body') {
    // Read only now: the body is not parsed before its signature is verified.
    const text = readPointer(delivery.body, scheme.timestamp.pointer)
    if (text === undefined) return { code: 'timestamp-missing' }
    timeMs = parseTimestamp(text, scheme.timestamp.unit)
  }
  if (timeMs === null) return { code: 'timestamp-malformed' }
  const offSeconds = Math.round((timeMs - now.getTime()) / 1000)
  if (Math.abs(timeMs - now.getTime()) <= scheme.toleranceSeconds * 1000) return null
  return { code: 'timestamp-outside-tolerance', offSeconds, toleranceSeconds: scheme.toleranceSeconds }
}
