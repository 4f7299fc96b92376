import { hash, type KeyObject } from 'node:crypto'

type Algorithm = 'sha1' | 'sha256' | 'sha512'
type Pads = { inner: Uint8Array; outer: Uint8Array }

const blockBytes = { sha1: 64, sha256: 64, sha512: 128 } as const
const known = { sha1: cache(), sha256: cache(), sha512: cache() }

function cache(): WeakMap<KeyObject, Pads> {
  return new WeakMap()
}

/**
 * HMAC as RFC 2104 defines it, by two hashes: `createHmac` makes an object outside the heap for every message, which costs more
 * than the hashes themselves.
 */
export function hmac(
  algorithm: Algorithm,
  key: KeyObject,
  message: readonly Uint8Array[],
  encoding: 'hex' | 'base64' | 'base64url',
): string {
  const { inner, outer } = padsOf(algorithm, key)
  const digest = hash(algorithm, Buffer.concat([inner, ...message]), 'binary')
  return hash(algorithm, Buffer.concat([outer, Buffer.from(digest, 'binary')]), encoding)
}

function padsOf(algorithm: Algorithm, key: KeyObject): Pads {
  const found = known[algorithm].get(key)
  if (found) return found
  const size = blockBytes[algorithm]
  const bytes = key.export()
  const block = Buffer.alloc(size)
  block.set(bytes.length > size ? hash(algorithm, bytes, 'buffer') : bytes)
  const pads = { inner: block.map((byte) => byte ^ 0x36), outer: block.map((byte) => byte ^ 0x5c) }
  known[algorithm].set(key, pads)
  return pads
}
