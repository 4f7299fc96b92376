import type { EventId, WebhookId } from '../ids.ts'
import type { Db } from '../platform/db/database.ts'
import { moveEvent } from './store/move-events.ts'
import { announceChange, setPaused } from './store/webhooks.ts'

/** It has spent its budget: it accepts and keeps, starts nothing, and this event waits with the others. Gives since when; null if it is deleted. */
export async function pauseWebhook(
  tx: Db,
  webhookId: WebhookId,
  eventId: EventId,
  reason: string,
): Promise<Date | null> {
  const pausedAt = await setPaused(tx, webhookId, reason)
  await moveEvent(tx, eventId, 'accepted')
  await announceChange(tx, webhookId)
  return pausedAt
}
