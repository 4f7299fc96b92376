import { setTimeout as pause } from 'node:timers/promises'
import { eventOfScheduleSettled } from '../events/inbox/move-events.ts'
import type { PostNotice } from '../events/inbox/report-dead-event.ts'
import { listLastRuns } from '../events/inbox/store-due-events.ts'
import { asError } from '../platform/as-error.ts'
import type { Db } from '../platform/db/database.ts'
import type { Notifications } from '../platform/db/notifications.ts'
import type { Log } from '../platform/log.ts'
import type { ScheduleId } from '../shared/ids.ts'
import type { ScheduleMetrics } from './schedule-metrics.ts'
import { startDueSchedules } from './start-due-schedules.ts'
import { findSchedule, readWaitMs, schedulesChanged, setPaused } from './store.ts'

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

type ReviewContext = { db: Db; publicUrl: string; postNotice: PostNotice }

const failuresToPause = 3

/**
 * After each run: three failures in a row pause the schedule, and the first success after a failure is told. Read from the ledger,
 * so that it may be done again at any time: notices have keys, and are posted before the pause that they announce.
 */
async function reviewOutcomes(ctx: ReviewContext, id: ScheduleId): Promise<void> {
  const schedule = await findSchedule(ctx.db, id)
  if (!schedule) return
  const { name, channelId, pausedAt, resumedAt } = schedule
  const runs = await listLastRuns(ctx.db, id, failuresToPause)
  const [last, before] = runs
  if (last?.failed === false) {
    if (before?.failed)
      await ctx.postNotice(channelId, `✅ The schedule “${name}” works again.`, `recovered ${last.eventId}`)
    return
  }
  const failures = runs.filter(({ failed, settledAt }) => failed && settledAt > resumedAt)
  if (!last || pausedAt || failures.length < failuresToPause) return
  const reason = `its last ${failuresToPause} runs failed.`
  await ctx.postNotice(
    channelId,
    `⏸️ The schedule “${name}” is paused: ${reason} Look at the runs, then resume it: ${ctx.publicUrl}/schedules/${id}`,
    `failing ${last.eventId}`,
  )
  await setPaused(ctx.db, id, reason)
}
