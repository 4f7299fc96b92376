import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Db } from './database.ts'
import type { Notifications } from './notifications.ts'
import { sayInTransaction } from './say.ts'

const channel = 'bellhop_hearing'

/**
 * A pooler in transaction mode accepts every LISTEN and delivers no notification: everything would seem fine, but replicas would
 * not hear of each other's changes.
 */
export async function checkHearing(
  { db, notifications }: { db: Db; notifications: Notifications },
  withinMs = 15_000,
): Promise<void> {
  const word = randomUUID()
  const { promise: heard, resolve } = Promise.withResolvers<boolean>()
  const leave = await notifications.listen(channel, (said) => {
    if (said === word) resolve(true)
  })
  await sayInTransaction(db, channel, word)
  const isHeard = await Promise.race([heard, pause(withinMs, false, { ref: false })])
  leave()
  if (!isHeard) {
    throw new Error(
      'What one connection to the database says is not heard on another. A connection pooler between them must be in session mode; ' +
        'or let DATABASE_URL lead to PostgreSQL itself.',
    )
  }
}
