import { sql } from 'kysely'
import pg from 'pg'
import { asError } from '../as-error.ts'
import { mostConnections } from '../connections.ts'
import { adviseOnFailure } from './advise-on-failure.ts'
import type { Database } from './database.ts'

type Server = { version: number; encoding: string; readOnly: string }

const oldestPostgres = 15

/** The driver reads the files that an address names (`sslrootcert`, `sslcert`, `sslkey`) before it connects. */
export function checkAddress(connectionString: string): void {
  try {
    new pg.Client({ connectionString })
  } catch (error) {
    throw new Error(`DATABASE_URL cannot be used: ${asError(error).message}`)
  }
}

/** Reports at the start, in clear words, what would otherwise fail at some later statement. */
export async function checkServer(database: Database): Promise<void> {
  const { version, encoding, readOnly } = await askServer(database)
  if (version < oldestPostgres) {
    throw new Error(`DATABASE_URL points to PostgreSQL ${version}. Bellhop needs ${oldestPostgres} or newer.`)
  }
  if (encoding !== 'UTF8') {
    throw new Error(
      `The database of DATABASE_URL uses the encoding ${encoding}, which cannot store all text. ` +
        "Create one with: create database bellhop owner bellhop encoding 'UTF8' template template0",
    )
  }
  if (readOnly === 'on') {
    throw new Error(
      'The database of DATABASE_URL is read-only: a standby, or set to be so. Bellhop needs the primary.',
    )
  }
}

type Room = { most: number; by: string }

/** Null if the server allows a process as many connections as it may open. A superuser is held by the server's own limit alone. */
export async function warnOfFewConnections({ db }: Database): Promise<string | null> {
  const { rows } = await sql<Room>`
    select most, by from (
      select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true)::int, 0) as most, 'max_connections of the server' as by
      union all select rolconnlimit, 'the connection limit of the role ' || rolname from pg_roles
        where rolname = current_user and not rolsuper
      union all select datconnlimit, 'the connection limit of the database ' || datname from pg_database
        where datname = current_database() and not (select rolsuper from pg_roles where rolname = current_user)
    ) limits
    where most between 0 and ${mostConnections - 1} order by most limit 1`.execute(db)
  const [room] = rows
  if (!room) return null
  return (
    `The database allows ${room.most} connections (${room.by}), and a process of Bellhop opens up to ${mostConnections}. Under load, work ` +
    `would wait for one, or fail. Raise it to ${mostConnections} for each process.`
  )
}

async function askServer({ db, connection }: Database): Promise<Server> {
  try {
    const { rows } = await sql<Server>`
      select current_setting('server_version_num')::int / 10000 as version, current_setting('server_encoding') as encoding,
        current_setting('transaction_read_only') as read_only`.execute(db)
    // A select without a table returns one row.
    return rows[0]!
  } catch (error) {
    if (!connection.connectionString) throw error
    throw new Error(`No connection to the database ${placeOf(connection.connectionString)}: ${whyOf(error)}`)
  }
}

/** The address that was tried, without user and password. */
function placeOf(url: string): string {
  const { host, searchParams } = new URL(url)
  return `at ${searchParams.get('host') ?? host} (DATABASE_URL)`
}

function whyOf(error: unknown): string {
  // A name with several addresses fails once for each, and the error as a whole has no message.
  if (error instanceof AggregateError) return error.errors.map(whyOf).join('; ')
  const { message } = error as Error // what is thrown here is an Error of the driver
  const advice = adviseOnFailure(error)
  return advice ? `${message}. ${advice}` : message
}
