import type { PostNotice } from '../events/inbox/report-dead-event.ts'
import { listLastRuns } from '../events/inbox/store-due-events.ts'
import type { Db } from '../platform/db/database.ts'
import type { ScheduleId } from '../shared/ids.ts'
import { findSchedule, setPaused } from './store.ts'

export type ReviewContext = { db: Db; publicUrl: string; postNotice: PostNotice }

const failuresToPause = 3

/**
 * After each run: three failures in a row pause the schedule, and the first success after a failure is told. Read from the ledger,
 * so that it may be done again at any time: notices have keys, and are posted before the pause that they announce.
 */
export async function reviewOutcomes(ctx: ReviewContext, id: ScheduleId): Promise<void> {
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
