import { findSourceScope } from '../events/inbox/find-trigger.ts'
import { notifyEventsWaiting } from '../events/inbox/move-events.ts'
import { refuseMissingChannel } from '../events/lock-channel.ts'
import { invalidField } from '../http/problems.ts'
import { readTime } from '../platform/db/read-time.ts'
import { changedFields } from '../revisions/changed-fields.ts'
import { shortChanges } from '../revisions/compare-documents.ts'
import { type Restored, recordRevisions } from '../revisions/store.ts'
import type { Caller } from '../shared/actor.ts'
import type { ScheduleId } from '../shared/ids.ts'
import type { VoidApprovals } from '../shared/ports/voided.ts'
import { getSchedule, refuseBeyondRole } from './check-schedule.ts'
import type { SchedulePatch, ScheduleShape } from './contract.ts'
import type { ScheduleContext } from './create-schedule.ts'
import { documentOf } from './schedule-document.ts'
import { showOne } from './show-schedule.ts'
import { type ScheduleFields, type ScheduleRow, updateSchedule } from './store.ts'
import { checkTiming } from './timing/check-timing.ts'
import { nextDueTime } from './timing/due-times.ts'

export type ChangeContext = ScheduleContext & { voidApprovals: VoidApprovals }

/** A merge patch (RFC 7396). Times count from now: what was due while it was inactive or paused is not made up for. */
export async function changeSchedule(
  ctx: ChangeContext,
  caller: Caller,
  id: ScheduleId,
  patch: SchedulePatch,
  restored: Restored = {},
): Promise<ScheduleShape> {
  const row = await ctx.db.transaction().execute(async (tx) => {
    const before = await getSchedule(tx, id, { lock: true })
    const after = merge(before, patch)
    const resumes = patch.paused === false && before.pausedAt !== null
    const fields = changedFields(before, after, patch)
    if (fields.length === 0) return before
    refuseBeyondRole(caller.actor, after.ceiling, before.ceiling)
    if (after.channelId !== before.channelId) await refuseMissingChannel(tx, after.channelId)
    await ctx.connectors.refuseMissing(tx, after.connectorIds, before.connectorIds)

    const now = await readTime(tx)
    const timingChanged = ['cron', 'at', 'timeZone'].some((name) => fields.includes(name))
    if (timingChanged) checkTiming(after, now)
    const isScheduled = after.state === 'active' && (before.pausedAt === null || resumes)
    const wasScheduled = before.state === 'active' && before.pausedAt === null
    const nextAt = !isScheduled
      ? null
      : wasScheduled && !timingChanged
        ? before.nextAt
        : nextDueTime(after, now)
    await updateSchedule(tx, id, after, { nextAt, resumes })
    const save = { subject: id, before: documentOf(before), after: documentOf(after) }
    await recordRevisions(tx, caller.actor, [save], restored)
    await ctx.voidApprovals(tx, { sourceId: id, scope: await findSourceScope(tx, id) })
    if (before.state === 'active' && after.state === 'inactive')
      await ctx.voidApprovals(tx, { sourceId: id, scope: null })
    if (resumes) await notifyEventsWaiting(tx)
    await ctx.audit(tx, {
      ...caller,
      action: 'schedule.changed',
      subject: id,
      detail: { fields, ...shortChanges(documentOf(before), documentOf(after)), ...restored },
    })
    return await getSchedule(tx, id)
  })
  return await showOne(ctx.db, row)
}

function merge(before: ScheduleRow, { active, paused: _, ...patch }: SchedulePatch): ScheduleFields {
  if (patch.cron && patch.at)
    throw invalidField('/at', 'Set cron for a schedule that repeats, or at for a single time, not both.')
  const merged = {
    ...before,
    ...(patch as Partial<ScheduleFields>), // the request's schema has matched the ids against their patterns
    ...(active === undefined ? {} : { state: active ? ('active' as const) : ('inactive' as const) }),
  }
  if (patch.cron) return { ...merged, at: null }
  if (patch.at) return { ...merged, cron: null }
  return merged
}
