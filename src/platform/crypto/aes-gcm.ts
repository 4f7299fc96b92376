import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

/** nonce ‖ ciphertext ‖ tag. The nonce is a parameter only for published test vectors. */
export function encrypt(
  key: Buffer,
  plain: Buffer,
  associated: Buffer,
  nonce = randomBytes(nonceBytes),
): Buffer {
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
  cipher.setAAD(associated)
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

/** Throws if any byte was changed, including the associated data. */
export function decrypt(key: Buffer, packed: Buffer, associated: Buffer): Buffer {
  if (packed.length < nonceBytes + tagBytes) throw new Error('The ciphertext is cut short.')
  // Without authTagLength Node would accept a tag of 4 bytes.
  const decipher = createDecipheriv(algorithm, key, packed.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  })
  decipher.setAAD(associated)
  decipher.setAuthTag(packed.subarray(-tagBytes))
  return Buffer.concat([decipher.update(packed.subarray(nonceBytes, -tagBytes)), decipher.final()])
}
