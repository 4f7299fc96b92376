import { isDeepStrictEqual } from 'node:util'
import type { Person, Question } from '../../approvals/approval.ts'
import { takePlace } from '../../approvals/policies/store.ts'
import { recordAutomaticYes, requestApproval } from '../../approvals/request-approval.ts'
import { lockEdits } from '../../approvals/store.ts'
import type { CallableTool } from '../../connectors/call/callable-tool.ts'
import type { ApprovalId } from '../../shared/ids.ts'
import { failure, voided } from '../call-failures.ts'
import { insertToolCall, isCurrentTool, lockRun } from '../store.ts'
import { askInstead, type Covered, type GateDecision, toCovering } from './apply-policies.ts'
import { withRole } from './decide-call.ts'
import { decideWithPolicies } from './decide-with-policies.ts'
import { type GateCall, type GateContext, newCall, type Outcome, type Ready } from './gate-call.ts'

type Allowed = { kind: 'allowed'; approvalId: ApprovalId; by: { name: string; reason: null } }

/**
 * One transaction decides again, counts the cap, and stores the call with its approval. Null if the tool, the rights or a policy have
 * changed since the decision. An automatic call beyond the cap is asked about.
 */
export async function askOrAllow(
  ctx: GateContext,
  asked: GateCall,
  tool: CallableTool,
  prepared: Ready,
  decision: Extract<GateDecision, { kind: 'ask-admin' | 'allow' }>,
): Promise<Outcome | Allowed | null> {
  const { limits } = await ctx.settings.read()
  return await ctx.db.transaction().execute(async (tx): Promise<Outcome | Allowed | null> => {
    // Ending the run, or editing what it asks for, voids its approvals; one requested afterwards would stay pending.
    if (!(await lockRun(tx, asked.runId, asked.fence ?? null)))
      return { kind: 'answered', answer: failure('approval_void', voided) }
    await lockEdits(tx)
    const isStillSo = isDeepStrictEqual(await decideWithPolicies({ ...ctx, db: tx }, asked, tool), decision)
    if (!isStillSo || !(await isCurrentTool(tx, tool))) return null
    const question = (covered: Covered | null, confirmInChannel: boolean, requestedBy: Person): Question => ({
      kind: confirmInChannel ? 'confirm' : 'approve',
      callId: asked.callId,
      runId: asked.runId,
      tool,
      request: prepared.shown,
      digest: prepared.digest,
      requestedBy,
      channelId: asked.channelId,
      threadId: asked.threadId,
      // A confirmation needs a card of its own: it is given on the card and nowhere else.
      listKey: confirmInChannel ? null : (asked.listKey ?? null),
      expiresInSeconds: limits.approvalSeconds,
      policy: toCovering(covered),
      approval: decision.approval,
    })
    const requestedBy = await withRole({ ...ctx, db: tx }, asked.requester)
    if (decision.kind === 'allow' && (await takePlace(tx, decision.match))) {
      const { policy } = decision.match
      const approvalId = await recordAutomaticYes(
        tx,
        question({ ...decision.match, isShadow: false }, false, requestedBy),
        policy,
      )
      const call = newCall(asked, tool, { decision: 'run', request: prepared.shown })
      const first = await insertToolCall(tx, { ...call, state: 'sending', approvalId })
      if (!first) throw new Error(`Tool call ${asked.callId} is under way in another worker.`)
      return { kind: 'allowed', approvalId, by: { name: policy.name, reason: null } }
    }
    const { covered, confirmInChannel, reason } = askInstead(decision)
    const approvalId = await requestApproval(
      { db: tx, queue: ctx.queue },
      question(covered, confirmInChannel, requestedBy),
    )
    await insertToolCall(tx, {
      ...newCall(asked, tool, { decision: 'ask-admin', request: prepared.shown }),
      state: 'waiting',
      reason,
      approvalId,
    })
    return { kind: 'waiting', approvalId }
  })
}
