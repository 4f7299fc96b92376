import { createPublicKey, createSecretKey, type KeyObject } from 'node:crypto'
import type { Secret } from '../../platform/secret.ts'
import type { Scheme } from './scheme.ts'

/** Making a key takes longer than reading the rest of a signature. It is forgotten with its secret. */
const known = new WeakMap<Secret, WeakMap<Scheme, KeyObject | null>>()

/** The key in a secret, or null if its text cannot be one: such a secret verifies nothing. */
export function readKey(scheme: Scheme, secret: Secret): KeyObject | null {
  const keys = known.get(secret) ?? new WeakMap<Scheme, KeyObject | null>()
  known.set(secret, keys)
  const found = keys.get(scheme)
  if (found !== undefined) return found
  const key = makeKey(scheme, secret)
  keys.set(scheme, key)
  return key
}

function makeKey(scheme: Scheme, secret: Secret): KeyObject | null {
  const bytes = keyBytes(scheme, secret.reveal())
  if (bytes === null || bytes.length === 0) return null
  if (scheme.algorithm !== 'ed25519') return createSecretKey(bytes)
  if (bytes.length !== 32) return null
  try {
    return createPublicKey({
      key: { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') },
      format: 'jwk',
    })
  } catch {
    return null
  }
}

function keyBytes(scheme: Scheme, text: string): Buffer | null {
  // A public key in place of a signing secret must not be accepted as one: everybody may know it.
  if (scheme.algorithm !== 'ed25519' && text.startsWith('whpk_')) return null
  if (scheme.algorithm === 'ed25519' && scheme.keyPrefix && !text.startsWith(scheme.keyPrefix)) return null
  const rest =
    scheme.keyPrefix && text.startsWith(scheme.keyPrefix) ? text.slice(scheme.keyPrefix.length) : text
  switch (scheme.keyEncoding) {
    case 'utf-8':
      return Buffer.from(rest, 'utf8')
    case 'hex':
      return /^([0-9a-f]{2})+$/i.test(rest) ? Buffer.from(rest, 'hex') : null
    case 'base64':
      return /^[A-Za-z0-9+/]+={0,2}$/.test(rest) ? Buffer.from(rest, 'base64') : null
    default:
      throw new Error(`Unhandled key encoding ${scheme.keyEncoding satisfies never}`)
  }
}
