import type { Approval } from '../approvals/approval.ts'
import { diffInputs } from '../approvals/diff-inputs.ts'
import { findApproval } from '../approvals/store.ts'
import type {
  CallableTool,
  SignRequest,
  ToolAnswer,
  ToolErrorCode,
} from '../connectors/call/callable-tool.ts'
import type { ShownRequest } from '../connectors/http/show-request.ts'
import { withoutSignature } from '../connectors/http/signature-headers.ts'
import { parseExactJson } from '../platform/json/parse-exact-json.ts'
import type { ApprovalId } from '../shared/ids.ts'
import { failure, noSuchTool, refusalOf, unknownOutcome, voided } from './call-failures.ts'
import { endShown } from './end-tool-calls.ts'
import { findOffered, isSameVersion, isUnchanged } from './find-offered.ts'
import { askOrAllow } from './gate/ask-or-allow.ts'
import { decideWithPolicies } from './gate/decide-with-policies.ts'
import {
  type Answered,
  type GateCall,
  type GateContext,
  newCall,
  type Outcome,
  type Ready,
} from './gate/gate-call.ts'
import { signCall } from './gate/sign-call.ts'
import { openAskPerson } from './questions/ask-person.ts'
import { retryAfterOf } from './retry-after-of.ts'
import { sendCall } from './send-call.ts'
import { claimSending, findToolCall, insertToolCall } from './store.ts'
import type { ToolCall } from './tool-call.ts'

/**
 * The gate, and the only way to a tool: find, validate, decide, ask or refuse, send the frozen request, record.
 * It may run again for the same call after a crash, a decision or a restart; a call that must not be repeated is sent at most once.
 * Failures of the tool are returned as data for the model; only our own failures throw.
 */
export async function callTool(ctx: GateContext, asked: GateCall, signal: AbortSignal): Promise<Outcome> {
  const known = asked.isFresh ? null : await findToolCall(ctx.db, asked.callId)
  if (!known) return await beginCall(ctx, asked, signal)
  switch (known.state) {
    case 'answered':
    case 'refused':
    case 'unknown':
      return {
        kind: 'answered',
        answer: known.answer ?? failure('outcome_unknown', 'The answer was not recorded.'),
        ...(known.approvalId && known.state !== 'refused'
          ? approvedBy(asked, await findApproval(ctx.db, known.approvalId))
          : {}),
      }
    case 'sending':
      return await end(ctx, asked, known, 'unknown', failure('outcome_unknown', unknownOutcome))
    case 'waiting':
      return await continueWaiting(ctx, asked, known, signal)
    default:
      throw new Error(`Unhandled state ${known.state satisfies never}`)
  }
}

async function beginCall(ctx: GateContext, asked: GateCall, signal: AbortSignal): Promise<Outcome> {
  const tool = await findOffered(ctx, asked)
  const no = async (code: ToolErrorCode, reason: string, request: ShownRequest | null = null) => {
    const answer = failure(code, reason)
    const call = newCall(asked, tool, { decision: 'refuse', request })
    await insertToolCall(ctx.db, { ...call, state: 'refused', reason, answer })
    return { kind: 'answered' as const, answer }
  }
  if (!tool) return await no('invalid_input', noSuchTool(asked.name))
  const prepared = await tool.prepare(asked.input, asked.callId)
  if (prepared.kind === 'invalid') return await no('invalid_input', prepared.message)
  if (prepared.kind === 'refused') return await no('denied', prepared.message)
  const decision = await decideWithPolicies(ctx, asked, tool)
  switch (decision.kind) {
    case 'refuse':
      return await no('denied', decision.reason, prepared.shown)
    case 'ask-admin':
    case 'allow': {
      const begun = await askOrAllow(ctx, asked, tool, prepared, decision)
      // Null means that an edit came in between: decide again.
      if (begun === null) return await beginCall(ctx, asked, signal)
      if (begun.kind !== 'allowed') return begun
      const sign = signCall(ctx, begun.approvalId)
      return { ...(await sendRecorded(ctx, asked, tool, prepared, signal, { sign })), approvedBy: begun.by }
    }
    case 'run':
      // Also here: what was edited while the call was prepared is not sent without asking.
      if (!(await isUnchanged(ctx, asked, tool))) return await beginCall(ctx, asked, signal)
      return await sendNow(ctx, asked, tool, prepared, signal)
    default:
      throw new Error(`Unhandled decision ${decision satisfies never}`)
  }
}

/** How long a target is left alone that puts a read off and does not say until when. */
const unsaidWaitMs = 5000

