import { setTimeout as pause } from 'node:timers/promises'
import type { ToolResultPart } from 'ai'
import type { Settings } from '../../../settings/open-settings.ts'
import type { Audit } from '../../../shared/audit.ts'
import { callTool } from '../../../tools/call-tool.ts'
import { describeEdit } from '../../../tools/describe-edit.ts'
import type { GateContext, Outcome } from '../../../tools/gate/gate-call.ts'
import type { ListContext } from '../../../tools/list-tools.ts'
import { retryAfterOf } from '../../../tools/retry-after-of.ts'
import { answerBuiltIn, type PendingResult, refusal } from '../../built-in-tools/answer-built-in.ts'
import { isBuiltInTool } from '../../built-in-tools/built-in-tools.ts'
import type { ComeBackContext } from '../../built-in-tools/come-back.ts'
import { nameNearestTools } from '../../built-in-tools/name-nearest-tools.ts'
import type { ProposeContext } from '../../built-in-tools/propose-schedule.ts'
import { shareRoom } from '../../prompt/paging/share-room.ts'
import { renderAnswer, type ToolAnswer } from '../../prompt/render-answer.ts'
import type { WorkSession } from '../hold-lease.ts'
import type { RequestedCall, Step } from '../journal.ts'
import { answerDryCall } from './answer-dry-call.ts'
import { type CallEnvironment, toGateCall } from './call-environment.ts'
import { listAsking } from './list-asking.ts'

type Context = { settings: Settings; audit: Audit } & GateContext &
  ListContext &
  ProposeContext &
  ComeBackContext

/**
 * Why calls are left, the most urgent reason first: somebody paused the agent meanwhile, the service stops, or an admin must decide.
 * All calls that could be made were made.
 */
const reasonsToLeave = ['paused', 'stopping', 'waiting'] as const
type Left = (typeof reasonsToLeave)[number]
type Answered = { kind: 'answered'; results: ToolResultPart[] } | { kind: Left }

type Session = Pick<WorkSession, 'workMs' | 'lost' | 'stopping' | 'ownership'>

export async function answerCalls(
  ctx: Context,
  env: CallEnvironment,
  steps: readonly Step[],
  session: Session,
): Promise<Answered> {
  const calls = steps.at(-1)?.calls ?? []
  // Reads are sent in parallel. Other calls are made one at a time in the model's order, since one may depend on another. One that
  // waits for an admin does not hold up the next: of several writes, the one approved first is sent first.
  const reads: Promise<CallOutcome>[] = []
  const others: Promise<CallOutcome>[] = []
  const listKey = listKeyOf(env, steps)
  const answers = calls.map((call) => {
    const isRead =
      env.set.byName.get(call.name)?.capability === 'read' || isBuiltInTool(call.name) || call.fault
    const answer = () => answerCall(ctx, env, call, session, listKey)
    return isRead ? enqueue(reads, maxParallelReads, answer) : enqueue(others, 1, answer)
  })
  const settled = await Promise.allSettled(answers)
  const answered: PendingResult[] = []
  const left = new Set<Left>()
  for (const answer of settled) {
    if (answer.status === 'rejected') throw answer.reason
    if (typeof answer.value === 'object') answered.push(answer.value)
    else left.add(answer.value)
  }
  const kind = reasonsToLeave.find((reason) => left.has(reason))
  return kind ? { kind } : { kind: 'answered', results: await renderAll(answered, env.maxBytes) }
}

/** Rendered once all answers of the step are known: small ones are shown whole, and the others share the room that is left. */
async function renderAll(
  answered: readonly PendingResult[],
  { each, together }: CallEnvironment['maxBytes'],
): Promise<ToolResultPart[]> {
  const share = shareRoom(
    answered.map(({ bytes }) => Math.min(bytes, each)),
    together,
  )
  return await Promise.all(answered.map(({ render }) => render(Math.min(share, each))))
}

