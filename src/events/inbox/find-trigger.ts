import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { Trigger } from '../../shared/events.ts'
import type { EventId, WebhookId } from '../../shared/ids.ts'

type Row = Trigger['webhook'] &
  Omit<Trigger['event'], 'id' | 'body'> & { body: Buffer | null; webhookId: WebhookId }

export async function findTrigger(db: Db, eventId: EventId): Promise<Trigger | null> {
  const { rows } = await sql<Row>`
    select w.id as webhook_id, w.name, w.prompt, w.channel_id,
           case when c.external_id is null then c.name end as channel_name, w.ceiling, coalesce(w.connector_ids, c.connector_ids) as connector_ids,
           w.allow_silence, w.model, w.runs_per_hour, w.cost_per_day, e.run_id, coalesce(e.payload, e.body) as body,
           e.headers, e.received_at,
           case when e.payload is null then e.content_type else 'application/json' end as content_type,
           e.trigger = 'test' as is_test
    from events e join webhooks w on w.id = e.webhook_id left join channels c on c.id = w.channel_id
    where e.id = ${eventId}`.execute(db)
  const [row] = rows
  if (!row) return null
  const { webhookId, runId, body, headers, contentType, receivedAt, isTest, ...webhook } = row
  return {
    webhook: { ...webhook, id: webhookId },
    event: {
      id: eventId,
      runId,
      body: body?.toString('utf8') ?? null,
      headers,
      contentType,
      receivedAt,
      isTest,
    },
  }
}
