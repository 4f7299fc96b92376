import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import type { Db } from './database.ts'

class MigrationError extends Error {}

/** Brings the schema up to date. The Migrator takes a lock, so replicas may start together. */
export async function migrate(db: Db, folder: string): Promise<string[]> {
  const known = await readMigrations(folder)
  await refuseNewerDatabase(db, Object.keys(known))
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => known },
    migrationTableName: 'schema_migrations',
    migrationLockTableName: 'schema_migrations_lock',
    // A change that was begun first may be finished second. A database that has its successor gets it late, rather than never.
    allowUnorderedMigrations: true,
  })
  const { error, results = [] } = await migrator.migrateToLatest()
  const failed = results.find((result) => result.status === 'Error')
  if (error) {
    throw new MigrationError(
      `Migration ${failed?.migrationName ?? ''} failed; the database is as it was before.`,
      {
        cause: error,
      },
    )
  }
  return results.map((result) => result.migrationName)
}

/** What is known to the code and not yet in the database, without touching either. */
export async function pendingMigrations(db: Db, folder: string): Promise<string[]> {
  const done = new Set(await executedMigrations(db))
  return Object.keys(await readMigrations(folder)).filter((name) => !done.has(name))
}

async function readMigrations(folder: string): Promise<Record<string, Migration>> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort()
  const migrations = await Promise.all(
    files.map(async (file): Promise<[string, Migration]> => {
      const text = await readFile(join(folder, file), 'utf8')
      return [file.replace(/\.sql$/, ''), { up: async (db) => void (await sql.raw(text).execute(db)) }]
    }),
  )
  return Object.fromEntries(migrations)
}

async function refuseNewerDatabase(db: Db, known: string[]): Promise<void> {
  const unknown = (await executedMigrations(db)).filter((name) => !known.includes(name))
  if (unknown.length === 0) return
  throw new MigrationError(
    `The database is newer than this version of Bellhop: it has ${unknown.join(', ')}. ` +
      'Start the newer version again, or restore a backup made before the upgrade.',
  )
}

async function executedMigrations(db: Db): Promise<string[]> {
  const { rows: tables } = await sql<{ found: boolean }>`
    select to_regclass('schema_migrations') is not null as found`.execute(db)
  if (!tables[0]?.found) return []
  const { rows } = await sql<{ name: string }>`select name from schema_migrations order by name`.execute(db)
  return rows.map((row) => row.name)
}
