import type { EventId, RunId, WebhookId } from '../../shared/ids.ts'
import type { EventHeaders } from './select-headers.ts'

/** What is to become an event: it passed all checks of its sender. */
export type NewEvent = {
  eventId: EventId
  webhookId: WebhookId
  trigger: 'webhook' | 'test'
  /** A digest of the webhook and the id that the sender gave the delivery, 16 bytes as hex; null without an id. */
  key: string | null
  /** Another body with the same key is a mistake of the sender. */
  bindsBody: boolean
  deliveryId: string | null
  source: string
  headers: EventHeaders
  contentType: string | null
  verification: 'off' | 'verified' | 'test'
  body: Buffer
  /** The JSON inside a form. */
  payload: Buffer | null
}

export type Receipt =
  | { outcome: 'accepted' | 'duplicate'; eventId: EventId; runId: RunId }
  | { outcome: 'conflict' }
  | { outcome: 'limited'; retryAfterMs: number }
  | { outcome: 'unavailable' | 'disk-full' }
