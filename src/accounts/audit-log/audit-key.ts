import { createHmac, randomBytes } from 'node:crypto'
import type { KyselyPlugin, PluginTransformQueryArgs, PluginTransformResultArgs } from 'kysely'
import { sql } from 'kysely'
import type { Vault } from '../../platform/crypto/vault.ts'
import type { Db } from '../../platform/db/database.ts'
import { Secret } from '../../platform/secret.ts'

/** Where a chain ends, and where it begins after the oldest entries were deleted for their age. */
export type ChainEnds = { position: number; hash: string; prunedPosition: number; prunedHash: string }

/**
 * The key with which entries of the audit log are written. The handle of the database carries it into every transaction, so that an
 * entry is proved in the transaction of what it tells, wherever that is.
 */
export class AuditKey implements KyselyPlugin {
  readonly id: string
  readonly #key: Buffer

  constructor(id: string, key: Buffer) {
    this.id = id
    this.#key = key
  }

  /** `parts` begin with what is proved, so that no proof passes for another kind. */
  mac(...parts: [kind: 'entry' | 'link' | 'ends', ...rest: (string | number | null)[]]): string {
    return createHmac('sha256', this.#key).update(JSON.stringify(parts)).digest('base64url')
  }

  macOfEnds({ position, hash, prunedPosition, prunedHash }: ChainEnds): string {
    return this.mac('ends', position, hash, prunedPosition, prunedHash)
  }

  transformQuery({ node }: PluginTransformQueryArgs) {
    return node
  }

  async transformResult({ result }: PluginTransformResultArgs) {
    return result
  }
}

export function auditKeyOf(db: Db): AuditKey {
  const key = db.getExecutor().plugins.find((plugin) => plugin instanceof AuditKey)
  if (!key) throw new Error('This handle of the database has no key of the audit log.')
  return key
}

const nothing: ChainEnds = { position: 0, hash: '', prunedPosition: 0, prunedHash: '' }

/** The newest key that opens. If the encryption key was lost, a new chain begins beside the old one. */
export async function openAuditKey(db: Db, vault: Vault): Promise<AuditKey> {
  return await db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtext('accounts.audit-key'))`.execute(tx)
    const { rows } = await sql<{ id: string; sealed: string }>`
      select id, sealed from audit_keys order by created_at desc, id`.execute(tx)
    for (const { id, sealed } of rows) {
      const opened = vault.openIfKeyIsKnown(sealed, sealedPlace(id))
      if (opened) return new AuditKey(id, Buffer.from(opened.reveal(), 'base64'))
    }
    const id = randomBytes(6).toString('hex')
    const secret = new Secret(randomBytes(32).toString('base64'))
    const key = new AuditKey(id, Buffer.from(secret.reveal(), 'base64'))
    await sql`
      insert into audit_keys (id, sealed, mac)
      values (${id}, ${vault.seal(secret, sealedPlace(id))}, ${key.macOfEnds(nothing)})`.execute(tx)
    return key
  })
}

const sealedPlace = (row: string) => ({ table: 'audit_keys', row, column: 'sealed' })
