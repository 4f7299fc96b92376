import { isScheduleId, isWatchId, watchedChannel } from '../../shared/ids.ts'
import { showSource } from '../../shared/source-fields.ts'
import type { EventShape } from '../contract.ts'
import { isCredential } from '../inbox/select-headers.ts'
import type { Verdict } from '../rules/judge-events.ts'
import { classifyEvent } from './describe-event.ts'
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
    waitsForApproval: row.waitsForApproval,
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
    ...classify(row),
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

/** The database has read the beginning of the body only. */
export function classify({ headers, beginning }: Pick<EventRow, 'headers' | 'beginning'>) {
  return classifyEvent({ headers, beginning, isWhole: (beginning?.length ?? 0) < beginningBytes })
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
