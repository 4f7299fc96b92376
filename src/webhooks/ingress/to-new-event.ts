import { hash } from 'node:crypto'
import type { NewEvent } from '../../events/inbox/new-event.ts'
import { selectHeaders } from '../../events/inbox/select-headers.ts'
import { replaceNul } from '../../platform/db/replace-nul.ts'
import { newId, type WebhookId } from '../../shared/ids.ts'
import type { ReceivedDelivery, ValidDelivery } from './check-delivery.ts'
import { type DeliveryId, findDeliveryId } from './find-delivery-id.ts'
import type { CachedWebhook } from './url-cache.ts'

/** What is stored of a delivery that passed its checks. */
export function toNewEvent(
  webhook: CachedWebhook,
  received: ReceivedDelivery,
  { payload, verifiedBy }: ValidDelivery,
): NewEvent {
  const { verification } = webhook
  const proofs = verification?.headers ?? []
  // We sign a test event with a secret that the person who sends it must not see.
  const exposed = received.isTest
    ? webhook.exposeHeaders.filter((name) => !proofs.includes(name))
    : webhook.exposeHeaders
  const content = { rawHeaders: received.rawHeaders, body: payload ?? received.body }
  const id = findDeliveryId(verification?.preset ?? null, webhook.deliveryId, content, verifiedBy, proofs)
  // Often a test event is a copy of a real one, which must not be taken for a duplicate of it when it comes.
  const keyedBy = received.isTest ? null : id
  return {
    eventId: newId('event', received.now),
    webhookId: webhook.webhookId,
    trigger: received.isTest ? 'test' : 'webhook',
    key: keyedBy && deliveryKey(webhook.webhookId, keyedBy),
    bindsBody: keyedBy?.bindsBody ?? false,
    deliveryId: id && replaceNul(id.value).slice(0, 300),
    source: received.source,
    headers: selectHeaders(received.rawHeaders, exposed, proofs),
    contentType: received.contentType && replaceNul(received.contentType).slice(0, 300),
    verification: received.trusted ? 'test' : verification ? 'verified' : 'off',
    body: received.body,
    payload,
  }
}

/**
 * Stored instead of the id itself, which may be long or confidential. Half of SHA-256: no accidental collisions, and a sender that
 * searches for one harms only itself.
 */
function deliveryKey(webhookId: WebhookId, { source, value }: DeliveryId): string {
  const id = hash('sha256', `${source}\n${value}`, 'base64url')
  return hash('sha256', `${webhookId}\n${id}`, 'hex').slice(0, 32)
}
