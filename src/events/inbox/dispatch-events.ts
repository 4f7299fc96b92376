import { setTimeout as pause } from 'node:timers/promises'
import type { JobQueue } from '../../jobs.ts'
import { asError } from '../../platform/as-error.ts'
import type { Conditions } from '../../platform/conditions/open-conditions.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Notifications } from '../../platform/db/notifications.ts'
import type { Log } from '../../platform/log.ts'
import { repeat } from '../../platform/repeat.ts'
import { publishChange } from '../../shared/changes.ts'
import { countWaiting } from '../ledger/events.ts'
import { judgeWaiting } from '../rules/judge-waiting.ts'
import type { EventMetrics } from './event-metrics.ts'
import { dispatchNext, eventSettled, eventsWaiting, type HeldModels, lockDispatch } from './move-events.ts'

type Context = {
  db: Db
  queue: Pick<JobQueue, 'sendMany'>
  settings: { read(): Promise<{ limits: { activeRuns: number } }> }
  /** Events that need a model that does not answer wait. In the slice runs. */
  outages: { held(): Promise<HeldModels> }
  conditions: Conditions
  metrics: Pick<EventMetrics, 'eventsByRule'>
  notifications: Notifications
  log: Log
  onError(error: Error): void
}

export type Dispatcher = AsyncDisposable & { wake(): void }

const sweepEveryMs = 1_000
const shortPauseMs = 5
const longPauseMs = 50
/**
 * Starts runs for events in the inbox. Woken by an accepted event or an ended run; a periodic sweep finds events whose wake-up
 * was lost.
 */
export async function openDispatcher(ctx: Context): Promise<Dispatcher> {
  // If no place is free, the next run that ends wakes us.
  const dispatching = openRounds(() => dispatchEvents(ctx), ctx.onError)
  // On its own, so that slow conditions of one webhook delay no other's events.
  const judging = openRounds(async () => {
    const judged = await judgeWaiting(ctx)
    if (judged > 0) wake()
    return judged
  }, ctx.onError)

  function wake(): void {
    dispatching.wake()
    judging.wake()
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
      const working = [dispatching.close(), judging.close()]
      await sweep[Symbol.asyncDispose]()
      for (const stop of stops) stop()
      await Promise.all(working)
    },
  }
}

type Rounds = { wake(): void; close(): Promise<void> }

/** One round after the other, as long as somebody wakes it. */
function openRounds(round: () => Promise<number>, onError: (error: Error) => void): Rounds {
  let wanted = false
  let working: Promise<void> | null = null
  let closed = false

  async function work(): Promise<void> {
    while (wanted && !closed) {
      wanted = false
      let started = 0
      try {
        started = await round()
      } catch (error) {
        onError(asError(error))
      }
      // In a storm wake-ups never stop: one round covers many of them.
      if (wanted) await pause(started > 0 ? shortPauseMs : longPauseMs)
    }
    working = null
  }

  return {
    wake() {
      wanted = true
      if (!closed) working ??= work()
    },
    async close() {
      closed = true
      await working
    },
  }
}

/** One round of dispatch, fair to all webhooks and schedules: a storm on one delays no other. */
export async function dispatchEvents({
  db,
  queue,
  settings,
  outages,
}: Pick<Context, 'db' | 'queue' | 'settings' | 'outages'>): Promise<number> {
  const [{ limits }, held] = await Promise.all([settings.read(), outages.held()])
  return await db.transaction().execute(async (tx) => {
    await lockDispatch(tx)
    const started = await dispatchNext(tx, limits.activeRuns, held)
    const isRun = ({ then }: (typeof started)[number]) => then === 'run'
    await queue.sendMany(
      tx,
      'run.start',
      started.filter(isRun).map(({ id, runId, sourceId }) => ({ payload: { runId, eventId: id, sourceId } })),
    )
    const others = started.filter((one) => !isRun(one)).map(({ id }) => ({ payload: { eventId: id } }))
    if (others.length > 0) await queue.sendMany(tx, 'event.notify', others)
    if (started.length > 0) await publishChange(tx, 'events')
    return started.length
  })
}
