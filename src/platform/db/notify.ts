import { sql } from 'kysely'
import type { Db } from './database.ts'
import { NotifyingAdapter, type Send, unsent } from './notifying-dialect.ts'

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
