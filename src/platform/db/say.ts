import {
  type DatabaseConnection,
  PostgresAdapter,
  PostgresDialect,
  type PostgresDialectConfig,
  PostgresDriver,
  sql,
} from 'kysely'
import type { Db } from './database.ts'
import type { GatheredWords } from './gather-words.ts'
import type { Voice } from './open-voice.ts'

type Speaker = { voice: Voice; gathered: GatheredWords }
type Speech = (speaker: Speaker) => void

/** Notifications of transactions that are still open. */
const unsaid = new WeakMap<DatabaseConnection, Speech[]>()

/**
 * Notifies all processes once the current transaction is committed. A NOTIFY inside a transaction would hold a server-wide lock
 * while it is flushed to disk, and all other notifying transactions would wait. The notification is lost if we die in between, so
 * listeners must also look by themselves now and then.
 */
export function say(db: Db, channel: string, payload: string): Promise<void> {
  return speakOnceCommitted(db, ({ voice }) => voice.say({ channel, payload }))
}

/** Like `say`, but never lost: for rare notifications that nobody looks for otherwise. */
export async function sayInTransaction(tx: Db, channel: string, payload: string): Promise<void> {
  await sql`select pg_notify(${channel}, ${payload})`.execute(tx)
}

/** Like `say`, for frequent changes that are sent together: `topic` changed, and `id` if it is one thing. */
export function mention(db: Db, channel: string, topic: string, id: string | null): Promise<void> {
  return speakOnceCommitted(db, ({ gathered }) => gathered.add(channel, topic, id))
}

async function speakOnceCommitted(db: Db, speech: Speech): Promise<void> {
  const executor = db.getExecutor()
  if (!db.isTransaction) {
    if (executor.adapter instanceof SayingAdapter) speech(executor.adapter.speaker)
    return
  }
  await executor.provideConnection(async (connection) => {
    const speeches = unsaid.get(connection) ?? []
    speeches.push(speech)
    unsaid.set(connection, speeches)
  })
}

/** The dialect of our databases, which sends notifications after a commit. */
export class SayingDialect extends PostgresDialect {
  readonly #config: PostgresDialectConfig
  readonly #speaker: Speaker

  constructor(config: PostgresDialectConfig, speaker: Speaker) {
    super(config)
    this.#config = config
    this.#speaker = speaker
  }

  override createDriver(): PostgresDriver {
    return new SayingDriver(this.#config, this.#speaker)
  }

  override createAdapter(): PostgresAdapter {
    return new SayingAdapter(this.#speaker)
  }
}

/** Makes a database's speaker reachable from its `Db`. */
class SayingAdapter extends PostgresAdapter {
  readonly speaker: Speaker

  constructor(speaker: Speaker) {
    super()
    this.speaker = speaker
  }
}

class SayingDriver extends PostgresDriver {
  readonly #speaker: Speaker

  constructor(config: PostgresDialectConfig, speaker: Speaker) {
    super(config)
    this.#speaker = speaker
  }

  override async beginTransaction(...args: Parameters<PostgresDriver['beginTransaction']>): Promise<void> {
    unsaid.delete(args[0])
    await super.beginTransaction(...args)
  }

  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    const speeches = unsaid.get(connection) ?? []
    unsaid.delete(connection)
    await super.commitTransaction(connection)
    for (const speech of speeches) speech(this.#speaker)
  }
}
