import { toolLabel } from '../../../../src/shared/tool-label.ts'
import type { Attempt, Run, RunSpan, Step, ToolCall } from '../../../contract.ts'
import type { Tone } from '../../../ui/feedback/status-badge.tsx'
import { formatCompact } from '../../../ui/text/format-number.ts'
import { plural } from '../../../ui/text/plural.ts'
import { formatMilliseconds } from '../format-duration.ts'
import { hasEnded } from '../use-runs.ts'
import { readFoundTools } from './found-tools.tsx'

type BuiltInCall = Step['calls'][number]

/** What a row of the trace is about. */
export type RowSubject =
  | { kind: 'event' }
  | { kind: 'model'; step: Step | null; attempts: Attempt[]; isReply: boolean }
  | { kind: 'tool'; call: ToolCall; result: string | null }
  | { kind: 'built-in'; call: BuiltInCall }
  | { kind: 'reply'; text: string }

export type TraceRow = {
  id: string
  title: string
  /** Who decided about a call that waited, or what failed before. */
  note: string | null
  /** Tokens, or how long it took. */
  figures: string
  /** What a model call cost, if that is known. */
  cost?: number
  tone: Tone
  spans: RunSpan[]
  /** Belongs to the model call above it. */
  inner: boolean
  subject: RowSubject
}

/** What happened, in order: the event, each model call with the calls it made, the reply. */
export function traceRows(run: Run): TraceRow[] {
  const calls = new Map(run.toolCalls.map((call) => [call.id, call]))
  const stepped = new Set(run.steps.flatMap((step) => step.calls.map(({ id }) => id)))
  const since = sinceStart(run)
  const attemptsBefore = (seq: number) => run.attempts.filter((attempt) => attempt.seq === seq)
  const last = run.steps.at(-1)?.seq ?? 0
  const pending = attemptsBefore(last + 1)
  const current = currentSpan(run)
  return [
    eventRow(run),
    ...run.steps.flatMap((step) => [
      modelRow(run, step, attemptsBefore(step.seq), since),
      ...step.calls.map((asked) => {
        const call = calls.get(asked.id)
        return call
          ? toolRow(call, asked.result, since)
          : builtInRow(asked, step, since, isUnderWay(run, asked))
      }),
    ]),
    ...run.toolCalls.filter(({ id }) => !stepped.has(id)).map((call) => toolRow(call, null, since)),
    ...(pending.length > 0 || current?.kind === 'model'
      ? [unansweredRow(run, last + 1, [...spansOf(pending, since), ...(current ? [current] : [])], pending)]
      : []),
    ...(run.reply ? [replyRow(run, run.reply.text)] : []),
  ]
}

/** What is at work and not among the spans of the run: reads, which are recorded with their answer, or else the model. */
export function currentSpan(run: Run): RunSpan | null {
  if (
    run.status !== 'running' ||
    run.modelPause ||
    run.reply ||
    run.toolCalls.some(({ endedAt }) => endedAt === null)
  )
    return null
  const since = sinceStart(run)
  const last = run.steps.at(-1)
  if (last?.calls.some((call) => isUnderWay(run, call)))
    return { kind: 'tool', atMs: since(last.endedAt), ms: null }
  // The model began when everything before it had ended.
  const ends = run.spans.map(({ atMs, ms }) => atMs + (ms ?? 0))
  return { kind: 'model', atMs: Math.max(0, ...ends), ms: null }
}

/** A call of a connector without a record. Built-in tools never have one. */
function isUnderWay(run: Run, { id, tool }: BuiltInCall): boolean {
  const isOfLastStep = run.steps.at(-1)?.calls.some((call) => call.id === id) === true
  const isRecorded = run.toolCalls.some((call) => call.id === id)
  return run.status === 'running' && isOfLastStep && !isRecorded && tool.includes('__')
}

type Since = (at: string) => number

function sinceStart({ startedAt, createdAt }: Run): Since {
  const start = new Date(startedAt ?? createdAt).getTime()
  return (at) => new Date(at).getTime() - start
}

function eventRow(run: Run): TraceRow {
  return {
    id: 'event',
    title: run.eventId ? 'Event received' : 'Request received',
    note: null,
    figures: '',
    tone: 'idle',
    spans: [],
    inner: false,
    subject: { kind: 'event' },
  }
}

function spansOf(attempts: Attempt[], since: Since): RunSpan[] {
  const between = (kind: RunSpan['kind'], from: string, to: string) => ({
    kind,
    atMs: since(from),
    ms: Math.max(since(to) - since(from), 0),
  })
  return attempts.flatMap(({ startedAt, endedAt, retryAt }) => [
    between('retry', startedAt, endedAt),
    ...(retryAt ? [between('pause', endedAt, retryAt)] : []),
  ])
}

