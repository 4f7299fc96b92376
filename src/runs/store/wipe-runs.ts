import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { publishChange } from '../../shared/changes.ts'
import { type EventId, firstIdAt, type RunId } from '../../shared/ids.ts'
import { statesBefore } from '../loop/run.ts'

/**
 * Until the transaction ends, no run begins in the threads about the event, so that `listRunsOfEvent` finds all of them. Whoever writes a
 * message locks its channel before its thread, and so does this.
 */
export async function lockThreadsOfEvent(tx: Db, eventId: EventId): Promise<void> {
  const about = sql`from messages where run_id in (select id from runs where ${isRunOf(eventId)})`
  await sql`select from channels where id in (select channel_id ${about}) order by id for no key update`.execute(
    tx,
  )
  await sql`
    select from messages where id in (select coalesce(thread_id, id) ${about}) order by id for no key update`.execute(
    tx,
  )
}

const isRunOf = (eventId: EventId) =>
  sql`event_id in (${eventId}, (select joined_to from events where id = ${eventId}))`

/** The runs and replays of an event, also the one it joined, and what came after them in their threads: it may quote them. */
export async function listRunsOfEvent(db: Db, eventId: EventId): Promise<RunId[]> {
  const { rows } = await sql<{ id: RunId }>`
    with own as (select id, created_at from runs where ${isRunOf(eventId)})
    select id from own
    union
    select r.id from runs r join messages m on r.thread_id = coalesce(m.thread_id, m.id) join own on own.id = m.run_id
    where r.created_at >= own.created_at`.execute(db)
  return rows.map(({ id }) => id)
}

/** A run that is still active ends too: there is nothing left to work on. First of all, so that no worker adds anything to it. */
export async function wipeRuns(tx: Db, ids: readonly RunId[]): Promise<void> {
  await sql`select from runs where id = any(${ids}) order by id for update`.execute(tx)
  await sql`
    update runs set erased_at = now(), lease_until = null, error_message = null, turn_note = '', thread_context = null, model_attempts = '[]',
      status = case when status = any(${statesBefore('cancelled')}) then 'cancelled' else status end,
      ended_at = coalesce(ended_at, now())
    where id = any(${ids})`.execute(tx)
  await sql`
    update run_steps set answer = '[]', calls = '[]', results = null where run_id = any(${ids})`.execute(tx)
  await sql`
    update replies set text = '', problem = null, state = case state when 'pending' then 'withheld' else state end
    where run_id = any(${ids})`.execute(tx)
  await sql`delete from dry_calls where run_id = any(${ids})`.execute(tx)
  await publishChange(tx, 'runs')
}

export async function isErased(db: Db, id: RunId): Promise<boolean> {
  const { rows } = await sql`select from runs where id = ${id} and erased_at is not null`.execute(db)
  return rows.length > 0
}

/**
 * Deletes the oldest runs that ended before this time, with their steps and replies. Ids begin with their time. What really became of a
 * case is kept: rehearsals answer its reads from that.
 */
export async function deleteRuns(tx: Db, before: Date, limit: number): Promise<RunId[]> {
  const { rows } = await sql<{ id: RunId }>`
    delete from runs where id in (
      select id from runs where id < ${firstIdAt('run', before)} and ended_at < ${before}
        and (dry or event_id is null or not exists (select from cases c where c.event_id = runs.event_id and c.erased_at is null))
      order by id limit ${limit})
    returning id`.execute(tx)
  return rows.map(({ id }) => id)
}
