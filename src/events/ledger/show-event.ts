import { isScheduleId, isWatchId, watchedChannel } from '../../shared/ids.ts'
import { showSource } from '../../shared/source-fields.ts'
import type { EventShape } from '../contract.ts'
import { isCredential } from '../inbox/select-headers.ts'
import type { Verdict } from '../rules/judge-events.ts'
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
    ...showSource(row.sourceId, row.sourceName),
    runId: row.runId,
    status: row.status,
    trigger: row.trigger,
    receivedAt: row.receivedAt.toISOString(),
    settledAt: row.settledAt?.toISOString() ?? null,
    note: row.note,
    deliveryId: row.deliveryId,
    sizeBytes: row.sizeBytes,
    contentType: row.contentType,
    source: showOrigin(row),
    headers: Object.fromEntries(headers),
    verification: row.verification,
    erased: row.erasedAt !== null,
    summary: describeEvent({
      headers: row.headers,
      beginning: row.beginning,
      isWhole: (row.beginning?.length ?? 0) < beginningBytes,
    }),
    reply:
      row.replyText === null
        ? (row.verdict?.notice ?? null)
        : { text: row.replyText, permalink: row.replyPermalink },
    rule: row.verdict?.rule ? showRule(row.verdict.rule) : null,
    ruleFaults: row.verdict?.faults ?? [],
    threadKey: row.threadKey,
    threadKeyFault: row.verdict?.keyFault ?? null,
    collectsUntil: row.status === 'accepted' ? (row.dueAt?.toISOString() ?? null) : null,
    joinedTo: row.joinedTo,
  }
}

function showOrigin(row: EventRow): EventShape['source'] {
  const { sourceId, scheduledAt, receivedAt, messageId } = row
  if (isScheduleId(sourceId))
    return { kind: 'schedule', scheduleId: sourceId, dueAt: (scheduledAt ?? receivedAt).toISOString() }
  if (isWatchId(sourceId)) return { kind: 'watch', channelId: watchedChannel(sourceId), messageId }
  return { kind: 'webhook', webhookId: sourceId, address: row.erasedAt ? null : row.senderAddress }
}

export function showRule({ index, when, then, closes = false }: NonNullable<Verdict['rule']>) {
  return { index, when, then, closes }
}
