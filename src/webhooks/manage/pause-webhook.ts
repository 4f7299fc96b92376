import type { Db } from '../../platform/db/database.ts'
import type { WebhookId } from '../../shared/ids.ts'
import { notifyWebhookChanged, setPaused } from '../store/webhooks.ts'

/** The webhook accepts and keeps events but starts none. Returns the time of the pause; null if it is deleted. */
export async function pauseWebhook(tx: Db, webhookId: WebhookId, reason: string): Promise<Date | null> {
  const pausedAt = await setPaused(tx, webhookId, reason)
  await notifyWebhookChanged(tx, webhookId)
  return pausedAt
}
