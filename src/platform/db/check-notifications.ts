import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Db } from './database.ts'
import type { Notifications } from './notifications.ts'
import { notifyInTransaction } from './notify.ts'

const channel = 'bellhop_hearing'

/**
 * A pooler in transaction mode accepts every LISTEN and delivers no notification: everything would seem fine, but replicas would
 * not learn of each other's changes.
 */
export async function checkNotifications(
  { db, notifications }: { db: Db; notifications: Notifications },
  withinMs = 15_000,
): Promise<void> {
  const token = randomUUID()
  const { promise: received, resolve } = Promise.withResolvers<boolean>()
  const leave = await notifications.listen(channel, (payload) => {
    if (payload === token) resolve(true)
  })
  await notifyInTransaction(db, channel, token)
  const isReceived = await Promise.race([received, pause(withinMs, false, { ref: false })])
  leave()
  if (!isReceived) {
    throw new Error(
      'Notifications from one connection to the database do not reach another, as behind a pooler in transaction mode. A pooler must ' +
        'be in session mode (PgBouncer: pool_mode = session); or point DATABASE_URL directly at PostgreSQL.',
    )
  }
}
