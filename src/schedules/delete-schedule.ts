import { ignoreWaiting } from '../events/inbox/move-events.ts'
import { forgetRevisions } from '../revisions/store.ts'
import type { Caller } from '../shared/actor.ts'
import type { ScheduleId } from '../shared/ids.ts'
import type { ChangeContext } from './change-schedule.ts'
import { getSchedule } from './check-schedule.ts'
import { markDeleted } from './store.ts'

/** More than can wait: each due time waits for the one before it. */
const most = 1000

/** Permanent. What has run stays in the ledger; what waits is ignored. */
export async function deleteSchedule(ctx: ChangeContext, caller: Caller, id: ScheduleId): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    await getSchedule(tx, id, { lock: true })
    await markDeleted(tx, id)
    await forgetRevisions(tx, [id])
    await ignoreWaiting(tx, id, most)
    await ctx.voidApprovals(tx, { sourceId: id, scope: null })
    await ctx.audit(tx, { ...caller, action: 'schedule.deleted', subject: id })
  })
}
