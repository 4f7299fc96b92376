import { setTimeout as pause } from 'node:timers/promises'
import { eventOfScheduleSettled } from '../events/inbox/move-events.ts'
import { asError } from '../platform/as-error.ts'
import type { Notifications } from '../platform/db/notifications.ts'
import type { Log } from '../platform/log.ts'
import type { ScheduleId } from '../shared/ids.ts'
import { type ReviewContext, reviewOutcomes } from './review-outcomes.ts'
import type { ScheduleMetrics } from './schedule-metrics.ts'
import { startDueSchedules } from './start-due-schedules.ts'
import { readWaitMs, schedulesChanged } from './store.ts'

type Context = ReviewContext & { notifications: Notifications; log: Log; metrics: ScheduleMetrics }

/** A lost notification delays a new schedule by no more than this. */
const longestSleepMs = 30_000
/** Another process is at work on them, or the database does not answer. */
const shortestSleepMs = 100
const retryMs = 1_000

/** Sleeps until the next due time, by the database's clock, and stores its events. Any number of processes may do so: each due time becomes one event. */
export async function openClock(ctx: Context): Promise<AsyncDisposable> {
  const closing = new AbortController()
  let sleep = new AbortController()
  const wake = () => sleep.abort()
  const stops = await Promise.all([
    ctx.notifications.listen(schedulesChanged, wake),
    ctx.notifications.listen(eventOfScheduleSettled, (id) => {
      // The payload is what moveEvent sent: a schedule's id.
      reviewOutcomes(ctx, id as ScheduleId).catch(report)
    }),
  ])
  const running = run()

  function report(error: unknown): void {
    ctx.log.warn({ err: asError(error) }, 'schedules.failed')
  }

  async function run(): Promise<void> {
    while (!closing.signal.aborted) {
      sleep = new AbortController()
      let sleepMs = retryMs
      try {
        ctx.metrics.dueTimes.inc(await startDueSchedules(ctx.db))
        const waitMs = (await readWaitMs(ctx.db)) ?? longestSleepMs
        sleepMs = Math.min(Math.max(waitMs, shortestSleepMs), longestSleepMs)
      } catch (error) {
        if (!closing.signal.aborted) report(error)
      }
      const { signal } = sleep
      // Rounded up: a timer that fires early would find nothing due.
      await pause(Math.ceil(sleepMs), undefined, {
        signal: AbortSignal.any([signal, closing.signal]),
      }).catch(() => undefined)
    }
  }

  return {
    async [Symbol.asyncDispose]() {
      closing.abort()
      for (const stop of stops) stop()
      await running
    },
  }
}
