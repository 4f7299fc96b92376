import {
  type DatabaseConnection,
  PostgresAdapter,
  PostgresDialect,
  type PostgresDialectConfig,
  PostgresDriver,
  sql,
} from 'kysely'
import type { NotificationBatches } from './batch-notifications.ts'
import type { Db } from './database.ts'
import type { NotificationSender } from './open-notification-sender.ts'

type Senders = { single: NotificationSender; batches: NotificationBatches }
type Send = (senders: Senders) => void

/** Notifications of transactions that are still open. */
const unsent = new WeakMap<DatabaseConnection, Send[]>()

/**
 * Notifies all processes once the current transaction is committed. A NOTIFY inside a transaction would hold a server-wide lock
 * while it is flushed to disk, and all other notifying transactions would wait. The notification is lost if we die in between, so
 * listeners must also look by themselves now and then.
 */
export function notify(db: Db, channel: string, payload: string): Promise<void> {
  return sendOnceCommitted(db, ({ single }) => single.send({ channel, payload }))
}

/** Like `notify`, but never lost: for rare notifications that nobody looks for otherwise. */
export async function notifyInTransaction(tx: Db, channel: string, payload: string): Promise<void> {
  await sql`select pg_notify(${channel}, ${payload})`.execute(tx)
}

/** Like `notify`, for frequent changes that are sent together: `topic` changed, and `id` if it is one thing. */
export function notifyChange(db: Db, channel: string, topic: string, id: string | null): Promise<void> {
  return sendOnceCommitted(db, ({ batches }) => batches.add(channel, topic, id))
}

async function sendOnceCommitted(db: Db, send: Send): Promise<void> {
  const executor = db.getExecutor()
  if (!db.isTransaction) {
    if (executor.adapter instanceof NotifyingAdapter) send(executor.adapter.senders)
    return
  }
  await executor.provideConnection(async (connection) => {
    const sends = unsent.get(connection) ?? []
    sends.push(send)
    unsent.set(connection, sends)
  })
}

/** The dialect of our databases, which sends notifications after a commit. */
export class NotifyingDialect extends PostgresDialect {
  readonly #config: PostgresDialectConfig
  readonly #senders: Senders

  constructor(config: PostgresDialectConfig, senders: Senders) {
    super(config)
    this.#config = config
    this.#senders = senders
  }

  override createDriver(): PostgresDriver {
    return new NotifyingDriver(this.#config, this.#senders)
  }

  override createAdapter(): PostgresAdapter {
    return new NotifyingAdapter(this.#senders)
  }
}

/** Makes a database's senders reachable from its `Db`. */
class NotifyingAdapter extends PostgresAdapter {
  readonly senders: Senders

  constructor(senders: Senders) {
    super()
    this.senders = senders
  }
}

class NotifyingDriver extends PostgresDriver {
  readonly #senders: Senders

  constructor(config: PostgresDialectConfig, senders: Senders) {
    super(config)
    this.#senders = senders
  }

  override async beginTransaction(...args: Parameters<PostgresDriver['beginTransaction']>): Promise<void> {
    unsent.delete(args[0])
    await super.beginTransaction(...args)
  }

  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    const sends = unsent.get(connection) ?? []
    unsent.delete(connection)
    await super.commitTransaction(connection)
    for (const send of sends) send(this.#senders)
  }
}
