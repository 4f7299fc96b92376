import { sql } from 'kysely'
import type { Origin } from '../../chat/chat.ts'
import { describeEventsOf } from '../../events/ledger/describe-events-of.ts'
import type { Db } from '../../platform/db/database.ts'
import { sourceName } from '../../shared/display-names.ts'
import type { Run } from '../store/run-rows.ts'

/** What the reply of a run answers, for those who read it in the channel. Null if a person asked. */
export async function describeOrigin(db: Db, run: Run): Promise<Origin | null> {
  if (run.eventId === null) return null
  const event = (await describeEventsOf(db, [run.id])).get(run.id)
  const { rows } = await sql<{ name: string | null }>`
    select ${sourceName(sql`${run.sourceId}`)} as name`.execute(db)
  return { source: rows[0]?.name ?? null, eventId: run.eventId, title: event?.summary ?? null }
}
