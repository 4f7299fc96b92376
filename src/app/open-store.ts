import { join } from 'node:path'
import { sql } from 'kysely'
import type pg from 'pg'
import { openAuditKey } from '../accounts/audit-log/audit-key.ts'
import type { Config } from '../config.ts'
import { connections } from '../platform/connections.ts'
import { checkCanary } from '../platform/crypto/canary.ts'
import { explainLostSeals, listLostSeals } from '../platform/crypto/list-lost-seals.ts'
import { loadKeys, readKeys } from '../platform/crypto/load-keys.ts'
import type { SealedColumn } from '../platform/crypto/reseal.ts'
import { createVault, type Vault } from '../platform/crypto/vault.ts'
import { checkAddress, checkServer, warnOfFewConnections } from '../platform/db/check-server.ts'
import { type Database, openDatabase } from '../platform/db/database.ts'
import { openEmbeddedPostgres } from '../platform/db/embedded/open-embedded-postgres.ts'
import { logOutages } from '../platform/db/log-outages.ts'
import { compareMigrations, listMigrations, migrate, refuseOlderDatabase } from '../platform/db/migrate.ts'
import type { Log } from '../platform/log.ts'
import type { Secret } from '../platform/secret.ts'
import { sealedColumns } from './sealed-columns.ts'

export type Store = AsyncDisposable & {
  database: Database
  /** With one line for an outage of the database. */
  log: Log
  vault: Vault
  sealedColumns: readonly SealedColumn[]
  /** The migrations this process started with: a newer version may be copied into its folder while it runs. */
  migrations: readonly string[]
  /** Where the embedded database is kept; null when the database is elsewhere. */
  databaseFolder: string | null
  /** The data folder is in use: a service runs on it at the same time. */
  isShared: boolean
}

export const migrationsFolder = join(import.meta.dirname, '../../migrations')

type Options = {
  /** Set by commands, which may use the embedded database of a running service; a second service may not. */
  beside?: boolean
}

type DatabaseAndKeys = Pick<Store, 'databaseFolder' | 'isShared'> & {
  connection: pg.ClientConfig
  keys: readonly Secret[]
}

/** Opens what everything else needs: the migrated database, and the vault with the right key. */
export async function openStore(
  config: Config,
  ownLog: Log,
  { beside = false }: Options = {},
): Promise<Store> {
  await using stack = new AsyncDisposableStack()
  const { connection, keys, ...ground } = await openDatabaseAndKeys(config, ownLog, stack, beside)
  const { log } = stack.use(logOutages(ownLog, () => sql`select 1`.execute(database.db)))
  const onError = (error: Error) => log.warn({ err: error }, 'database.connection_lost')
  const database = stack.use(
    openDatabase(connection, { maxConnections: beside ? 2 : connections.pool, onError }),
  )
  await checkServer(database)
  const few = beside ? null : await warnOfFewConnections(database)
  if (few) log.warn(few)
  const migrations = await listMigrations(migrationsFolder)
  if (beside) await refuseOlderDatabase(database.db, migrations)
  const { pending, newer } = await compareMigrations(database.db, migrations)
  // Most starts change nothing, and need no connections for that.
  const isCurrent = pending.length + newer.length === 0
  const migrated = isCurrent ? [] : await migrateWithoutTimeout(connection, onError)
  if (migrated.length > 0) log.info({ migrations: migrated }, 'database.migrated')
  const vault = createVault(keys)
  await checkCanary(database.db, vault)
  for (const lost of await listLostSeals(database.db, vault, sealedColumns))
    log.warn(lost, explainLostSeals(lost))
  const key = await openAuditKey(database.db, vault)
  const opened = stack.move()
  return {
    database: { ...database, db: database.db.withPlugin(key) },
    log,
    vault,
    sealedColumns,
    migrations,
    ...ground,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

/** Migrating a large table takes time, and replicas wait for the one that does it. */
async function migrateWithoutTimeout(
  connection: pg.ClientConfig,
  onError: (error: Error) => void,
): Promise<string[]> {
  await using database = openDatabase(connection, { maxConnections: 2, onError, silenceMs: 0 })
  return await migrate(database.db, migrationsFolder)
}

async function openDatabaseAndKeys(
  config: Config,
  log: Log,
  stack: AsyncDisposableStack,
  beside: boolean,
): Promise<DatabaseAndKeys> {
  const { databaseUrl, encryptionKeys, dataDir } = config
  if (databaseUrl) {
    const connection = { connectionString: databaseUrl.reveal() }
    checkAddress(connection.connectionString)
    return { connection, keys: encryptionKeys, databaseFolder: null, isShared: false }
  }
  const embedded = stack.use(await openEmbeddedPostgres(dataDir, log, beside))
  const { connection, cluster, folder } = embedded
  const inFolder = () => (folder ? loadKeys(folder) : readKeys(dataDir))
  const keys = encryptionKeys.length > 0 ? encryptionKeys : await inFolder()
  return { connection, keys, databaseFolder: cluster, isShared: folder === null }
}
