import assert from 'node:assert/strict'
import { createCipheriv } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { decrypt, encrypt } from '../../src/platform/crypto/aes-gcm.ts'
import { loadKeys, newKey } from '../../src/platform/crypto/load-keys.ts'
import { reseal } from '../../src/platform/crypto/reseal.ts'
import { createVault, VaultError } from '../../src/platform/crypto/vault.ts'
import { type Db, openDatabase } from '../../src/platform/db/database.ts'
import { openDataFolder } from '../../src/platform/files/data-folder.ts'
import { Secret } from '../../src/platform/secret.ts'
import { askDuring } from '../support/ask-during.ts'
import { fc } from '../support/property.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { verifies } from '../support/verifies.ts'

const place = { table: 'connectors', row: 'con_1', column: 'auth_value' }
const hex = (text: string) => Buffer.from(text, 'hex')

/** AES-256 cases 13, 14 and 16 of the GCM specification submitted to NIST. */
const published = [
  {
    key: '00'.repeat(32),
    nonce: '00'.repeat(12),
    plain: '',
    associated: '',
    cipher: '',
    tag: '530f8afbc74536b9a963b4f1c4cb738b',
  },
  {
    key: '00'.repeat(32),
    nonce: '00'.repeat(12),
    plain: '00'.repeat(16),
    associated: '',
    cipher: 'cea7403d4d606b6e074ec5d3baf39d18',
    tag: 'd0d1c8a799996bf0265b98b5d48ab919',
  },
  {
    key: 'feffe9928665731c6d6a8f9467308308'.repeat(2),
    nonce: 'cafebabefacedbaddecaf888',
    plain:
      'd9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39',
    associated: 'feedfacedeadbeeffeedfacedeadbeefabaddad2',
    cipher:
      '522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662',
    tag: '76fc6ece0f4e1768cddf8853bb2d551b',
  },
]

verifies(
  ['vault:aes-256-gcm', 'vault:wycheproof'],
  'published vectors seal to the published bytes and open again',
  () => {
    for (const vector of published) {
      const [key, associated, plain] = [hex(vector.key), hex(vector.associated), hex(vector.plain)]
      const sealed = encrypt(key, plain, associated, hex(vector.nonce))
      assert.equal(sealed.toString('hex'), vector.nonce + vector.cipher + vector.tag)
      assert.deepEqual(decrypt(key, sealed, associated), plain)
    }
  },
)

verifies(
  'vault:wycheproof',
  'no single changed bit of nonce, ciphertext, tag or associated data is accepted',
  () => {
    for (const vector of published) {
      const [key, associated] = [hex(vector.key), hex(vector.associated)]
      const sealed = hex(vector.nonce + vector.cipher + vector.tag)
      for (let bit = 0; bit < sealed.length * 8; bit++)
        assert.throws(() => decrypt(key, flipped(sealed, bit), associated))
      for (let bit = 0; bit < associated.length * 8; bit++) {
        assert.throws(() => decrypt(key, sealed, flipped(associated, bit)))
      }
    }
  },
)

verifies(
  'vault:short-tag-refused',
  'a ciphertext whose tag was cut to 4, 8, 12 or 15 bytes does not open',
  () => {
    const key = hex('11'.repeat(32))
    const nonce = hex('22'.repeat(12))
    for (const authTagLength of [4, 8, 12, 15]) {
      const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength })
      const ciphertext = Buffer.concat([cipher.update('a secret'), cipher.final()])
      const packed = Buffer.concat([nonce, ciphertext, cipher.getAuthTag()])
      assert.throws(() => decrypt(key, packed, Buffer.alloc(0)))
    }
  },
)

verifies(
  'vault:bound-to-place',
  'a sealed value that was moved to another table, row or column does not open',
  () => {
    const vault = createVault([newKey()])
    const sealed = vault.seal(new Secret('sk-1'), place)
    assert.equal(vault.open(sealed, place).reveal(), 'sk-1')
    for (const moved of [{ table: 'webhooks' }, { row: 'con_2' }, { column: 'headers' }]) {
      assert.throws(() => vault.open(sealed, { ...place, ...moved }), VaultError)
    }
  },
)

verifies(
  'vault:canary-at-start',
  'a damaged key file stops the start, and says which file it is',
  async () => {
    await using folder = await temporaryFolder()
    await using data = await openDataFolder(folder.path)
    for (const text of ['', 'garbage\n', `${newKey().reveal()}\nhalf a key`]) {
      await writeFile(join(folder.path, 'encryption-key'), text)
      await assert.rejects(loadKeys(data), /encryption-key is damaged.*Put it back from a backup/)
    }
  },
)

verifies('vault:key-ids', 'several keys open, the first seals, and a value says which key it needs', () => {
  const [former, next] = [newKey(), newKey()]
  const before = createVault([former])
  const sealed = before.seal(new Secret('sk-1'), place)
  const after = createVault([next, former])

  assert.equal(after.open(sealed, place).reveal(), 'sk-1')
  assert.match(sealed, new RegExp(`^v1\\.${before.keyId}\\.[\\w-]+$`))
  assert.match(after.seal(new Secret('sk-1'), place), new RegExp(`^v1\\.${after.keyId}\\.`))
  assert.throws(() => createVault([next]).open(sealed, place), new RegExp(`sealed with key ${before.keyId}`))
  before.useKeys([next, former])
  assert.equal(before.keyId, after.keyId)
})

verifies(
  'vault:aes-256-gcm',
  'any text survives, and the same text never seals to the same bytes twice',
  () => {
    const vault = createVault([newKey()])
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const [one, two] = [vault.seal(new Secret(text), place), vault.seal(new Secret(text), place)]
        assert.notEqual(one, two)
        assert.equal(vault.open(one, place).reveal(), text)
      }),
    )
  },
)

function flipped(bytes: Buffer, bit: number): Buffer {
  const copy = Buffer.from(bytes)
  copy.writeUInt8(copy.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
  return copy
}

verifies(
  'cli:rotate-encryption-key',
  'a secret that somebody changes while keys are rotated is the new one afterwards, sealed with the new key',
  async () => {
    await using test = await createTestDatabase({ empty: true })
    await using database = openDatabase(
      { connectionString: test.url },
      { maxConnections: 4, onError: () => undefined },
    )
    const { db } = database
    const column = { table: 'safes', column: 'sealed' }
    const inSafe = { table: 'safes', row: 'one', column: 'sealed' }
    const [former, next] = [newKey(), newKey()]
    const [before, vault] = [createVault([former]), createVault([next, former])]
    await sql`create table safes (id text primary key, sealed text)`.execute(db)
    await sql`insert into safes values ('one', ${before.seal(new Secret('old'), inSafe)})`.execute(db)
    const change = (tx: Db) =>
      sql`update safes set sealed = ${before.seal(new Secret('changed'), inSafe)} where id = 'one'`.execute(
        tx,
      )
    assert.equal((await askDuring(db, change, () => reseal(db, vault, [column]))).count, 1)
    const { rows } = await sql<{ sealed: string }>`select sealed from safes`.execute(db)
    assert.equal(
      createVault([next])
        .open(rows[0]?.sealed ?? '', inSafe)
        .reveal(),
      'changed',
    )
  },
)
