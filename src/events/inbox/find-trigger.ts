import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { ChannelId, EventId, RunId, WebhookId } from '../../shared/ids.ts'
import type { Scope } from '../../shared/scope.ts'

/** A webhook's own model, used instead of the one in the settings. */
export type OwnModel = { provider: string; name: string }

/** An event and its webhook as they are now: what a run starts from. */
export type Trigger = {
  webhook: Scope & {
    id: WebhookId
    name: string
    prompt: string
    channelId: ChannelId
    /** Null on chat platforms, where people outside choose the names: that text is not trusted. */
    channelName: string | null
    allowSilence: boolean
    model: OwnModel | null
    runsPerHour: number | null
    costPerDay: number | null
  }
  event: {
    id: EventId
    runId: RunId
    /** Exactly the text that arrived, or the JSON from a form field; null once erased. */
    body: string | null
    headers: Record<string, string>
    contentType: string | null
    receivedAt: Date
    isTest: boolean
  }
}

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

/** The webhook's own model; null means the one in the settings. */
export async function findOwnModel(db: Db, webhookId: WebhookId): Promise<OwnModel | null> {
  const { rows } = await sql<{ model: OwnModel | null }>`
    select model from webhooks where id = ${webhookId}`.execute(db)
  return rows[0]?.model ?? null
}
