import { createHmac, type KeyObject } from 'node:crypto'
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
  const hmac = createHmac(hashes[algorithm], key)
  for (const part of content) hmac.update(part)
  return encoding === 'hex-upper' ? hmac.digest('hex').toUpperCase() : hmac.digest(encoding)
}
