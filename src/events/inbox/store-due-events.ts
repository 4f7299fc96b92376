import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { publishChange } from '../../shared/changes.ts'
import { type EventId, newId, runOf, type ScheduleId } from '../../shared/ids.ts'
import { notifyEventsWaiting } from './move-events.ts'

/** A time at which a schedule is due, and what becomes of it. */
export type DueTime = {
  scheduleId: ScheduleId
  name: string
  /** What the agent wanted to do then, in its own words. */
  why: string | null
  dueAt: Date
  status: 'accepted' | 'missed' | 'skipped'
  /** Why it starts no run. */
  note: string | null
}

/** Each due time becomes an event, once: a second process that does the same changes nothing. In their order. */
export async function storeDueEvents(tx: Db, dueTimes: readonly DueTime[], now: Date): Promise<EventId[]> {
  const rows = dueTimes.map(({ dueAt, name, why, ...due }, at) => {
    // Ids sort by their time: later due times come later.
    const eventId = newId('event', new Date(now.getTime() - dueTimes.length + at + 1))
    const body = JSON.stringify({ type: 'schedule', title: name, dueAt, ...(why === null ? {} : { why }) })
    return { ...due, dueAt, eventId, runId: runOf(eventId), body }
  })
  const { rows: stored } = await sql<{ id: EventId; status: string }>`
    insert into events (id, source_id, run_id, trigger, status, received_at, settled_at, sender_address, headers, content_type,
                        verification, size_bytes, body, scheduled_at, note)
    select "eventId", "scheduleId", "runId", 'schedule', status, clock_timestamp(),
           case when status <> 'accepted' then clock_timestamp() end, '', '{}', 'application/json', 'off',
           octet_length(body), convert_to(body, 'UTF8'), "dueAt", note
    from json_to_recordset(${JSON.stringify(rows)}::json) as d (
      "eventId" text, "scheduleId" text, "runId" text, status text, body text, "dueAt" timestamptz, note text)
    on conflict (source_id, scheduled_at) where scheduled_at is not null do nothing
    returning id, status`.execute(tx)
  if (stored.some(({ status }) => status === 'accepted')) await notifyEventsWaiting(tx)
  if (stored.length > 0) await publishChange(tx, 'events')
  return stored.map(({ id }) => id)
}

/** Of these schedules, those whose last due time has not ended yet; one that waits for people is not at work. */
export async function findUnfinished(
  tx: Db,
  ids: readonly ScheduleId[],
): Promise<Map<ScheduleId, { waits: boolean }>> {
  const { rows } = await sql<{ sourceId: ScheduleId; waits: boolean }>`
    select source_id, bool_or(waits) as waits from (
      select source_id, true as waits from events where source_id = any(${ids}) and status = 'accepted'
      union all
      select source_id, false from events where source_id = any(${ids}) and status = 'dispatched' and not parked
    ) e group by source_id`.execute(tx)
  return new Map(rows.map(({ sourceId, waits }) => [sourceId, { waits }]))
}

export type Outcome = {
  eventId: EventId
  runId: string
  dueAt: Date
  status: string
  note: string | null
}

/** The newest due times of each of these schedules. */
export async function listOutcomes(
  db: Db,
  ids: readonly ScheduleId[],
  count: number,
): Promise<Map<ScheduleId, Outcome[]>> {
  const { rows } = await sql<Outcome & { sourceId: ScheduleId }>`
    select e.source_id, e.id as event_id, e.run_id, e.scheduled_at as due_at, e.status, e.note
    from unnest(${ids}::text[]) as s (id) cross join lateral (
      select * from events where source_id = s.id and scheduled_at is not null order by scheduled_at desc limit ${count}
    ) e order by e.scheduled_at desc`.execute(db)
  return Map.groupBy(rows, ({ sourceId }) => sourceId)
}

export type LastRun = { eventId: EventId; failed: boolean; settledAt: Date }

/** The newest runs of a schedule that have ended, newest first. What somebody cancelled says nothing about it. */
export async function listLastRuns(db: Db, id: ScheduleId, count: number): Promise<LastRun[]> {
  const { rows } = await sql<LastRun>`
    select e.id as event_id, e.status <> 'done' as failed, e.settled_at
    from events e left join runs r on r.id = e.run_id
    where e.source_id = ${id} and e.status in ('done', 'failed', 'dead') and r.status is distinct from 'cancelled'
    order by e.id desc limit ${count}`.execute(db)
  return rows
}
