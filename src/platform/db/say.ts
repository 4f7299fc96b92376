import {
  type DatabaseConnection,
  PostgresAdapter,
  PostgresDialect,
  type PostgresDialectConfig,
  PostgresDriver,
  sql,
} from 'kysely'
import type pg from 'pg'
import type { Db } from './database.ts'
import type { GatheredWords } from './gather-words.ts'

type Word = { channel: string; payload: string }
type Mention = Parameters<GatheredWords['add']>

/** Words of transactions that are still open. */
const unsaid = new WeakMap<DatabaseConnection, Word[]>()
const unmentioned = new WeakMap<DatabaseConnection, Mention[]>()

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

/** Like `say`, for what happens often and is said together with others: `topic` changed, `id` if it is one thing. */
export async function mention(db: Db, channel: string, topic: string, id: string | null): Promise<void> {
  if (!db.isTransaction) {
    const { adapter } = db.getExecutor()
    if (adapter instanceof SayingAdapter) adapter.gathered.add(channel, topic, id)
    return
  }
  await db.getExecutor().provideConnection(async (connection) => {
    const mentions = unmentioned.get(connection) ?? []
    mentions.push([channel, topic, id])
    unmentioned.set(connection, mentions)
  })
}

type Voice = { pool: pg.Pool; gathered: GatheredWords; onError: (error: Error) => void }

/** The dialect of our databases: it says after a commit what was to be said. */
export class SayingDialect extends PostgresDialect {
  readonly #config: PostgresDialectConfig
  readonly #voice: Voice

  constructor(voice: Voice) {
    super({ pool: voice.pool })
    this.#config = { pool: voice.pool }
    this.#voice = voice
  }

  override createDriver(): PostgresDriver {
    return new SayingDriver(this.#config, this.#voice)
  }

  override createAdapter(): PostgresAdapter {
    return new SayingAdapter(this.#voice.gathered)
  }
}

/** Where `mention` finds what its database gathers. */
class SayingAdapter extends PostgresAdapter {
  readonly gathered: GatheredWords

  constructor(gathered: GatheredWords) {
    super()
    this.gathered = gathered
  }
}

class SayingDriver extends PostgresDriver {
  readonly #voice: Voice

  constructor(config: PostgresDialectConfig, voice: Voice) {
    super(config)
    this.#voice = voice
  }

  override async beginTransaction(...args: Parameters<PostgresDriver['beginTransaction']>): Promise<void> {
    unsaid.delete(args[0])
    unmentioned.delete(args[0])
    await super.beginTransaction(...args)
  }

  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    const words = unsaid.get(connection)
    const mentions = unmentioned.get(connection)
    unsaid.delete(connection)
    unmentioned.delete(connection)
    await super.commitTransaction(connection)
    const { pool, gathered, onError } = this.#voice
    for (const mentioned of mentions ?? []) gathered.add(...mentioned)
    if (!words) return
    const distinct = new Map(words.map((word) => [`${word.channel}\n${word.payload}`, word]))
      .values()
      .toArray()
    pool
      .query(
        'select pg_notify(channel, payload) from unnest($1::text[], $2::text[]) as said (channel, payload)',
        [distinct.map(({ channel }) => channel), distinct.map(({ payload }) => payload)],
      )
      .catch(onError)
  }
}
