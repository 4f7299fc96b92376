import { sql } from 'kysely'
import type { Db } from '../platform/db/database.ts'
import { longestHours } from './contract.ts'
import { countHours, hourMs, hourOf, hourOfId } from './count-hours.ts'

type Context = {
  db: Db
  now: () => Date
  settings: { read(): Promise<{ retention: { days: number } }> }
}

/** The longest span that can be requested and the one before it, to compare with, in whole days; and the current hour. */
const keptHours = 2 * longestHours + 25
/**
 * Clocks of replicas differ a little, and a transaction that stores an event or ends a run may be committed a moment after the
 * time that it stores.
 */
const settlingMs = 60_000

/**
 * Counts finished hours and stores the result, for runs that ended before a time that is stored with it (`counted_until`). A run
 * that ends later is added when figures are read, until the next round here counts its hour again. What retention deletes is not
 * counted.
 */
export async function rollHours({ db, now, settings }: Context, settleMs = settlingMs): Promise<void> {
  const { retention } = await settings.read()
  const time = now().getTime()
  const kept = Math.ceil((time - retention.days * 86_400_000) / hourMs)
  const first = Math.max(kept, hourOf(new Date(time)) - keptHours)
  const last = hourOf(new Date(time - settlingMs)) - 1
  if (last < first) return
  const hours = Array.from({ length: last - first + 1 }, (_, at) => first + at)
  await db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ firstHour: number; lastHour: number; before: Date; until: Date }>`
      select first_hour::float8, last_hour::float8, counted_until as until,
        greatest(counted_until, clock_timestamp() - make_interval(secs => ${settleMs / 1000})) as before
      from counted_hours for update`.execute(tx)
    const [counted] = rows
    if (!counted) throw new Error('The row of counted hours is missing.')
    const { before, until } = counted
    const { rows: late } = await sql<{ hour: number }>`
      select distinct hour::float8 from (
        select ${hourOfId} as hour from runs where ended_at >= ${until} and ended_at < ${before}
        union all
        select ${hourOfId} from events
        where status in ('skipped', 'notified', 'joined', 'missed') and settled_at >= ${until} and settled_at < ${before}
      ) late
      where hour between ${first} and ${last}`.execute(tx)
    const changed = [
      ...hours.filter((hour) => hour < counted.firstHour || hour > counted.lastHour),
      ...late.map(({ hour }) => hour),
    ]
    await sql`
      delete from hour_figures where hour = any(${changed}::bigint[]) or hour < ${first} or hour > ${last}`.execute(
      tx,
    )
    if (changed.length > 0) await storeHours(tx, [...new Set(changed)], before)
    await sql`
      update counted_hours set first_hour = ${first}, last_hour = ${last}, counted_until = ${before}`.execute(
      tx,
    )
  })
}

async function storeHours(tx: Db, hours: readonly number[], endedBefore: Date): Promise<void> {
  await sql`
    insert into hour_figures (hour, source_id, model, events, succeeded, failed, cancelled, skipped, notified, joined, missed,
      input_tokens, output_tokens, cost,
      time_classes, time_counts)
    select hour, source_id, model, events, succeeded, failed, cancelled, skipped, notified, joined, missed,
      input_tokens, output_tokens, cost, time_classes,
      time_counts
    from (${countHours(hours, { endedBefore })}) counted`.execute(tx)
}
