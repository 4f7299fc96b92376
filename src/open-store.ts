import { join } from 'node:path'
import { sql } from 'kysely'
import type pg from 'pg'
import type { Config } from './config.ts'
import { checkCanary } from './platform/crypto/canary.ts'
import { loadKeys } from './platform/crypto/load-keys.ts'
import { createVault, type Vault } from './platform/crypto/vault.ts'
import { openDataFolder } from './platform/data-folder.ts'
import { type Database, openDatabase } from './platform/db/database.ts'
import { startEmbeddedPostgres } from './platform/db/embedded/start-embedded-postgres.ts'
import { migrate } from './platform/db/migrate.ts'
import type { Log } from './platform/log.ts'

export type Store = AsyncDisposable & { database: Database; vault: Vault; embedded: boolean }

export const migrationsFolder = join(import.meta.dirname, '../migrations')

const oldestPostgres = 15

/** Opens what everything else stands on: the database, up to date, and the vault, with the right key. */
export async function openStore(config: Config, log: Log): Promise<Store> {
  await using stack = new AsyncDisposableStack()
  const { connection, keys } = config.databaseUrl
    ? { connection: { connectionString: config.databaseUrl.reveal() }, keys: config.encryptionKeys }
    : await openEmbedded(config, log, stack)
  const database = stack.use(
    openDatabase(connection, {
      maxConnections: 12,
      onError: (error) => log.warn({ err: error }, 'database.connection_lost'),
    }),
  )
  await refuseOldPostgres(database)
  const migrated = await migrate(database.db, migrationsFolder)
  if (migrated.length > 0) log.info({ migrations: migrated }, 'database.migrated')
  const vault = createVault(keys)
  await checkCanary(database.db, vault)
  const opened = stack.move()
  return {
    database,
    vault,
    embedded: config.databaseUrl === null,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

async function openEmbedded(config: Config, log: Log, stack: AsyncDisposableStack) {
  const folder = stack.use(await openDataFolder(config.dataDir))
  const postgres = stack.use(await startEmbeddedPostgres({ folder, log }))
  const connection: pg.ClientConfig = postgres.connection
  const keys = config.encryptionKeys.length > 0 ? config.encryptionKeys : await loadKeys(folder)
  return { connection, keys }
}

async function refuseOldPostgres({ db }: Database): Promise<void> {
  const { rows } = await sql<{ version: number }>`
    select current_setting('server_version_num')::int / 10000 as version`.execute(db)
  const version = rows[0]?.version ?? 0
  if (version < oldestPostgres) {
    throw new Error(`DATABASE_URL leads to PostgreSQL ${version}. Bellhop needs ${oldestPostgres} or newer.`)
  }
}
