import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { countDay, dayMs } from './count-day.ts'

type Context = {
  db: Db
  now: () => Date
  settings: { read(): Promise<{ retention: { days: number } }> }
}

/** A transaction that ends a run may be committed a moment after the time that it stores. */
const settlingMs = 5_000

/**
 * Counts the days of runs that ended since the last time. A day whose runs are deleted in part, for their age, is not counted any more,
 * so figures reach back as far as runs do.
 */
export async function rollDays(
  { db, now, settings }: Context,
  settleMs = settlingMs,
  signal?: AbortSignal,
): Promise<void> {
  const { retention } = await settings.read()
  const kept = Math.ceil(now().getTime() / dayMs) - retention.days
  const { rows } = await sql<{ until: Date; before: Date }>`
    select counted_until as until, greatest(counted_until, clock_timestamp() - make_interval(secs => ${settleMs / 1000})) as before
    from counted_days`.execute(db)
  const [counted] = rows
  if (!counted) throw new Error('The row of counted days is missing.')
  const { until, before } = counted
  // Ids begin with their time. What is waiting to be looked at is a range of an index.
  const { rows: days } = await sql<{ day: number }>`
    select distinct (('x0000' || substr(id, 5, 8) || substr(id, 14, 4))::bit(64)::bigint / ${sql.lit(dayMs)})::int as day
    from runs where ended_at >= ${until} and ended_at < ${before}`.execute(db)
  // One after the other, so that the first time, with a month to count, locks nothing for long.
  for (const { day } of days.filter((one) => one.day >= kept)) {
    signal?.throwIfAborted()
    await db.transaction().execute(async (tx) => {
      await sql`select from counted_days for update`.execute(tx)
      await countDay(tx, day, before)
    })
  }
  await sql`update counted_days set counted_until = ${before} where counted_until = ${until}`.execute(db)
  await sql`delete from day_figures where day < ${kept}`.execute(db)
}
