import { createHash } from 'node:crypto'
import { Secret } from '../secret.ts'
import { decrypt, encrypt } from './aes-gcm.ts'

/** Where a sealed value is stored. It is bound into the ciphertext, so a value moved to another row does not open. */
export type Place = { table: string; row: string; column: string }

export type Vault = {
  /** The id of the key that seals now; rotation is complete when no row has another one. */
  readonly keyId: string
  /** The ids of all keys that open. */
  readonly keyIds: readonly string[]
  seal(secret: Secret, place: Place): string
  open(sealed: string, place: Place): Secret
  /** Null if it was sealed with a key that is gone: somebody must enter the secret again. */
  openIfKeyIsKnown(sealed: string, place: Place): Secret | null
  /** After a rotation: seals with the first of these from now on, and opens with all. */
  useKeys(keys: readonly Secret[]): void
}

export class VaultError extends Error {}

const version = 'v1'

type Key = { id: string; bytes: Buffer }

/** AES-256-GCM. The first key seals, all keys open. */
export function createVault(keys: readonly Secret[]): Vault {
  let { ring, current } = readRing(keys)
  const vault: Vault = {
    get keyId() {
      return current.id
    },
    get keyIds() {
      return ring.map(({ id }) => id)
    },
    useKeys(changed) {
      ;({ ring, current } = readRing(changed))
    },
    seal(secret, place) {
      const packed = encrypt(
        current.bytes,
        Buffer.from(secret.reveal(), 'utf8'),
        associatedData(place, current.id),
      )
      return `${version}.${current.id}.${packed.toString('base64url')}`
    },
    open(sealed, place) {
      const [sealedVersion, keyId, packed, ...more] = sealed.split('.')
      if (sealedVersion !== version || !keyId || !packed || more.length > 0) {
        throw new VaultError(`${describe(place)} is not a sealed value of this version.`)
      }
      const key = ring.find((candidate) => candidate.id === keyId)
      if (!key) {
        throw new VaultError(`${describe(place)} was sealed with key ${keyId}, which is not configured.`)
      }
      try {
        const plain = decrypt(key.bytes, Buffer.from(packed, 'base64url'), associatedData(place, key.id))
        return new Secret(plain.toString('utf8'))
      } catch (cause) {
        throw new VaultError(`${describe(place)} does not open: it was altered or moved.`, { cause })
      }
    },
    openIfKeyIsKnown(sealed, place) {
      return vault.keyIds.includes(keyIdOf(sealed)) ? vault.open(sealed, place) : null
    },
  }
  return vault
}

function keyIdOf(sealed: string): string {
  return sealed.split('.')[1] ?? ''
}

function readRing(keys: readonly Secret[]): { ring: Key[]; current: Key } {
  const ring = keys.map(readKey)
  const [current] = ring
  if (!current) throw new VaultError('The vault needs at least one key.')
  return { ring, current }
}

/** The id is a fingerprint, so a key has the same id on every replica. */
function readKey(key: Secret): Key {
  const bytes = Buffer.from(key.reveal(), 'base64')
  if (bytes.length !== 32) throw new VaultError('An encryption key must be 32 bytes in base64.')
  return { id: createHash('sha256').update('bellhop key id').update(bytes).digest('hex').slice(0, 12), bytes }
}

function associatedData(place: Place, keyId: string): Buffer {
  return Buffer.from(JSON.stringify([version, keyId, place.table, place.row, place.column]))
}

function describe(place: Place): string {
  return `${place.table}.${place.column} of ${place.row}`
}
