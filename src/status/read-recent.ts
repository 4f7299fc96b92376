import { sql } from 'kysely'
import type { Db } from '../platform/db/database.ts'
import { countHours, hourOf } from './count-hours.ts'

export type Recent = { sourceId: string; events: number; succeeded: number; failed: number }

/** What each webhook and schedule did in the last 24 hours, including the current one. */
export async function readRecent({ db, now }: { db: Db; now: () => Date }): Promise<Recent[]> {
  const last = hourOf(now())
  const hours = Array.from({ length: 24 }, (_, at) => last - 23 + at)
  const { rows } = await sql<Recent>`
    select source_id, sum(events)::float8 as events, sum(succeeded)::float8 as succeeded, sum(failed)::float8 as failed
    from (
      select source_id, events, succeeded, failed from (${countHours(hours)}) counted
      union all
      select source_id, events, succeeded, failed from hour_figures where hour = any (${hours}::bigint[])
    ) f group by source_id`.execute(db)
  return rows
}
