import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import type { Db } from './database.ts'

class MigrationError extends Error {}

/** Brings the schema up to date. The Migrator takes a lock, so replicas may start together. */
export async function migrate(db: Db, folder: string): Promise<string[]> {
  const known = await listMigrations(folder)
  const { pending, newer } = await compareMigrations(db, known)
  if (newer.length > 0) throw isNewer(newer)
  // Most starts end here: the Migrator would first read the whole catalogue.
  if (pending.length === 0) return []
  const migrations = Object.fromEntries(known.map((name) => [name, readMigration(folder, name)]))
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => migrations },
    migrationTableName: 'schema_migrations',
    migrationLockTableName: 'schema_migrations_lock',
  })
  const { error, results = [] } = await migrator.migrateToLatest()
  const failed = results.find((result) => result.status === 'Error')
  if (error) {
    throw new MigrationError(
      `${failed ? `Migration ${failed.migrationName}` : 'Preparing the migrations'} failed; the database is as it was before.`,
      {
        cause: error,
      },
    )
  }
  return results.map((result) => result.migrationName)
}

/** Which migrations the database lacks, and which a newer version has applied; changes nothing. */
export async function compareMigrations(
  db: Db,
  known: readonly string[],
): Promise<{ pending: string[]; newer: string[] }> {
  const done = await executedMigrations(db)
  return {
    pending: known.filter((name) => !done.includes(name)),
    newer: done.filter((name) => !known.includes(name)),
  }
}

export async function listMigrations(folder: string): Promise<string[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql'))
  return files.map((file) => file.replace(/\.sql$/, '')).sort()
}

/** Its text is read only when it is applied, which for most migrations is never again. */
function readMigration(folder: string, name: string): Migration {
  return {
    async up(db) {
      await sql.raw(await readFile(join(folder, `${name}.sql`), 'utf8')).execute(db)
    },
  }
}

function isNewer(newer: readonly string[]): MigrationError {
  return new MigrationError(
    `The database is newer than this version of Bellhop: it has ${newer.join(', ')}. ` +
      'Start the newer version again, or restore a backup made before the upgrade.',
  )
}

/** For commands: a service of the former version may be using the database, and a backup comes before an upgrade. */
export async function refuseOlderDatabase(db: Db, known: readonly string[]): Promise<void> {
  const { pending } = await compareMigrations(db, known)
  const isEmpty = pending.length === known.length
  if (pending.length === 0 || isEmpty) return
  throw new MigrationError(
    `The database is older than this version of Bellhop: it lacks ${pending.join(', ')}. ` +
      'Back it up, then start this version, which brings it up to date.',
  )
}

async function executedMigrations(db: Db): Promise<string[]> {
  const { rows: tables } = await sql<{ found: boolean }>`
    select to_regclass('schema_migrations') is not null as found`.execute(db)
  if (!tables[0]?.found) return []
  const { rows } = await sql<{ name: string }>`select name from schema_migrations order by name`.execute(db)
  return rows.map((row) => row.name)
}
