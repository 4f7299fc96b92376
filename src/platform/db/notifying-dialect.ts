import {
  type DatabaseConnection,
  PostgresAdapter,
  PostgresDialect,
  type PostgresDialectConfig,
  PostgresDriver,
} from 'kysely'
import type { NotificationBatches, NotificationSender } from './batch-notifications.ts'

type Senders = { single: NotificationSender; batches: NotificationBatches }
export type Send = (senders: Senders) => void

/** Notifications of transactions that are still open. */
export const unsent = new WeakMap<DatabaseConnection, Send[]>()

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
export class NotifyingAdapter extends PostgresAdapter {
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
