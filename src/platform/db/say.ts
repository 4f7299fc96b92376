import {
  type DatabaseConnection,
  PostgresAdapter,
  PostgresDialect,
  type PostgresDialectConfig,
  PostgresDriver,
} from 'kysely'
import type { Db } from './database.ts'
import type { GatheredWords } from './gather-words.ts'
import type { Voice, Word } from './open-voice.ts'

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
    speakerOf(db)?.voice.say([{ channel, payload }])
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
    speakerOf(db)?.gathered.add(channel, topic, id)
    return
  }
  await db.getExecutor().provideConnection(async (connection) => {
    const mentions = unmentioned.get(connection) ?? []
    mentions.push([channel, topic, id])
    unmentioned.set(connection, mentions)
  })
}

type Speaker = { voice: Voice; gathered: GatheredWords }

function speakerOf(db: Db): Speaker | undefined {
  const { adapter } = db.getExecutor()
  return adapter instanceof SayingAdapter ? adapter.speaker : undefined
}

/** The dialect of our databases: it says after a commit what was to be said. */
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

/** Where whoever has a database finds who speaks for it. */
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
    unmentioned.delete(args[0])
    await super.beginTransaction(...args)
  }

  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    const words = unsaid.get(connection)
    const mentions = unmentioned.get(connection)
    unsaid.delete(connection)
    unmentioned.delete(connection)
    await super.commitTransaction(connection)
    const { voice, gathered } = this.#speaker
    for (const mentioned of mentions ?? []) gathered.add(...mentioned)
    if (words) voice.say(words)
  }
}
