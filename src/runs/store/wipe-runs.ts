import { sql } from 'kysely'
import type { EventId, RunId } from '../../ids.ts'
import type { Db } from '../../platform/db/database.ts'
import { statesBefore } from '../run.ts'

/** The runs and replays of an event, and the follow-ups in the threads under their replies. */
export async function findRunsOfEvent(db: Db, eventId: EventId): Promise<RunId[]> {
  const { rows } = await sql<{ id: RunId }>`
    with own as (select r.id, p.message_id from runs r left join replies p on p.run_id = r.id where r.event_id = ${eventId})
    select id from own
    union
    select r.id from runs r join own on r.thread_id = own.message_id and r.channel_id is not null`.execute(db)
  return rows.map(({ id }) => id)
}

/** A run that is still at work ends with it: there is nothing left to work on. */
export async function wipeRuns(tx: Db, ids: readonly RunId[]): Promise<void> {
  await sql`
    update run_steps set answer = '[]', calls = '[]', results = null where run_id = any(${ids})`.execute(tx)
  await sql`
    update replies set text = '', state = case state when 'pending' then 'withheld' else state end
    where run_id = any(${ids})`.execute(tx)
  await sql`
    update runs set erased_at = now(), fence = fence + 1, lease_until = null, error_message = null,
      status = case when status = any(${statesBefore('cancelled')}) then 'cancelled' else status end,
      ended_at = coalesce(ended_at, now())
    where id = any(${ids})`.execute(tx)
}
