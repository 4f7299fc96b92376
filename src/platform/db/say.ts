import {
  type DatabaseConnection,
  PostgresDialect,
  type PostgresDialectConfig,
  PostgresDriver,
  sql,
} from 'kysely'
import type pg from 'pg'
import type { Db } from './database.ts'

type Word = { channel: string; payload: string }

/** Words of transactions that are still open. */
const unsaid = new WeakMap<DatabaseConnection, Word[]>()

/**
 * Tells all processes something, once what it speaks of is committed. A NOTIFY inside a transaction would hold a lock of the
 * whole server while that transaction is flushed to disk, and all others that say something would stand in line.
 * The word is lost if we die in between: whoever listens must also look by itself now and then.
 */
export async function say(db: Db, channel: string, payload: string): Promise<void> {
  if (!db.isTransaction) {
    await sql`select pg_notify(${channel}, ${payload})`.execute(db)
    return
  }
  await db.getExecutor().provideConnection(async (connection) => {
    const words = unsaid.get(connection) ?? []
    words.push({ channel, payload })
    unsaid.set(connection, words)
  })
}

/** The dialect of our databases: it says after a commit what was to be said. */
export class SayingDialect extends PostgresDialect {
  readonly #config: PostgresDialectConfig
  readonly #pool: pg.Pool
  readonly #onError: (error: Error) => void

  constructor(pool: pg.Pool, onError: (error: Error) => void) {
    super({ pool })
    this.#config = { pool }
    this.#pool = pool
    this.#onError = onError
  }

  override createDriver(): PostgresDriver {
    return new SayingDriver(this.#config, this.#pool, this.#onError)
  }
}

class SayingDriver extends PostgresDriver {
  readonly #pool: pg.Pool
  readonly #onError: (error: Error) => void

  constructor(config: PostgresDialectConfig, pool: pg.Pool, onError: (error: Error) => void) {
    super(config)
    this.#pool = pool
    this.#onError = onError
  }

  override async beginTransaction(...args: Parameters<PostgresDriver['beginTransaction']>): Promise<void> {
    unsaid.delete(args[0])
    await super.beginTransaction(...args)
  }

  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    const words = unsaid.get(connection)
    unsaid.delete(connection)
    await super.commitTransaction(connection)
    if (!words) return
    const distinct = new Map(words.map((word) => [`${word.channel}\n${word.payload}`, word]))
      .values()
      .toArray()
    this.#pool
      .query(
        'select pg_notify(channel, payload) from unnest($1::text[], $2::text[]) as said (channel, payload)',
        [distinct.map(({ channel }) => channel), distinct.map(({ payload }) => payload)],
      )
      .catch(this.#onError)
  }
}
