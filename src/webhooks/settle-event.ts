import type { EventId, WebhookId } from '../ids.ts'
import type { Db } from '../platform/db/database.ts'
import { moveEvent, setParked } from './store/events.ts'
import { announceChange, setPaused } from './store/webhooks.ts'

/** Its run has ended, in the caller's transaction. An event that was settled before stays as it is. */
export async function settleEvent(
  tx: Db,
  eventId: EventId,
  outcome: 'done' | 'failed' | 'dead',
): Promise<void> {
  await moveEvent(tx, eventId, outcome)
}

/** Its run waits for people (or works again): a parked event takes no place among those at work. */
export async function parkEvent(tx: Db, eventId: EventId, parked: boolean): Promise<void> {
  await setParked(tx, eventId, parked)
}

/** The webhook has spent its budget: it accepts and keeps, starts nothing, and this event waits with the others. Null if it is deleted. */
export async function pauseWebhook(
  tx: Db,
  webhookId: WebhookId,
  eventId: EventId | null,
  reason: string,
): Promise<Date | null> {
  const pausedAt = await setPaused(tx, webhookId, reason)
  if (eventId) await moveEvent(tx, eventId, 'accepted')
  await announceChange(tx, webhookId)
  return pausedAt
}
