import { sql } from 'kysely'
import { countSeals } from '../platform/crypto/count-seals.ts'
import type { SealedColumn } from '../platform/crypto/reseal.ts'
import type { Vault } from '../platform/crypto/vault.ts'
import type { Db } from '../platform/db/database.ts'
import { freeBytes } from '../platform/files/free-bytes.ts'
import type { Secret } from '../platform/secret.ts'
import type { About } from './contract.ts'
import { listReplicas, type Replica } from './replicas.ts'

export type AboutContext = {
  db: Db
  vault: Vault
  store: { sealedColumns: readonly SealedColumn[]; databaseFolder: string | null }
  replica: Replica
  config: { databaseUrl: Secret | null }
}

/** Facts about the installation that an operator needs when looking for a cause. */
export async function readAbout(ctx: AboutContext): Promise<About> {
  const [database, replicas, seals, free] = await Promise.all([
    readDatabase(ctx.db),
    listReplicas(ctx.db),
    countSeals(ctx.db, ctx.store.sealedColumns),
    ctx.store.databaseFolder === null ? null : freeBytes(ctx.store.databaseFolder),
  ])
  const { keyId } = ctx.vault
  const older = seals.filter((seal) => seal.keyId !== keyId)
  return {
    version: ctx.replica.version,
    node: process.version,
    database: { kind: ctx.config.databaseUrl ? 'external' : 'embedded', ...database },
    replicas: replicas.map(({ startedAt, seenAt, ...replica }) => ({
      ...replica,
      startedAt: startedAt.toISOString(),
      seenAt: seenAt.toISOString(),
      self: replica.id === ctx.replica.id,
    })),
    encryption: { keyId, sealedByOtherKeys: older.reduce((sum, { count }) => sum + count, 0) },
    dataFolder: free === null ? null : { freeBytes: free },
  }
}

type DatabaseFacts = { version: string; sizeBytes: number; migrations: number }

async function readDatabase(db: Db): Promise<DatabaseFacts> {
  const { rows } = await sql<DatabaseFacts>`
    select current_setting('server_version') as version, pg_database_size(current_database())::float8 as size_bytes,
      (select count(*)::int from schema_migrations) as migrations`.execute(db)
  // A select without a from returns exactly one row.
  return rows[0] as DatabaseFacts
}
