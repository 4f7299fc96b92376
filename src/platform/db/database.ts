import { Socket } from 'node:net'
import { CamelCasePlugin, Kysely, sql } from 'kysely'
import pg from 'pg'
import { causesOf } from '../causes-of.ts'
import { hasCode } from '../has-code.ts'
import { batchNotifications, openNotificationSender } from './batch-notifications.ts'
import { NotifyingDialect } from './notifying-dialect.ts'
import { isOutdated, PreparingClient } from './preparing-client.ts'
import type { SessionConfig } from './session-client.ts'

/** SQL is written out (kysely's `sql` tag); rows have camelCase keys, JSON inside them is unchanged. */
export type Db = Kysely<unknown>

export type Database = AsyncDisposable & {
  readonly db: Db
  /** For what needs the driver itself: named prepared statements, LISTEN. */
  readonly pool: pg.Pool
  readonly connection: pg.ClientConfig
}

/** Error codes of the driver and of PostgreSQL that mean "not now" rather than "wrong". */
const transientCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EMFILE',
  'ENFILE',
])

type Options = {
  maxConnections: number
  onError(error: Error): void
  /** How long a statement may wait for PostgreSQL without any data; 0 means forever, whatever limits the server has. */
  silenceMs?: number
  /**
   * A process may freeze in the middle of a transaction, or its network may be cut. After this time without a next statement
   * PostgreSQL ends it, and its locks are free for others.
   */
  abandonedMs?: number
  /** Statements are sent without waiting for the answers to those before: a transaction takes one round trip. */
  pipeline?: boolean
  /** Connections are renewed after this, since the memory that PostgreSQL keeps for each only grows. */
  lifetimeSeconds?: number
}

export function openDatabase(connection: pg.ClientConfig, options: Options): Database {
  const { silenceMs = 120_000, abandonedMs = 30_000 } = options
  const config: pg.PoolConfig & SessionConfig = {
    ...connection,
    Client: PreparingClient,
    abandonedMs: silenceMs === 0 ? null : abandonedMs,
    max: options.maxConnections,
    pipeline: options.pipeline ?? false,
    application_name: 'bellhop',
    connectionTimeoutMillis: connectTimeoutMs(connection),
    idleTimeoutMillis: 30_000,
    maxLifetimeSeconds: options.lifetimeSeconds ?? 1_800,
    keepAlive: true,
  }
  const pool = new pg.Pool(config)
  // An idle connection that fails must not end the process; the next query opens another.
  let closing = false
  const onError = (error: Error) => {
    if (!closing) options.onError(error)
  }
  pool.on('error', onError)
  // A connection in use that fails between two statements of a transaction has no other listener: its error would end the process.
  pool.on('connect', (client) => client.on('error', onError))
  closeSilentConnections(pool, silenceMs)
  leaveStandby(pool)
  const sender = openNotificationSender(pool, onError)
  const batches = batchNotifications((channel, payload) => sender.send({ channel, payload }))
  const db = new Kysely<unknown>({
    dialect: new NotifyingDialect({ pool }, { single: sender, batches }),
    plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
  })
  return {
    db,
    pool,
    connection,
    async [Symbol.asyncDispose]() {
      closing = true
      batches[Symbol.dispose]()
      await db.destroy()
    },
  }
}

/**
 * A server elsewhere that does not answer soon is unreachable. One behind a socket of this machine refuses at once or is only
 * slow, as when everything starts at the same time.
 */
export function connectTimeoutMs(connection: pg.ClientConfig): number {
  // The driver knows where an address leads, however it is written.
  return new pg.Client(connection).host.startsWith('/') ? 15_000 : 5_000
}

/**
 * If the other side disappears silently, the kernel gives up after a quarter of an hour, and the connection is blocked until
 * then. We do not wait that long.
 */
function closeSilentConnections(pool: pg.Pool, silenceMs: number): void {
  const watch = ({ connection: { stream } }: pg.PoolClient, ms: number) =>
    stream instanceof Socket ? stream.setTimeout(ms) : undefined
  pool.on('connect', ({ connection: { stream } }) => {
    stream.on('timeout', () => {
      const seconds = Math.round(silenceMs / 1000)
      const silent = new Error(`PostgreSQL did not respond for ${seconds} s; the connection was closed.`)
      stream.destroy(Object.assign(silent, { code: 'ETIMEDOUT' }))
    })
  })
  pool.on('acquire', (client) => watch(client, silenceMs))
  pool.on('release', (_error, client) => watch(client, 0))
}

/**
 * A server that became a standby keeps answering reads, so nothing would close the connection. After a refused write, the
 * connection is closed, and the next one leads to the new primary.
 */
function leaveStandby(pool: pg.Pool): void {
  const readOnly = new WeakSet<pg.ClientBase>()
  pool.on('connect', (client) =>
    client.connection.on('errorMessage', ({ code }: { code?: string }) => {
      if (code === '25006') readOnly.add(client)
    }),
  )
  pool.on('release', (_error, client) => {
    if (readOnly.has(client) && client instanceof pg.Client) void client.end()
  })
}

/**
 * SQLSTATEs, or how they begin, of failures that pass by themselves or are the server's to mend: it is down, starting, stopping or
 * full, refuses our login (28, 3D000, 55000), is read-only (25006), resolved a deadlock (40P01), or has a time limit (57014).
 */
const passing = /^(08|28|53|57P|3D000|55000|25006|40P01|57014)/

/** True if the same statement may well succeed later. */
export function isUnavailable(error: unknown): boolean {
  return causesOf(error).some((cause) => {
    const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : ''
    if (transientCodes.has(code) || passing.test(code) || isOutdated(cause)) return true
    return /connection terminated|timeout exceeded when trying to connect|not queryable/i.test(cause.message)
  })
}

/** The database's disk is full: the statement is fine, and works once there is room. */
export function isDiskFull(error: unknown): boolean {
  return causesOf(error).some((cause) => hasCode(cause, '53100'))
}

/** Writes and drops some data, to find out whether there is room. Rows of this size are not compressed. */
const someMegabytes = `
  create temporary table bellhop_room on commit drop as select repeat('x', 2000) from generate_series(1, 2000)`

/** False while the database cannot write because its disk is full, or at all. */
export async function hasRoom(db: Db): Promise<boolean> {
  try {
    await sql.raw(someMegabytes).execute(db)
    return true
  } catch (error) {
    return !isUnavailable(error)
  }
}

/** A unique value is taken. In a transaction, nothing but a rollback is possible then. */
export function isUniqueViolation(error: unknown): boolean {
  return hasCode(error, '23505')
}

/** PostgreSQL stores every character except U+0000. */
export function isUnstorable(error: unknown): boolean {
  return hasCode(error, '22021', '22P05')
}
