import { sql } from 'kysely'
import { allOf } from '../platform/db/all-of.ts'
import type { Db } from '../platform/db/database.ts'
import { notifyInTransaction } from '../platform/db/notify.ts'
import { publishChange } from '../shared/changes.ts'
import { channelName } from '../shared/display-names.ts'
import type { ChannelId, ConnectorId, MessageId, ScheduleId } from '../shared/ids.ts'
import type { Scope } from '../shared/scope.ts'
import type { Timing } from './timing/due-times.ts'

/** The notification channel: a schedule may be due earlier than the clock expects. */
export const schedulesChanged = 'schedules_changed'

export type ScheduleFields = Timing & {
  name: string
  channelId: ChannelId
  prompt: string
  state: 'active' | 'inactive' | 'deleted'
  ifMissed: 'skip' | 'run'
  graceMinutes: number
  overlap: 'skip' | 'wait'
  thread: 'new' | 'same'
  ceiling: Scope['ceiling']
  connectorIds: ConnectorId[] | null
  model: { provider: string; name: string } | null
  fallbackModel: { provider: string; name: string } | null
  allowSilence: boolean
  costPerDay: number | null
}

export type ScheduleRow = ScheduleFields & {
  id: ScheduleId
  channelName: string | null
  /** The thread to which the agent comes back, and what for. */
  threadId: MessageId | null
  why: string | null
  pausedAt: Date | null
  pauseReason: string | null
  resumedAt: Date
  nextAt: Date | null
  createdAt: Date
  updatedAt: Date
}

const columns = sql`
  s.id, s.name, s.channel_id, ${channelName(sql`s.channel_id`, { seesPrivate: true })} as channel_name, s.prompt, s.state, s.cron, s.at,
  s.time_zone, s.if_missed, s.grace_minutes, s.overlap, s.thread, s.ceiling, s.connector_ids, s.model, s.fallback_model,
  s.allow_silence, s.cost_per_day, s.thread_id, s.why,
  s.paused_at, s.pause_reason, s.resumed_at, s.next_at, s.created_at, s.updated_at`

export async function insertSchedule(
  tx: Db,
  id: ScheduleId,
  of: ScheduleFields,
  nextAt: Date | null,
  createdBy: string,
  { threadId, why }: { threadId: MessageId | null; why: string | null } = { threadId: null, why: null },
): Promise<void> {
  await sql`
    insert into schedules (id, name, channel_id, prompt, state, cron, at, time_zone, if_missed, grace_minutes, overlap, thread,
                           ceiling, connector_ids, model, fallback_model, allow_silence, cost_per_day, next_at, created_by,
                           thread_id, why)
    values (${id}, ${of.name}, ${of.channelId}, ${of.prompt}, ${of.state}, ${of.cron}, ${of.at}, ${of.timeZone}, ${of.ifMissed},
            ${of.graceMinutes}, ${of.overlap}, ${of.thread}, ${of.ceiling}, ${json(of.connectorIds)}, ${json(of.model)},
            ${json(of.fallbackModel)}, ${of.allowSilence}, ${of.costPerDay}, ${nextAt}, ${createdBy}, ${threadId}, ${why})`.execute(
    tx,
  )
  await announceSchedule(tx, id)
}

/** `resumes`: what failed before counts no longer. */
export async function updateSchedule(
  tx: Db,
  id: ScheduleId,
  of: ScheduleFields,
  { nextAt, resumes }: { nextAt: Date | null; resumes: boolean },
): Promise<void> {
  await sql`
    update schedules
    set name = ${of.name}, channel_id = ${of.channelId}, prompt = ${of.prompt}, state = ${of.state}, cron = ${of.cron}, at = ${of.at},
        time_zone = ${of.timeZone}, if_missed = ${of.ifMissed}, grace_minutes = ${of.graceMinutes}, overlap = ${of.overlap},
        thread = ${of.thread}, ceiling = ${of.ceiling}, connector_ids = ${json(of.connectorIds)}, model = ${json(of.model)},
        fallback_model = ${json(of.fallbackModel)}, allow_silence = ${of.allowSilence}, cost_per_day = ${of.costPerDay}, next_at = ${nextAt}, updated_at = now(),
        paused_at = case when ${resumes}::boolean then null else paused_at end,
        pause_reason = case when ${resumes}::boolean then null else pause_reason end,
        resumed_at = case when ${resumes}::boolean then clock_timestamp() else resumed_at end
    where id = ${id} and state <> 'deleted'`.execute(tx)
  await announceSchedule(tx, id)
}

