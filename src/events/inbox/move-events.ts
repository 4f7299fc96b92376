import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { notify } from '../../platform/db/notify.ts'
import { inBatches } from '../../platform/in-batches.ts'
import { publishChange } from '../../shared/changes.ts'
import { type EventId, isScheduleId, type RunId, type SourceId } from '../../shared/ids.ts'
import type { EventStatus } from '../contract.ts'
import { listDeletedThatWait, sourcesThatWait } from '../ledger/events.ts'
import { hasRules } from '../rules/store.ts'
import { statesBefore } from './event-transitions.ts'

/** Notification channels: events may start now; the event with this id has ended. */
export const eventsWaiting = 'events_waiting'
export const eventSettled = 'event_settled'
/** The notification channel: a run of the schedule with this id has ended. */
export const eventOfScheduleSettled = 'event_of_schedule_settled'

export async function notifyEventsWaiting(db: Db): Promise<void> {
  await notify(db, eventsWaiting, '')
}

export async function notifyEventSettled(db: Db, id: EventId): Promise<void> {
  await publishChange(db, 'events', id)
  await notify(db, eventSettled, id)
}

/** An arbitrary lock number that every process shares. */
const dispatchLock = 4_020_001

/** One round of dispatch at a time, whichever process does it. */
export async function lockDispatch(tx: Db): Promise<void> {
  await sql`select pg_advisory_xact_lock(${dispatchLock})`.execute(tx)
}

/** `usual`: the model of the settings. Others by provider and name. */
export type HeldModels = { usual: boolean; named: string[] }

/** `then`: what the rules of its webhook said. */
type Dispatched = { id: EventId; runId: RunId; sourceId: SourceId; then: 'run' | 'notify' | 'skip' }

/**
 * The next events to start, so that at most `activePerWorker` are active for each living worker process: what is dispatched has a
 * free worker, and everything else waits. Each source with waiting events gets one before any gets a second, up to its own limit
 * and to half of all places: however slow its runs are, others go on. Finding the sources costs one index probe each, however long
 * the queues. Where there are rules, an event must have been judged, and must be the next of its key.
 */
export async function dispatchNext(tx: Db, activePerWorker: number, held: HeldModels): Promise<Dispatched[]> {
  const { rows } = await sql<Dispatched>`
    with recursive ${sourcesThatWait},
    total as (select ${activePerWorker} * (${workers}) as places),
    free as (
      select w.id, least(w.concurrency, greatest(1, t.places / 2))
                   - (select count(*) from events e
                      where e.source_id = w.id and e.status = 'dispatched' and not e.parked) as places,
             ${hasRules} as has_rules
      from source_ids i join event_sources w on w.id = i.id cross join total t
      where w.paused_at is null and w.state <> 'deleted'
        and not (case when w.model is null then ${held.usual}::boolean
                      else (w.model ->> 'provider') || ' ' || (w.model ->> 'name') = any (${held.named}) end)
    ),
    chosen as (
      select next.id
      from free f
      cross join lateral (
        select e.id, row_number() over (order by e.id) as turn from events e
        where e.source_id = f.id and e.status = 'accepted' and (not f.has_rules or ${isReady})
        order by e.id limit greatest(f.places, 0)
      ) next
      order by next.turn, next.id
      limit (select greatest(0, places - (select count(*) from events e where e.status = 'dispatched' and not e.parked)) from total)
    )
    update events e set status = 'dispatched'
    from chosen c
    where e.id = c.id and e.status = 'accepted' and not (${agentIsPaused})
    returning e.id, e.run_id, e.source_id, coalesce(e.verdict -> 'rule' ->> 'then', 'run') as then`.execute(
    tx,
  )
  return rows
}

/**
 * Judged, not waiting for others to join, and the next of its key: one run at a time for each key, in the order of arrival. A run that
 * waits for people holds nobody up.
 */
const isReady = sql`(
  e.verdict is not null and (e.due_at is null or e.due_at <= clock_timestamp())
  and (e.thread_key is null or not exists (
    select from events b
    where b.source_id = e.source_id and b.thread_key = e.thread_key and b.status in ('accepted', 'dispatched')
      and (b.status = 'dispatched' and not b.parked or b.status = 'accepted' and b.id < e.id))))`

/**
 * Worker processes tell every 5 s that they live. While one that died still counts, what was dispatched for it waits for the others.
 * A worker that has just started and told nobody yet works for one.
 */
const workers = sql`
  select greatest(1, count(*)) from replicas where role <> 'web' and seen_at > now() - interval '15 seconds'`

