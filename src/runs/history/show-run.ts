import { showThumb, type ThumbRow } from '../../chat/thumbs/thumbs-of.ts'
import { parseExactJson } from '../../platform/json/parse-exact-json.ts'
import { kindOfSource, type ToolCallId } from '../../shared/ids.ts'
import { showSource } from '../../shared/source-fields.ts'
import { modelLabel } from '../../shared/wording/model-label.ts'
import type { RunSummary, StepShape, ToolCallShape } from '../contract.ts'
import { type Step, textOf } from '../loop/journal.ts'
import type { QueuedRun } from '../store/queued-runs.ts'
import type { Reply } from '../store/replies.ts'
import type { Run } from '../store/run-rows.ts'

export type ShownReply = Pick<Reply, 'kind' | 'text' | 'state' | 'messageId' | 'permalink'>

/** The current names of what the run came from, and of its channel; what its time went to, what it called, and what people think of its reply. */
export type RunNames = {
  sourceName: string | null
  channelName: string | null
  spans: RunSummary['spans']
  calledTools: string[]
  thumbs: ThumbRow[] | null
}

/** A run as callers see it, without its steps. */
export function showRun(run: Run, names: RunNames, reply: ShownReply | null): RunSummary {
  return {
    id: run.id,
    trigger: run.trigger,
    ...showSource(run.sourceId, names.sourceName),
    eventId: run.eventId,
    channelId: run.channelId,
    channelName: names.channelName,
    threadId: run.threadId,
    status: run.status,
    reply:
      reply === null || reply.kind === 'silence'
        ? null
        : { text: reply.text, state: reply.state, messageId: reply.messageId, permalink: reply.permalink },
    thumbs: names.thumbs?.map(showThumb) ?? null,
    error: run.errorCode === null ? null : { code: run.errorCode, message: run.errorMessage ?? '' },
    usage: { inputTokens: run.inputTokens, outputTokens: run.outputTokens },
    cost: run.cost,
    model: modelLabel(run.modelProvider, run.modelName),
    dryRun: run.dry,
    replayOf: run.replayOf,
    requestedBy: { kind: run.requester.kind, id: run.requester.id, name: run.requester.name },
    createdAt: run.askedAt.toISOString(),
    startedAt: run.startedAt?.toISOString() ?? null,
    endedAt: run.endedAt?.toISOString() ?? null,
    spans: names.spans,
    calledTools: names.calledTools,
    erased: run.erased,
  }
}

const statusOf = {
  accepted: 'queued',
  dispatched: 'queued',
  done: 'succeeded',
  failed: 'failed',
  dead: 'failed',
  missed: 'cancelled',
  ignored: 'cancelled',
  skipped: 'cancelled',
  notified: 'cancelled',
  joined: 'cancelled',
} as const satisfies Record<QueuedRun['eventStatus'], RunSummary['status']>

/** Described from the event alone: the run is queued, never started, or was already deleted. */
export function showQueued(queued: QueuedRun): RunSummary {
  return {
    id: queued.id,
    trigger: queued.trigger,
    ...showSource(queued.sourceId, queued.sourceName),
    eventId: queued.eventId,
    channelId: queued.channelId,
    channelName: queued.channelName,
    threadId: null,
    status: statusOf[queued.eventStatus],
    reply: null,
    thumbs: null,
    error:
      queued.eventStatus === 'dead'
        ? { code: 'not_started', message: 'It could not be started. Its event is kept and can be replayed.' }
        : null,
    usage: { inputTokens: 0, outputTokens: 0 },
    cost: 0,
    model: null,
    dryRun: false,
    replayOf: null,
    requestedBy: {
      kind: kindOfSource(queued.sourceId),
      id: queued.sourceId,
      name: queued.name,
    },
    createdAt: queued.receivedAt.toISOString(),
    startedAt: null,
    endedAt: queued.settledAt?.toISOString() ?? null,
    spans: [],
    calledTools: [],
    erased: false,
  }
}

export function showStep(step: Step): StepShape {
  return {
    seq: step.seq,
    text: textOf(step),
    calls: step.calls.map(({ callId, providerId, name, input }) => ({
      id: callId,
      tool: name,
      input,
      result: resultText(step, providerId),
    })),
    finishReason: step.finishReason,
    model: step.model.provider === '' ? null : modelLabel(step.model.provider, step.model.name),
    usage: { inputTokens: step.usage.inputTokens, outputTokens: step.usage.outputTokens },
    cost: step.usage.cost,
    modelMs: step.modelMs,
    startedAt: step.startedAt.toISOString(),
    endedAt: step.endedAt.toISOString(),
  }
}

/** The result that the model was shown for the call. */
function resultText({ results }: Step, providerId: string): string | null {
  const output = results?.find(({ toolCallId }) => toolCallId === providerId)?.output
  if (!output) return null
  if (output.type === 'text' || output.type === 'error-text') return output.value
  if (output.type !== 'content') return null
  return output.value.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}

export type ToolCallRow = {
  id: ToolCallId
  name: string
  connectorId: string | null
  toolId: string | null
  toolRevision: number | null
  input: string
  decision: string
  state: string
  reason: string | null
  request: string | null
  responseStatus: number | null
  responseContentType: string | null
  responseBody: string | null
  errorCode: string | null
  errorMessage: string | null
  warnings: string[]
  approvalId: string | null
  decidedBy: string | null
  startedAt: Date
  sentAt: Date | null
  endedAt: Date | null
  /** Only the beginning of the answer is included. */
  isCut: boolean | null
}

const cutWarning =
  'Only the beginning of this answer is shown here: the answers of this run are too long to be shown together.'

export function showToolCall(row: ToolCallRow): ToolCallShape {
  return {
    id: row.id,
    tool: row.name,
    connectorId: row.connectorId,
    toolId: row.toolId,
    revision: row.toolRevision,
    input: parseExactJson(row.input),
    decision: row.decision,
    state: row.state,
    reason: row.reason,
    // The gate wrote this text, with exactly this shape.
    request: row.request === null ? null : (JSON.parse(row.request) as ToolCallShape['request']),
    response:
      row.responseBody === null || (row.errorCode !== null && row.responseStatus === null)
        ? null
        : { status: row.responseStatus, contentType: row.responseContentType, body: row.responseBody },
    error: row.errorCode === null ? null : { code: row.errorCode, message: row.errorMessage ?? '' },
    warnings: row.isCut ? [...row.warnings, cutWarning] : row.warnings,
    approvalId: row.approvalId,
    decidedBy: row.decidedBy,
    startedAt: row.startedAt.toISOString(),
    sentAt: row.sentAt?.toISOString() ?? null,
    endedAt: row.endedAt?.toISOString() ?? null,
  }
}
