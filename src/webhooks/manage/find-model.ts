import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { OwnModel } from '../../shared/events.ts'
import type { WebhookId } from '../../shared/ids.ts'

/** The webhook's own model; null means the one in the settings. */
export async function findModel(db: Db, webhookId: WebhookId): Promise<OwnModel | null> {
  const { rows } = await sql<{ model: OwnModel | null }>`
    select model from webhooks where id = ${webhookId}`.execute(db)
  return rows[0]?.model ?? null
}
