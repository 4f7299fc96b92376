import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { EventId, RunId } from '../../shared/ids.ts'
import { beginningBytes, type EventRow } from './events.ts'
import { classify } from './show-event.ts'

/** What made a run start, in the sender's words; null if nothing tells, or it was erased. */
export type RungBy = { id: EventId; summary: string | null }

/** The events of these runs. A run that somebody started in a chat has none. */
export async function describeEventsOf(db: Db, runIds: readonly RunId[]): Promise<Map<RunId, RungBy>> {
  type Row = Pick<EventRow, 'id' | 'headers' | 'beginning'> & { ofRun: RunId }
  const { rows } = await sql<Row>`
    select r.id as of_run, e.id, e.headers, substring(coalesce(e.payload, e.body) from 1 for ${beginningBytes}) as beginning
    from runs r join events e on e.id = r.event_id where r.id = any(${runIds})`.execute(db)
  return new Map(rows.map(({ ofRun, id, ...event }) => [ofRun, { id, summary: classify(event).summary }]))
}
