import { sql } from 'kysely'
import { createWaker } from '../../../platform/create-waker.ts'
import { type Db, isDiskFull } from '../../../platform/db/database.ts'
import { parseExactJson } from '../../../platform/json/parse-exact-json.ts'
import { type ApprovalId, type ChannelId, newId, type RunId, type ToolCallId } from '../../../shared/ids.ts'
import { callTool } from '../../../tools/call-tool.ts'
import { noteEdit } from '../../../tools/describe-edit.ts'
import { dropWaitingCalls } from '../../../tools/end-tool-calls.ts'
import type { Outcome } from '../../../tools/gate/gate-call.ts'
import type { Served, ServedCall } from '../../../tools/mcp-server/answer-mcp.ts'
import { findToolCall } from '../../../tools/store.ts'
import { newDelimiter } from '../../prompt/delimiter.ts'
import { releaseRun } from '../../store/leases.ts'
import { endRun, withheld } from '../../store/replies.ts'
import { insertRun, type Run } from '../../store/run-rows.ts'
import { holdLease } from '../hold-lease.ts'
import { internalFailure, maxTries, workersDied } from '../internal-failure.ts'
import type { RequestedCall } from '../journal.ts'
import type { RunContext } from '../run-context.ts'
import { toGateCall } from './call-environment.ts'

const maxCallMs = 6 * 60_000
/** Notifications may be lost. */
const lookAgainMs = 2000

type ServeContext = RunContext & {
  live: { followChanges(hear: (changes: { runs?: string[] | null } | 'missed') => void): () => void }
}

/**
 * A call that a program asks for, without a model: a run with exactly one tool call, through the same gate. If an admin must
 * decide, the caller waits a moment; the call is also made if the approval comes later.
 */
export async function serveCall(ctx: ServeContext, asked: ServedCall): Promise<Served> {
  const { agent } = await ctx.settings.read()
  if (agent.paused) return { kind: 'paused' }
  const waiting = await findWaiting(ctx.db, asked)
  if (waiting) return await awaitDecision(ctx, waiting, asked.waitMs)
  const takenAt = performance.now()
  const run = await insertServedRun(ctx, asked)
  const callId = newId('toolCall')
  const outcome = await advance(ctx, run, takenAt, { callId, name: asked.name, input: asked.input })
  if (outcome.kind === 'answered') return { ...outcome, runId: run.id, note: null }
  return await awaitDecision(ctx, { callId, runId: run.id, approvalId: outcome.approvalId }, asked.waitMs)
}

/** The job for such a run: its approval was decided, or its process died. */
export async function continueServedCall(ctx: RunContext, run: Run, takenAt: number): Promise<void> {
  const { agent } = await ctx.settings.read()
  if (agent.paused) {
    await releaseRun(ctx.db, run, { status: 'running', workMs: run.workMs, madeProgress: true })
    return
  }
  if (run.tries > maxTries) {
    ctx.log.error({ runId: run.id, reason: workersDied }, 'run.given_up')
    return await giveUp(ctx, run)
  }
  try {
    await continueCall(ctx, run, takenAt)
  } catch (error) {
    const madeProgress = isDiskFull(error)
    if (madeProgress || run.tries < maxTries) {
      await releaseRun(ctx.db, run, { status: 'running', workMs: run.workMs, madeProgress }).catch(
        () => false,
      )
      throw error
    }
    ctx.log.error({ runId: run.id, err: error }, 'run.given_up')
    await giveUp(ctx, run)
  }
}

async function continueCall(ctx: RunContext, run: Run, takenAt: number): Promise<void> {
  const { rows } = await sql<{ id: ToolCallId; name: string; input: string }>`
    select id, name, input from tool_calls where run_id = ${run.id}`.execute(ctx.db)
  const [call] = rows
  if (!call) {
    const message = 'Bellhop stopped before the call was made. Nothing was sent.'
    await finish(ctx, run, { code: 'interrupted', message })
    return
  }
  await advance(ctx, run, takenAt, { callId: call.id, name: call.name, input: parseExactJson(call.input) })
}

async function giveUp(ctx: RunContext, run: Run): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const ended = await finish({ ...ctx, db: tx }, run, internalFailure)
    if (ended) await dropWaitingCalls({ db: tx, queue: ctx.queue }, run.id)
  })
}

type OneCall = Pick<RequestedCall, 'callId' | 'name' | 'input'>