export async function findSchedule(
  db: Db,
  id: ScheduleId,
  { lock = false } = {},
): Promise<ScheduleRow | null> {
  const { rows } = await sql<ScheduleRow>`
    select ${columns} from schedules s where s.id = ${id} and s.state <> 'deleted' ${lock ? sql`for update` : sql``}`.execute(
    db,
  )
  return rows[0] ?? null
}

export async function listSchedules(
  db: Db,
  of: {
    cursor?: string
    limit: number
    channelId?: string
    threadId?: string
    status?: string
    q?: string
  },
): Promise<ScheduleRow[]> {
  const conditions = [
    sql`s.state <> 'deleted'`,
    // Where the agent comes back to is shown in its thread, until then.
    of.threadId ? sql`s.thread_id = ${of.threadId} and s.next_at is not null` : sql`s.thread_id is null`,
    of.cursor && sql`s.id < ${of.cursor}`,
    of.channelId && sql`s.channel_id = ${of.channelId}`,
    of.status && sql`s.state = ${of.status}`,
    of.q && sql`position(lower(${of.q}) in lower(s.name || ' ' || s.prompt)) > 0`,
  ]
  const { rows } = await sql<ScheduleRow>`
    select ${columns} from schedules s where ${allOf(conditions)} order by s.id desc limit ${of.limit + 1}`.execute(
    db,
  )
  return rows
}

export async function markDeleted(tx: Db, id: ScheduleId): Promise<void> {
  await sql`
    update schedules set state = 'deleted', next_at = null, deleted_at = now(), updated_at = now()
    where id = ${id} and state <> 'deleted'`.execute(tx)
  await announceSchedule(tx, id)
}

/** It is not due again until somebody resumes it. Returns since when; null if it is deleted. */
export async function setPaused(tx: Db, id: ScheduleId, reason: string): Promise<Date | null> {
  const { rows } = await sql<{ pausedAt: Date }>`
    update schedules set paused_at = coalesce(paused_at, now()), pause_reason = ${reason}, next_at = null
    where id = ${id} and state <> 'deleted' returning paused_at`.execute(tx)
  await publishChange(tx, 'schedules', id)
  return rows[0]?.pausedAt ?? null
}

export type DueSchedule = Pick<
  ScheduleRow,
  'id' | 'name' | 'cron' | 'at' | 'timeZone' | 'ifMissed' | 'graceMinutes' | 'overlap'
> & { nextAt: Date; now: Date; why: string | null }

/** Those that are due by the database's clock. Another process takes care of those that it has locked. */
export async function lockDue(tx: Db, limit: number): Promise<DueSchedule[]> {
  const { rows } = await sql<DueSchedule>`
    select id, name, cron, at, time_zone, if_missed, grace_minutes, overlap, next_at, why, clock_timestamp() as now
    from schedules where next_at <= clock_timestamp() order by next_at limit ${limit} for update skip locked`.execute(
    tx,
  )
  return rows
}

export async function setNextTimes(
  tx: Db,
  next: readonly { id: ScheduleId; nextAt: Date | null }[],
): Promise<void> {
  await sql`
    update schedules s set next_at = n."nextAt"
    from json_to_recordset(${JSON.stringify(next)}::json) as n (id text, "nextAt" timestamptz)
    where s.id = n.id`.execute(tx)
  await publishChange(tx, 'schedules')
}

/** How long until the next one is due; null if none is. */
export async function readWaitMs(db: Db): Promise<number | null> {
  const { rows } = await sql<{ waitMs: number | null }>`
    select (1000 * extract(epoch from min(next_at) - clock_timestamp()))::float8 as wait_ms
    from schedules where next_at is not null`.execute(db)
  return rows[0]?.waitMs ?? null
}

export async function announceSchedule(tx: Db, id: ScheduleId): Promise<void> {
  await notifyInTransaction(tx, schedulesChanged, id)
  await publishChange(tx, 'schedules', id)
}

function json(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value)
}
