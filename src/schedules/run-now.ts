import { storeDueEvents } from '../events/inbox/store-due-events.ts'
import { readTime } from '../platform/db/read-time.ts'
import type { Caller } from '../shared/actor.ts'
import { type EventId, type RunId, runOf, type ScheduleId } from '../shared/ids.ts'
import { getSchedule } from './check-schedule.ts'
import type { ScheduleContext } from './create-schedule.ts'

/** Runs a schedule now, also while it is inactive. If it is paused or its last run is at work, the event waits. */
export async function runNow(
  ctx: Pick<ScheduleContext, 'db' | 'audit'>,
  caller: Caller,
  scheduleId: ScheduleId,
): Promise<{ eventId: EventId; runId: RunId }> {
  return await ctx.db.transaction().execute(async (tx) => {
    // Two requests at the same moment have different times: one waits for the other.
    const { name } = await getSchedule(tx, scheduleId, { lock: true })
    const now = await readTime(tx)
    const due = { scheduleId, name, why: null, dueAt: now, status: 'accepted' as const, note: null }
    const [eventId] = await storeDueEvents(tx, [due], now)
    if (!eventId) throw new Error(`The schedule ${scheduleId} was already due at ${now.toISOString()}.`)
    await ctx.audit(tx, { ...caller, action: 'schedule.ran', subject: scheduleId, detail: { eventId } })
    return { eventId, runId: runOf(eventId) }
  })
}
