import type pg from 'pg'
import { type EventId, runOf } from '../../shared/ids.ts'
import type { NewEvent, Receipt } from './new-event.ts'

/** For how long a repeated delivery is recognised. */
export const keyDays = 7

/**
 * The plans must not depend on how small the tables were when the statements were first used: always by index. A prepared
 * statement keeps them.
 */
const begin = 'begin; set local enable_seqscan = off; set local plan_cache_mode = force_generic_plan'

/**
 * Whoever accepts events of a webhook holds its row until commit. That makes duplicates and limit exact across processes: the
 * next statement sees all that was accepted before. In one order, so that two batches never wait for each other.
 */
const lock = `
  select from webhook_traffic where webhook_id = any ($1::text[]) order by webhook_id for update`

/**
 * A known key is a duplicate, or a conflict if the key binds a body and the stored one is another; an erased body cannot be
 * compared. Of the others, each webhook accepts as many as its limit allows, in their order. The limit is GCRA: an event moves
 * the time at which the whole burst is available again on by one step, and it may be a burst of steps ahead of the clock. The answer has one row for each
 * delivery that is not accepted.
 */
const accept = `
  with delivery as materialized (
    select * from json_to_recordset($1::json) as d (
      n integer, "eventId" text, "runId" text, "webhookId" text, trigger text, key uuid, "bindsBody" boolean,
      "deliveryId" text, source text, headers json, "contentType" text, verification text,
      "bodyAt" integer, "bodyBytes" integer, "payloadBytes" integer)
  ),
  known as materialized (
    select d.n, k.event_id, d."bindsBody" and coalesce(
             (select e.body <> substring($2::bytea from d."bodyAt" for d."bodyBytes") from events e where e.id = k.event_id),
             false) as differs
    from delivery d cross join lateral (select * from delivery_keys where key = d.key limit 1) k
    where k.created_at > statement_timestamp() - make_interval(days => $3)
  ),
  quota as materialized (
    select l.*, floor(burst - ahead / step + 1e-6) as free
    from (
      select t.webhook_id, w.rate_burst as burst, 1 / w.rate_per_second as step,
             -- Further ahead than any burst: it was written before the clock was set back, and counts no longer.
             case when t.refilled_at <= statement_timestamp() + make_interval(secs => (w.rate_burst + 1) / w.rate_per_second)
               then extract(epoch from greatest(t.refilled_at, statement_timestamp()) - statement_timestamp())::float8
               else 0 end as ahead
      from webhook_traffic t join webhooks w on w.id = t.webhook_id
      where t.webhook_id = any ($4::text[])
    ) l
  ),
  accepted as materialized (
    select d.*
    from (
      select *, row_number() over (partition by "webhookId" order by n) as place
      from delivery where n not in (select n from known)
    ) d join quota q on q.webhook_id = d."webhookId"
    where q.step is null or d.place <= q.free
  ),
  stored_keys as (
    insert into delivery_keys (key, event_id, created_at)
    select key, "eventId", statement_timestamp() from accepted where key is not null
    -- A key that is there nevertheless is too old to count.
    on conflict (key) do update set event_id = excluded.event_id, created_at = excluded.created_at
  ),
  stored_events as (
    insert into events (id, source_id, run_id, trigger, status, received_at, sender_address, headers, content_type, delivery_id,
                        verification, size_bytes, body, payload)
    select "eventId", "webhookId", "runId", trigger, 'accepted', statement_timestamp(), source, headers, "contentType",
           "deliveryId", verification, "bodyBytes", substring($2 from "bodyAt" for "bodyBytes"),
           substring($2 from "bodyAt" + "bodyBytes" for "payloadBytes")
    from accepted
  ),
  counted as (
    update webhook_traffic t
    set refilled_at = case when q.step is null then t.refilled_at
                  else statement_timestamp() + make_interval(secs => q.ahead + a.events * q.step) end,
        accepted = t.accepted + a.events,
        last_event_at = statement_timestamp()
    from (select "webhookId", count(*) as events from accepted group by "webhookId") a
    join quota q on q.webhook_id = a."webhookId"
    where t.webhook_id = a."webhookId"
  )
  select d."eventId" as id, k.event_id as "knownAs", k.differs,
         ceil(1000 * (q.ahead + (greatest(q.free, 0) + 1 - q.burst) * q.step)) as "retryAfterMs"
  from delivery d left join known k on k.n = d.n left join quota q on q.webhook_id = d."webhookId"
  where d.n not in (select n from accepted)`

type NotAccepted = {
  id: EventId
  knownAs: EventId | null
  differs: boolean | null
  retryAfterMs: number | null
}

/** Once this returns, the accepted events survive a crash. No two of them may have the same key. */
export async function acceptEvents(
  pool: pg.Pool,
  events: readonly NewEvent[],
): Promise<Map<EventId, Receipt>> {
  const webhookIds = [...new Set(events.map(({ webhookId }) => webhookId))]
  const bytes = Buffer.concat(events.flatMap(({ body, payload }) => (payload ? [body, payload] : [body])))
  let bodyAt = 1
  const rows = events.map(({ body, payload, ...event }, n) => {
    const place = { bodyAt, bodyBytes: body.length, payloadBytes: payload?.length }
    bodyAt += body.length + (payload?.length ?? 0)
    // Half a character cannot be stored, and would fail the whole batch.
    const deliveryId = event.deliveryId?.toWellFormed()
    return { ...event, n, runId: runOf(event.eventId), deliveryId, ...place }
  })
  const values = [JSON.stringify(rows), bytes, keyDays, webhookIds]
  const client = await pool.connect()
  try {
    const [, , others] = await Promise.all([
      client.query(begin),
      client.query({ name: 'lock', text: lock, values: [webhookIds] }),
      client.query<NotAccepted>({ name: 'accept', text: accept, values }),
      client.query('commit'),
    ])
    client.release()
    const receipts = new Map(events.map(({ eventId }) => [eventId, acceptedReceipt(eventId)]))
    for (const row of others.rows) receipts.set(row.id, toReceipt(row))
    return receipts
  } catch (error) {
    client.release(true)
    throw error
  }
}

export function acceptedReceipt(eventId: EventId): Receipt {
  return { outcome: 'accepted', eventId, runId: runOf(eventId) }
}

function toReceipt({ knownAs, differs, retryAfterMs }: NotAccepted): Receipt {
  if (differs) return { outcome: 'conflict' }
  if (knownAs) return { outcome: 'duplicate', eventId: knownAs, runId: runOf(knownAs) }
  return { outcome: 'limited', retryAfterMs: retryAfterMs ?? 1000 }
}