function modelRow(run: Run, step: Step, attempts: Attempt[], since: Since): TraceRow {
  const isReply = step.text !== '' && step.text === run.reply?.text
  const asked = step.calls.map(({ tool }) => toolLabel(tool)).join(', ')
  return {
    id: `step-${step.seq}`,
    title: `Model call ${step.seq}`,
    note: attempts.length > 0 ? `after ${plural(attempts.length, 'failure')}` : null,
    figures: `${formatCompact(step.usage.inputTokens)} → ${formatCompact(step.usage.outputTokens)} tok · ${formatMilliseconds(step.modelMs)}`,
    cost: step.cost,
    tone: step.text === '' && asked === '' ? 'bad' : 'good',
    spans: [...spansOf(attempts, since), { kind: 'model', atMs: since(step.startedAt), ms: step.modelMs }],
    inner: false,
    subject: { kind: 'model', step, attempts, isReply },
  }
}

/** A model call without an answer, so far or for good. */
function unansweredRow(run: Run, seq: number, spans: RunSpan[], attempts: Attempt[]): TraceRow {
  const ended = hasEnded(run)
  return {
    id: `step-${seq}`,
    title: ended ? `Model call ${seq} failed` : `Model call ${seq}`,
    note: null,
    figures: attempts.length > 0 ? plural(attempts.length, 'failed attempt') : '',
    tone: ended ? 'bad' : run.modelPause ? 'waiting' : 'busy',
    spans,
    inner: false,
    subject: { kind: 'model', step: null, attempts, isReply: false },
  }
}

function toolRow(call: ToolCall, result: string | null, since: Since): TraceRow {
  const { startedAt, sentAt, endedAt, approvalId } = call
  const until = (at: string | null) => (at ? Math.max(since(at), 0) : null)
  const sent = until(sentAt)
  const ended = until(endedAt)
  const waited = sent ?? ended
  const begun = since(startedAt)
  return {
    id: call.id,
    title: toolLabel(call.tool),
    note: noteOf(call),
    figures: [
      call.error ? null : call.response?.status,
      sent !== null && ended !== null ? formatMilliseconds(ended - sent) : null,
    ]
      .filter((part) => part !== null && part !== undefined)
      .join(' · '),
    tone: call.error || (call.response?.status ?? 0) >= 400 ? 'bad' : ended === null ? 'waiting' : 'good',
    spans: [
      ...(approvalId
        ? [
            {
              kind: 'waiting' as const,
              atMs: begun,
              ms: waited === null ? null : Math.max(waited - begun, 0),
            },
          ]
        : []),
      ...(sent === null
        ? []
        : [{ kind: 'tool' as const, atMs: sent, ms: ended === null ? null : Math.max(ended - sent, 0) }]),
    ],
    inner: true,
    subject: { kind: 'tool', call, result },
  }
}

function noteOf({ decidedBy, sentAt, endedAt }: ToolCall): string | null {
  if (decidedBy === null) return null
  return `${sentAt === null && endedAt !== null ? 'denied' : 'approved'} by ${decidedBy}`
}

function builtInRow(call: BuiltInCall, step: Step, since: Since, isUnderWay: boolean): TraceRow {
  const about = call.input as Record<string, unknown> | null // what the model sent, whatever it is
  const query = typeof about === 'object' ? about?.query : undefined
  const found = readFoundTools(call.tool, call.result)
  return {
    id: call.id,
    title: `${toolLabel(call.tool)}${typeof query === 'string' ? ` “${query}”` : ''}`,
    note: null,
    figures: found ? `${plural(found.length, 'tool')} found` : '',
    tone: isUnderWay ? 'busy' : 'good',
    spans: [{ kind: 'tool', atMs: since(step.endedAt), ms: isUnderWay ? null : 0 }],
    inner: true,
    subject: { kind: 'built-in', call },
  }
}

function replyRow(run: Run, text: string): TraceRow {
  const what = run.error ? 'Failure notice' : 'Reply'
  const words = { posted: 'posted', pending: 'is being posted', withheld: 'not posted' }
  const posting = run.spans.filter(({ kind }) => kind === 'posting')
  return {
    id: 'reply',
    title: `${what} ${words[run.reply?.state ?? 'pending']}`,
    note: null,
    figures: posting.map(({ ms }) => (ms === null ? '' : formatMilliseconds(ms))).join(),
    tone: run.error ? 'bad' : 'good',
    spans: posting,
    inner: false,
    subject: { kind: 'reply', text },
  }
}
