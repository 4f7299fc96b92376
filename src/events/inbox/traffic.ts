import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { WebhookId } from '../../shared/ids.ts'

/** From now on events of this webhook can be accepted. */
export async function openTraffic(db: Db, id: WebhookId): Promise<void> {
  await sql`insert into webhook_traffic (webhook_id) values (${id})`.execute(db)
}

/** The limit counts from now on. Deliveries under an earlier one do not count: after a very low one that would take a day. */
export async function restartRateLimit(db: Db, id: WebhookId): Promise<void> {
  await sql`update webhook_traffic set refilled_at = '-infinity' where webhook_id = ${id}`.execute(db)
}

export async function countRefusals(db: Db, counts: ReadonlyMap<WebhookId, number>): Promise<void> {
  await sql`
    update webhook_traffic t set refused = t.refused + c.refused, last_refused_at = clock_timestamp()
    from unnest(${[...counts.keys()]}::text[], ${[...counts.values()]}::int[]) as c (webhook_id, refused)
    where t.webhook_id = c.webhook_id`.execute(db)
}