async function advance(ctx: RunContext, run: Run, takenAt: number, call: OneCall): Promise<Outcome> {
  const startedAt = performance.now()
  using lease = holdLease(ctx, run, maxCallMs, takenAt)
  const signal = AbortSignal.any([lease.signal, AbortSignal.timeout(maxCallMs)])
  const asked = toGateCall(run, { ...call, providerId: call.callId, fault: null })
  const outcome = await callTool(ctx, { ...asked, ownership: lease }, signal)
  if (outcome.kind === 'answered') await finish(ctx, run, outcome.answer.error)
  else {
    const workMs = Math.round(run.workMs + performance.now() - startedAt)
    await releaseRun(ctx.db, run, { status: 'waiting', workMs, madeProgress: true })
  }
  return outcome
}

/** False if another worker owns the run by now: that one ends it. */
async function finish(
  ctx: RunContext,
  run: Run,
  error: { code: string; message: string } | null,
): Promise<boolean> {
  const ended = { ...run, errorCode: error?.code ?? null, errorMessage: error?.message ?? null }
  if (!(await endRun(ctx.db, ended, withheld, run.fence))) return false
  ctx.metrics.runsEnded.inc({ status: error ? 'failed' : 'succeeded' })
  return true
}

type WaitingCall = { callId: ToolCallId; runId: RunId; approvalId: ApprovalId }

/** Whoever asks for the same thing again, until the answer of what was approved is there, waits for the same answer. */
async function findWaiting(db: Db, { name, input, requester }: ServedCall): Promise<WaitingCall | null> {
  const { rows } = await sql<WaitingCall>`
    select c.id as call_id, c.run_id, c.approval_id from tool_calls c join runs r on r.id = c.run_id
    where r.trigger = 'mcp' and r.status in ('running', 'waiting') and c.state in ('waiting', 'sending')
      and c.approval_id is not null and c.name = ${name}
      and c.input = ${JSON.stringify(input ?? null)} and r.requester ->> 'id' = ${requester.id}
    limit 1`.execute(db)
  return rows[0] ?? null
}

async function awaitDecision(
  { db, live }: ServeContext,
  { callId, runId, approvalId }: WaitingCall,
  waitMs: number,
): Promise<Served> {
  const deadline = performance.now() + waitMs
  const waker = createWaker()
  const leave = live.followChanges((changes) => {
    if (changes === 'missed' || changes.runs === null || changes.runs?.includes(runId)) waker.wake()
  })
  try {
    for (;;) {
      const call = await findToolCall(db, callId)
      if (call?.answer)
        return { kind: 'answered', runId, answer: call.answer, note: await noteEdit(db, approvalId) }
      const leftMs = deadline - performance.now()
      if (leftMs <= 0) return { kind: call?.state === 'sending' ? 'sending' : 'waiting', runId, approvalId }
      await waker.wait(Math.min(leftMs, lookAgainMs))
    }
  } finally {
    leave()
  }
}

async function insertServedRun(ctx: RunContext, { name, requester }: ServedCall): Promise<Run> {
  const set = await ctx.toolSets.current(null)
  const now = ctx.now()
  const run = await insertRun(ctx.db, {
    id: newId('run', now),
    trigger: 'mcp',
    sourceId: null,
    eventId: null,
    messageId: null,
    replayOf: null,
    channelId: await getFirstChannel(ctx.db),
    threadId: null,
    dry: false,
    requester,
    ceiling: null,
    connectorIds: null,
    readsAcross: 'all',
    allowSilence: true,
    prompt: `${requester.name} calls ${name} over MCP.`,
    system: '',
    modelProvider: 'none',
    modelName: '(the MCP client decides)',
    delimiter: newDelimiter(),
    turnNote: '',
    toolSet: set.digest,
    askedAt: now,
  })
  if (!run) throw new Error('A run with a new id was there already.')
  return run
}

/** Cards of calls without a channel are shown in the oldest channel of the built-in workspace. */
async function getFirstChannel(db: Db): Promise<ChannelId> {
  const { rows } = await sql<{ id: ChannelId }>`
    select c.id from channels c join workspaces w on w.id = c.workspace_id
    where w.platform = 'built-in' and c.kind = 'channel' and c.deleted_at is null order by c.created_at, c.id limit 1
  `.execute(db)
  if (!rows[0]) throw new Error('There is no channel in which to ask an admin. Create one in Bellhop first.')
  return rows[0].id
}
