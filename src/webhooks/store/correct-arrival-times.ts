import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'

/**
 * A webhook's arrival time is at most one burst ahead of the clock. After the clock was set back it would be further ahead, and
 * every delivery would exceed the limit until then: it is moved back to where the limit begins.
 */
export async function correctArrivalTimes(db: Db): Promise<void> {
  await sql`
    update webhook_traffic t set arrival = clock_timestamp() + l.furthest
    from (
      select id, make_interval(secs => rate_burst / greatest(rate_per_second, 1::float8 / 86400)) as furthest
      from webhooks where rate_per_second is not null
    ) l
    where l.id = t.webhook_id and t.arrival > clock_timestamp() + l.furthest + interval '1 second'`.execute(
    db,
  )
}