/** A read is stored once, with its answer; any other call is stored before its first byte is sent. */
async function sendNow(
  ctx: GateContext,
  asked: GateCall,
  tool: CallableTool,
  prepared: Ready,
  signal: AbortSignal,
): Promise<Outcome> {
  const call = newCall(asked, tool, { decision: 'run', request: withoutSignature(prepared.shown) })
  if (tool.capability === 'read') {
    const startedAt = performance.now()
    const askPerson = openAskPerson(ctx, asked, tool.connectorName)
    let answer = await sendCall(ctx, prepared, signal, undefined, askPerson)
    const mayRepeat =
      answer.status === 429 && (await asked.wait?.(retryAfterOf(answer, ctx.now()) ?? unsaidWaitMs))
    if (mayRepeat && (await isUnchanged(ctx, asked, tool)))
      answer = await sendCall(ctx, prepared, signal, undefined, askPerson)
    await insertToolCall(ctx.db, {
      ...call,
      state: 'answered',
      answer,
      tookMs: performance.now() - startedAt,
    })
    return { kind: 'answered', answer }
  }
  const first = await insertToolCall(ctx.db, { ...call, state: 'sending' })
  if (!first) throw new Error(`Tool call ${asked.callId} is under way in another worker.`)
  return await sendRecorded(ctx, asked, tool, prepared, signal)
}

async function continueWaiting(
  ctx: GateContext,
  asked: GateCall,
  call: ToolCall,
  signal: AbortSignal,
): Promise<Outcome> {
  // A waiting call was stored together with its approval.
  const approvalId = call.approvalId as ApprovalId
  const approval = await findApproval(ctx.db, approvalId)
  if (approval?.status === 'pending') return { kind: 'waiting', approvalId }
  // A card that says no already has nothing to add.
  if (approval?.status !== 'approved')
    return await end(ctx, asked, { ...call, approvalId: null }, 'refused', refusalOf(approval))
  const refuse = (code: ToolErrorCode, reason: string) =>
    end(ctx, asked, call, 'refused', failure(code, reason))
  const tool = await findOffered(ctx, asked)
  // What people said yes to: what the model asked for, or what an approver made of it.
  const input = approval.editedInput === null ? asked.input : parseExactJson(approval.editedInput)
  const prepared = tool ? await tool.prepare(input, asked.callId) : null
  if (prepared?.kind === 'refused') return await refuse('denied', prepared.message)
  const isReady = prepared?.kind === 'ready' && prepared.digest === approval.digest
  if (!tool || !isReady || !isSameVersion(tool, approval)) return await refuse('approval_void', voided)
  const decision = await decideWithPolicies(ctx, { ...asked, input }, tool)
  if (decision.kind === 'refuse') return await refuse('denied', decision.reason)
  if (!(await claimSending(ctx.db, call.id, approval, asked.fence ?? null)))
    throw new Error(
      `Tool call ${call.id} is under way in another worker, its run is over, or its tool changed.`,
    )
  const signed = { approvalId, sign: signCall(ctx, approvalId) }
  return {
    ...(await sendRecorded(ctx, asked, tool, prepared, signal, signed)),
    ...approvedBy(asked, approval),
  }
}

/** The agent is told who let a call through. */
function approvedBy({ input }: GateCall, approval: Approval | null): Pick<Answered, 'approvedBy'> {
  if (approval?.status !== 'approved') return {}
  const { decidedBy, reason, editedBy, editedInput } = approval
  const edited =
    editedBy && editedInput !== null
      ? { edited: { by: editedBy.name, changes: diffInputs(input, parseExactJson(editedInput)) } }
      : {}
  return { approvedBy: { name: decidedBy?.name ?? 'An admin', reason, ...edited } }
}

async function sendRecorded(
  ctx: GateContext,
  asked: GateCall,
  tool: CallableTool,
  prepared: Ready,
  signal: AbortSignal,
  { approvalId = null, sign }: { approvalId?: ApprovalId | null; sign?: SignRequest } = {},
): Promise<Answered> {
  const { callId, fence, ownership } = asked
  const askPerson = openAskPerson(ctx, asked, tool.connectorName)
  const sent = await sendCall(ctx, prepared, signal, ownership, askPerson, sign)
  // We cut it off, so it may have taken effect all the same. If another worker has the run, that one says so.
  const isCut = sent.error?.code === 'cancelled'
  const answer = isCut ? failure('outcome_unknown', unknownOutcome) : sent
  const known = { id: callId, state: 'sending' as const, approvalId }
  await endShown(ctx, known, isCut ? 'unknown' : 'answered', answer, isCut ? fence : undefined)
  return { kind: 'answered', answer }
}

async function end(
  ctx: GateContext,
  { fence }: GateCall,
  call: ToolCall,
  to: 'refused' | 'unknown',
  answer: ToolAnswer,
): Promise<Outcome> {
  const moved = await endShown(ctx, call, to, answer, fence)
  if (!moved) throw new Error(`Tool call ${call.id} is under way in another worker.`)
  return { kind: 'answered', answer }
}
