import type { EventShape } from '../contract.ts'
import { isCredential } from '../inbox/select-headers.ts'
import { describeEvent } from './describe-event.ts'
import { beginningBytes, type EventRow } from './events.ts'

/** An event as the API shows it. A credential that the operator shows to the agent stays hidden on our own pages. */
export function showEvent(row: EventRow): EventShape {
  const headers = Object.entries(row.headers).map(([name, value]) => [
    name,
    isCredential(name) ? '••••' : value,
  ])
  return {
    id: row.id,
    webhookId: row.webhookId,
    webhookName: row.webhookName,
    runId: row.runId,
    status: row.status,
    trigger: row.trigger,
    receivedAt: row.receivedAt.toISOString(),
    settledAt: row.settledAt?.toISOString() ?? null,
    deliveryId: row.deliveryId,
    sizeBytes: row.sizeBytes,
    contentType: row.contentType,
    source: row.erasedAt ? null : row.source,
    headers: Object.fromEntries(headers),
    verification: row.verification,
    erased: row.erasedAt !== null,
    summary: describeEvent({
      headers: row.headers,
      beginning: row.beginning,
      isWhole: (row.beginning?.length ?? 0) < beginningBytes,
    }),
    reply: row.replyText === null ? null : { text: row.replyText, permalink: row.replyPermalink },
  }
}
