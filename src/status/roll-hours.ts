import { sql } from 'kysely'
import type { Db } from '../platform/db/database.ts'
import { countHours, hourMs, hourOf, spanOf } from './count-hours.ts'

type Context = {
  db: Db
  now: () => Date
  settings: { read(): Promise<{ retention: { days: number } }> }
}

/** The longest span that can be requested, and the current hour. */
const keptHours = 169
/** After the end of an hour: clocks of replicas differ a little, and an event may still be on its way to the disk. */
const settlingMs = 60_000

/**
 * Counts finished hours and stores the result. A run that ends later makes its hour wrong, and a database trigger removes that
 * hour; it is counted again here. What retention deletes is not counted.
 */
export async function rollHours(ctx: Context): Promise<void> {
  const now = ctx.now().getTime()
  const { retention } = await ctx.settings.read()
  const kept = Math.ceil((now - retention.days * 86_400_000) / hourMs)
  const oldest = Math.max(kept, hourOf(new Date(now)) - keptHours)
  const newest = hourOf(new Date(now - settlingMs)) - 1
  await sql`delete from rolled_hours where hour < ${oldest}`.execute(ctx.db)
  await sql`
    insert into rolled_hours (hour) select generate_series(${oldest}::bigint, ${newest}::bigint)
    on conflict do nothing`.execute(ctx.db)
  // In a statement of its own: every later snapshot sees the rows committed above.
  await sql`
    update rolled_hours set seen_from = pg_snapshot_xmax(pg_current_snapshot()) where seen_from is null`.execute(
    ctx.db,
  )
  await passEmptyHours(ctx.db)
  while (await rollOne(ctx.db));
}

/** In a new installation that is the whole week: there is nothing to count, so it need not be done hour by hour. */
async function passEmptyHours(db: Db): Promise<void> {
  const { rows } = await sql<{ hour: number }>`select hour::float8 from rolled_hours where not ready`.execute(
    db,
  )
  if (rows.length === 0) return
  await sql`
    update rolled_hours o set ready = true
    from ${spanOf(rows.map(({ hour }) => hour))}
    where o.hour = h.hour and not o.ready and o.seen_from <= pg_snapshot_xmin(pg_current_snapshot())
      and not exists (select from runs r where r.id >= h.first_run and r.id < h.next_run)
      and not exists (select from events e where e.id >= h.first_event and e.id < h.next_event)`.execute(db)
}

/**
 * A transaction that ends a run removes the row of its hour if it sees it. We wait for those that did not see it, so that each
 * end is either counted or removes its hour.
 */
async function rollOne(db: Db): Promise<boolean> {
  return await db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ hour: number }>`
      select hour::float8 from rolled_hours
      where not ready and seen_from <= pg_snapshot_xmin(pg_current_snapshot())
      order by hour desc limit 1 for update skip locked`.execute(tx)
    const [opened] = rows
    if (!opened) return false
    await sql`
      insert into hour_figures (hour, webhook_id, events, succeeded, failed, cancelled, input_tokens, output_tokens, cost,
        time_classes, time_counts)
      select hour, webhook_id, events, succeeded, failed, cancelled, input_tokens, output_tokens, cost, time_classes, time_counts
      from (${countHours([opened.hour], { afresh: true })}) counted`.execute(tx)
    await sql`update rolled_hours set ready = true where hour = ${opened.hour}`.execute(tx)
    return true
  })
}
