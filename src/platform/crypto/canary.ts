import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { Secret } from '../secret.ts'
import { type Vault, VaultError } from './vault.ts'

const place = { table: 'vault_canary', row: 'canary', column: 'sealed' }
const plaintext = new Secret('the bell rings')

/** A wrong key must stop the start, not the first call: one sealed value is opened before anything else. */
export async function checkCanary(db: Db, vault: Vault): Promise<void> {
  await sql`
    insert into vault_canary (id, sealed) values ('canary', ${vault.seal(plaintext, place)})
    on conflict (id) do nothing`.execute(db)
  const { rows } = await sql<{ sealed: string }>`select sealed from vault_canary where id = 'canary'`.execute(
    db,
  )
  const sealed = rows[0]?.sealed ?? ''
  try {
    vault.open(sealed, place)
  } catch (cause) {
    throw new VaultError(
      `The encryption key does not match this database: its secrets were sealed with key ${sealed.split('.')[1]}, ` +
        `and ${vault.keyId} is configured. Put the former key back (ENCRYPTION_KEY, or the file encryption-key in the ` +
        'data folder). To change keys, give both as ENCRYPTION_KEY=<new>,<former> and run: npm run bellhop -- rotate-encryption-key',
      { cause },
    )
  }
}
