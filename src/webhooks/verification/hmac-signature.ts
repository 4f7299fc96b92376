import type { KeyObject } from 'node:crypto'
import { hmac } from '../../platform/crypto/hmac.ts'
import type { Scheme } from './scheme.ts'

type HmacAlgorithm = Exclude<Scheme['algorithm'], 'ed25519' | 'equality'>

const hashes = { 'hmac-sha1': 'sha1', 'hmac-sha256': 'sha256', 'hmac-sha512': 'sha512' } as const

/** As the sender writes it, without a prefix. */
export function hmacSignature(
  algorithm: HmacAlgorithm,
  encoding: Scheme['encoding'],
  key: KeyObject,
  content: readonly Uint8Array[],
): string {
  if (encoding !== 'hex-upper') return hmac(hashes[algorithm], key, content, encoding)
  return hmac(hashes[algorithm], key, content, 'hex').toUpperCase()
}