/** "Pause agent": accept and keep events, start none (settings, group `agent`). */
const agentIsPaused = sql`coalesce((select (value ->> 'paused')::boolean from settings where name = 'agent'), false)`

/** False if its state does not lead there. */
export async function moveEvent(db: Db, id: EventId, status: EventStatus): Promise<boolean> {
  const { rows } = await sql<MovedEvent>`${eventMoved(status, sql`${id}`)}`.execute(db)
  await tellOfMoved(db, rows[0] ?? null)
  return rows.length > 0
}

export type MovedEvent = { id: EventId; sourceId: SourceId }

/** The statement of `moveEvent`, for a larger one that moves an event with what made it move. */
export function eventMoved(status: EventStatus, id: RawBuilder<unknown>): RawBuilder<MovedEvent> {
  const settledAt = status === 'accepted' ? sql`null` : sql`clock_timestamp()`
  return sql`
    update events set status = ${status}, parked = false, settled_at = ${settledAt}
    where id = ${id} and status = any (${statesBefore(status)}) returning id, source_id`
}

export async function tellOfMoved(db: Db, moved: MovedEvent | null): Promise<void> {
  if (!moved) return
  await notifyEventSettled(db, moved.id)
  if (isScheduleId(moved.sourceId)) await notify(db, eventOfScheduleSettled, moved.sourceId)
}

/** Called when the run starts or stops waiting for people. A parked event does not count against the concurrency limit. */
export async function parkEvent(db: Db, id: EventId, parked: boolean): Promise<void> {
  const { rows } = await sql`
    update events set parked = ${parked} where id = ${id} and status = 'dispatched' and parked <> ${parked}
    returning id`.execute(db)
  if (rows.length === 0) return
  await publishChange(db, 'events', id)
  if (parked) await notifyEventsWaiting(db)
}

/** Ignores some events of a deleted source; in batches, so that a million of them do not become one huge transaction. */
export async function ignoreWaiting(db: Db, sourceId: SourceId, limit: number): Promise<number> {
  const { rows } = await sql`
    update events set status = 'ignored', settled_at = clock_timestamp()
    where id in (select id from events where source_id = ${sourceId} and status = 'accepted' order by id limit ${limit})
      and status = 'accepted' returning id`.execute(db)
  if (rows.length > 0) await publishChange(db, 'events')
  return rows.length
}

/**
 * Erases what the sender sent. The row stays: that something arrived, and when, is not secret. A waiting event will not start,
 * and an active run ends. False if it was erased before.
 */
export async function wipeEvent(tx: Db, id: EventId): Promise<boolean> {
  // Whoever ends a run locks it before its event. In another order they would wait for each other.
  await sql`select from runs where event_id = ${id} order by id for update`.execute(tx)
  const { rows } = await sql`
    update events
    set body = null, payload = null, headers = '{}', delivery_id = null, sender_address = '', erased_at = clock_timestamp(),
        verdict = ${withoutContent}, thread_key = null, due_at = null,
        status = case when status not in ('accepted', 'dispatched') then status
                      when exists (select from runs r where r.id = run_id) then 'failed' else 'ignored' end,
        parked = false, settled_at = coalesce(settled_at, clock_timestamp())
    where id = ${id} and erased_at is null returning id`.execute(tx)
  if (rows.length === 0) return false
  await freeJoined(tx, id)
  await notifyEventSettled(tx, id)
  return true
}

/** Which rule decided is not secret; what it read in the body is. */
const withoutContent = sql`
  case when verdict is not null then json_build_object(
    'rule', verdict -> 'rule', 'faults', '[]'::json, 'values', '[]'::json, 'keyFault', null, 'notice', null) end`

/** If the run that was to handle them will never start, events that joined it wait for one again. */
async function freeJoined(tx: Db, id: EventId): Promise<void> {
  await sql`
    update events set status = 'accepted', joined_to = null, verdict = null, thread_key = null, settled_at = null
    where joined_to = ${id} and status = 'joined' and not exists (
      select from runs r join events e on e.run_id = r.id where e.id = ${id})`.execute(tx)
}

const batch = 1_000

/** Nothing is dispatched for a deleted source, so events that still wait for it are ignored instead of waiting forever. */
export async function ignoreOrphans(db: Db, signal: AbortSignal): Promise<void> {
  for (const sourceId of await listDeletedThatWait(db)) {
    await inBatches(batch, (limit) => ignoreWaiting(db, sourceId, limit), signal)
  }
}
