import { refuseMissingChannel } from '../events/lock-channel.ts'
import type { Db } from '../platform/db/database.ts'
import { readTime } from '../platform/db/read-time.ts'
import { recordRevisions } from '../revisions/store.ts'
import type { Caller } from '../shared/actor.ts'
import type { Audit } from '../shared/audit.ts'
import { type ChannelId, type ConnectorId, newId } from '../shared/ids.ts'
import type { RefuseMissingConnectors } from '../shared/ports/connector-ids.ts'
import { getSchedule, refuseBeyondRole } from './check-schedule.ts'
import type { NewSchedule, ScheduleShape } from './contract.ts'
import { documentOf } from './schedule-document.ts'
import { showOne } from './show-schedule.ts'
import { insertSchedule, type ScheduleFields } from './store.ts'
import { checkTiming } from './timing/check-timing.ts'

export type ScheduleContext = {
  db: Db
  audit: Audit
  settings: { read(): Promise<{ timeZone: string }> }
  connectors: { refuseMissing: RefuseMissingConnectors }
}

export async function createSchedule(
  ctx: ScheduleContext,
  caller: Caller,
  { active, ...given }: NewSchedule,
): Promise<ScheduleShape> {
  const fields: ScheduleFields = {
    ...given,
    channelId: given.channelId as ChannelId, // the request's schema has matched it against the pattern
    connectorIds: given.connectorIds as ConnectorId[] | null, // the request's schema demands the prefix
    timeZone: given.timeZone ?? (await ctx.settings.read()).timeZone,
    state: active ? 'active' : 'inactive',
  }
  refuseBeyondRole(caller.actor, fields.ceiling, 'read')
  const first = checkTiming(fields, await readTime(ctx.db))
  const id = newId('schedule')
  await ctx.db.transaction().execute(async (tx) => {
    await refuseMissingChannel(tx, fields.channelId)
    await ctx.connectors.refuseMissing(tx, fields.connectorIds)
    await insertSchedule(tx, id, fields, active ? first : null, caller.actor.id)
    await recordRevisions(tx, caller.actor, [{ subject: id, before: null, after: documentOf(fields) }])
    await ctx.audit(tx, { ...caller, action: 'schedule.created', subject: id, detail: { name: fields.name } })
  })
  return await showOne(ctx.db, await getSchedule(ctx.db, id))
}
