import { moveEvent } from '../../events/inbox/move-events.ts'
import type { Db } from '../../platform/db/database.ts'
import type { EventId, WebhookId } from '../../shared/ids.ts'
import { notifyWebhookChanged, setPaused } from '../store/webhooks.ts'

/**
 * The webhook has spent its budget: it accepts and keeps events but starts none, and this event waits with the others. Returns
 * the time of the pause; null if it is deleted.
 */
export async function pauseWebhook(
  tx: Db,
  webhookId: WebhookId,
  eventId: EventId,
  reason: string,
): Promise<Date | null> {
  const pausedAt = await setPaused(tx, webhookId, reason)
  await moveEvent(tx, eventId, 'accepted')
  await notifyWebhookChanged(tx, webhookId)
  return pausedAt
}
