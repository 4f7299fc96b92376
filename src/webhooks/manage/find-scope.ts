import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { WebhookId } from '../../shared/ids.ts'
import type { Scope } from '../../shared/scope.ts'

/** The current scope; null once the webhook is deleted. */
export async function findScope(db: Db, webhookId: WebhookId): Promise<Scope | null> {
  const { rows } = await sql<Scope>`
    select w.ceiling, coalesce(w.connector_ids, c.connector_ids) as connector_ids
    from webhooks w left join channels c on c.id = w.channel_id
    where w.id = ${webhookId} and w.state <> 'deleted'`.execute(db)
  return rows[0] ?? null
}
