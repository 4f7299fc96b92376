import type { DeliveryIdSource } from '../contract.ts'
import type { Preset } from '../verification/presets.ts'
import { readHeader } from '../verification/read-header.ts'
import { readPointer } from '../verification/read-pointer.ts'
import type { Delivery, Scheme } from '../verification/scheme.ts'

export type DeliveryId = {
  /** Where it was found: the same text in two headers means two deliveries. */
  source: string
  value: string
  /** The sender chose this key for this body, so another body with the same key is answered 409. */
  bindsBody: boolean
}

const wellKnown = [
  'Idempotency-Key',
  'webhook-id',
  'svix-id',
  'X-GitHub-Delivery',
  'X-Gitlab-Event-UUID',
  'Linear-Delivery',
  'X-Shopify-Webhook-Id',
].map((header) => ({ header }))

const bodyBinding = new Set(['idempotency-key', 'webhook-id', 'svix-id'])

/** The sender's own id for this delivery, by which retries are recognised. Without one there is no deduplication. */
export function findDeliveryId(
  preset: Pick<Preset, 'deliveryIds'> | null,
  configured: DeliveryIdSource | null,
  delivery: Pick<Delivery, 'rawHeaders' | 'body'>,
  verifiedBy: Pick<Scheme, 'template'> | null = null,
  /** In lower case. A header that authenticates the sender does not identify a delivery, and may hold a secret. */
  proofs: readonly string[] = [],
): DeliveryId | null {
  const own = preset?.deliveryIds ?? []
  // An id inside the signed content comes first: otherwise a captured delivery could be replayed with new ids.
  const signed = own.filter(
    (source) => 'header' in source && verifiedBy?.template.includes(`{header:${source.header}}`),
  )
  const sources = [...signed, ...own, ...wellKnown, ...(configured ? [configured] : [])]
  for (const source of sources) {
    if ('header' in source && proofs.includes(source.header.toLowerCase())) continue
    const found =
      'header' in source ? fromHeader(source.header, delivery) : fromBody(source.pointer, delivery)
    if (found) return found
  }
  return null
}

function fromHeader(header: string, delivery: Pick<Delivery, 'rawHeaders'>): DeliveryId | null {
  const read = readHeader(delivery.rawHeaders, header)
  if (read.kind !== 'one') return null
  const name = header.toLowerCase()
  return { source: name, value: read.value, bindsBody: bodyBinding.has(name) }
}

function fromBody(pointer: string, delivery: Pick<Delivery, 'body'>): DeliveryId | null {
  const value = readPointer(delivery.body, pointer)
  return value === undefined ? null : { source: pointer, value, bindsBody: false }
}