const maxCards = 5

/** A step that asks for more than a few approvals asks for all of them in one message. */
function listKeyOf({ run, set }: CallEnvironment, steps: readonly Step[]): string | null {
  const asking = listAsking(run, set, steps).filter(
    ({ name }) => set.byName.get(name)?.permission !== 'confirm',
  )
  return asking.length > maxCards ? `list ${asking[0]?.callId}` : null
}

/** An answer may be megabytes long, and all runs share the memory of the process. */
const maxParallelReads = 8

/** Starts when the task `places` before it in the line has ended, and never if that one threw. */
function enqueue<T>(line: Promise<T>[], places: number, work: () => Promise<T>): Promise<T> {
  const mine = line.at(-places)?.then(work) ?? work()
  line.push(mine)
  return mine
}

type CallOutcome = PendingResult | Left

async function answerCall(
  ctx: Context,
  env: CallEnvironment,
  call: RequestedCall,
  session: Session,
  listKey: string | null,
): Promise<CallOutcome> {
  const { lost, stopping } = session
  // Checked before each call: somebody may pause the agent while an earlier call is under way.
  const { agent, limits } = await ctx.settings.read()
  if (agent.paused) return 'paused'
  // The run is no longer ours: what has not begun is left to whoever owns it now.
  lost.throwIfAborted()
  if (stopping.aborted) return 'stopping'
  if (call.fault) return refusal(call, call.fault)
  if (isBuiltInTool(call.name)) return await answerBuiltIn(ctx, env, call)
  const { run } = env
  const pending = (answer: ToolAnswer, note: string | null = null): PendingResult => ({
    bytes: Buffer.byteLength(answer.body),
    render: (maxBytes) =>
      renderAnswer(call, answer, { delimiter: run.delimiter, takesImages: env.takesImages, maxBytes, note }),
  })
  if (!env.set.byName.has(call.name)) return refusal(call, nameNearestTools(env.set, call.name))
  if (run.dry) return pending(await answerDryCall(ctx, env, call, lost))
  const wait = (ms: number) => waitBriefly(session, ms, limits.workSecondsPerRun * 1000)
  const outcome = await callTool(
    ctx,
    { ...toGateCall(run, call, env), ownership: session.ownership, wait, listKey },
    lost,
  )
  if (outcome.kind === 'waiting') return 'waiting'
  const note = noteOn(outcome, env.set.byName.get(call.name)?.capability === 'read', ctx.now())
  return pending(outcome.answer, note)
}

const longestWaitMs = 60_000

/** False if it would take too long, or the run ends or is handed over meanwhile. */
async function waitBriefly(
  { workMs, lost, stopping }: Session,
  ms: number,
  budgetMs: number,
): Promise<boolean> {
  if (ms > Math.min(longestWaitMs, budgetMs - workMs())) return false
  const signal = AbortSignal.any([lost, stopping])
  return await pause(ms, true, { signal }).catch(() => false)
}

const oneLine = (name: string) => name.replaceAll(/\s+/g, ' ')

/** What the model cannot see in the answer itself: who approved the call, or what to do if the target put it off. */
function noteOn(
  { answer, approvedBy }: Extract<Outcome, { kind: 'answered' }>,
  isRead: boolean,
  now: Date,
): string | null {
  if (approvedBy) {
    const { name, reason, edited } = approvedBy
    const approved = `${oneLine(name)} approved this call${reason ? `: ${reason}` : '.'}`
    return edited ? `${describeEdit(edited)} ${approved}` : approved
  }
  if (answer.status !== 429 || !isRead) return null
  const waitMs = retryAfterOf(answer, now)
  return waitMs === null
    ? 'The target is receiving too many requests. Go on without this answer, or try once more later.'
    : `The target is receiving too many requests and asks to wait ${Math.ceil(waitMs / 1000)} s before the next one. Go on without this answer, or say so in your reply.`
}
