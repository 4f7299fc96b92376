import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import type { JobQueue } from '../../jobs.ts'
import { asError } from '../../platform/as-error.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Notifications } from '../../platform/db/notifications.ts'
import type { Log } from '../../platform/log.ts'
import { repeat } from '../../platform/repeat.ts'
import { publishChange } from '../../shared/changes.ts'
import { countWaiting } from '../ledger/events.ts'
import { dispatchNext, eventSettled, eventsWaiting } from './move-events.ts'

type Context = {
  db: Db
  queue: Pick<JobQueue, 'sendMany'>
  settings: { read(): Promise<{ limits: { activeRuns: number } }> }
  notifications: Notifications
  log: Log
  onError(error: Error): void
}

export type Dispatcher = AsyncDisposable & { wake(): void }

const sweepEveryMs = 1_000
const shortPauseMs = 5
const longPauseMs = 50
/** An arbitrary lock number that every process shares. */
const dispatchLock = 4_020_001

/**
 * Starts runs for events in the inbox. Woken by an accepted event or an ended run; a periodic sweep finds events whose wake-up
 * was lost.
 */
export async function openDispatcher(ctx: Context): Promise<Dispatcher> {
  let wanted = false
  let working: Promise<void> | null = null
  let closed = false

  async function work(): Promise<void> {
    while (wanted && !closed) {
      wanted = false
      let started = 0
      try {
        // If no place is free, the next run that ends wakes us.
        started = await dispatchEvents(ctx)
      } catch (error) {
        ctx.onError(asError(error))
      }
      // In a storm wake-ups never stop: one round covers many of them.
      if (wanted) await pause(started > 0 ? shortPauseMs : longPauseMs)
    }
    working = null
  }

  function wake(): void {
    wanted = true
    if (!closed) working ??= work()
  }

  const stops = await Promise.all([
    ctx.notifications.listen(eventsWaiting, wake),
    ctx.notifications.listen(eventSettled, wake),
  ])
  const sweep = repeat('events.sweep', sweepEveryMs, ctx.log, async () => {
    if ((await countWaiting(ctx.db, 1)) > 0) wake()
  })
  return {
    wake,
    async [Symbol.asyncDispose]() {
      closed = true
      await sweep[Symbol.asyncDispose]()
      for (const stop of stops) stop()
      await working
    },
  }
}

/** One round of dispatch, fair to all webhooks and schedules: a storm on one delays no other. */
export async function dispatchEvents({
  db,
  queue,
  settings,
}: Pick<Context, 'db' | 'queue' | 'settings'>): Promise<number> {
  const { limits } = await settings.read()
  return await db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${dispatchLock})`.execute(tx)
    const started = await dispatchNext(tx, limits.activeRuns)
    await queue.sendMany(
      tx,
      'run.start',
      started.map(({ id, runId, sourceId }) => ({ payload: { runId, eventId: id, sourceId } })),
    )
    if (started.length > 0) await publishChange(tx, 'events')
    return started.length
  })
}
