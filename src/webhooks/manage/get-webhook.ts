import { problem } from '../../http/problems.ts'
import type { Db } from '../../platform/db/database.ts'
import type { WebhookId } from '../../shared/ids.ts'
import { findWebhook, type WebhookRow } from '../store/webhooks.ts'

/** Throws if it does not exist or is deleted. */
export async function getWebhook(
  db: Db,
  id: WebhookId,
  options: { lock?: boolean } = {},
): Promise<WebhookRow> {
  const row = await findWebhook(db, id, options)
  if (!row) throw problem('not-found', 'There is no webhook with this id.')
  return row
}
