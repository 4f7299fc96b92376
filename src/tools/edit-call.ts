import type { Approval, CoveringPolicy } from '../approvals/approval.ts'
import {
  explainRefusal,
  readVoters,
  refuseNonApprover,
  type VoterContext,
} from '../approvals/decide-approval.ts'
import { replaceRequest } from '../approvals/decision-store.ts'
import { diffInputs } from '../approvals/diff-inputs.ts'
import { matchPolicies } from '../approvals/policies/match-policies.ts'
import { listInForce } from '../approvals/policies/store.ts'
import { lockEdits, type ShownApproval } from '../approvals/store.ts'
import { findToolApprovers } from '../approvals/tool-approvers.ts'
import type { FoundTool } from '../connectors/call/callable-tool.ts'
import { invalidField, invalidFields, problem } from '../http/problems.ts'
import { parseExactJson } from '../platform/json/parse-exact-json.ts'
import type { Caller } from '../shared/actor.ts'
import type { Approvers } from '../shared/approver-fields.ts'
import type { Audit } from '../shared/audit.ts'
import type { WebhookId } from '../shared/ids.ts'
import { isSameVersion } from './find-offered.ts'
import { applyPolicies, toCovering } from './gate/apply-policies.ts'
import type { GateContext, Ready } from './gate/gate-call.ts'
import { isCurrentTool, replaceShownRequest } from './store.ts'

export type EditContext = Pick<GateContext, 'db' | 'queue' | 'tools' | 'conditions' | 'now'> &
  VoterContext & { audit: Audit }

/**
 * Puts another question in the place of a pending one: what the agent wanted, as an approver corrected it. Nothing is approved by
 * that. The input is validated and the policies are asked as for a new call, and all who must say yes are asked again.
 */
export async function editCall(
  ctx: EditContext,
  { actor, source }: Caller,
  approval: ShownApproval,
  before: string,
  input: unknown,
): Promise<void> {
  await refuseNonApprover(ctx, approval, actor, 'edit', await readVoters(ctx, approval))
  const tool = await ctx.tools.find(approval.tool)
  if (!tool || !isSameVersion(tool, approval)) throw toolChanged()
  const prepared = await prepareEdit(tool, approval, input)
  if (prepared.digest === approval.digest) return
  const { kind, id, name } = actor
  await ctx.db.transaction().execute(async (tx) => {
    await lockEdits(tx)
    if (!(await isCurrentTool(tx, tool))) throw toolChanged()
    const asked = await askPolicies({ ...ctx, db: tx }, approval, tool, input)
    const edit = {
      from: approval,
      input,
      request: prepared.shown,
      digest: prepared.digest,
      by: { kind, id, name },
    }
    if (!(await replaceRequest(tx, { ...edit, ...asked }))) throw await explainRefusal(tx, approval.id)
    await replaceShownRequest(tx, approval.callId, prepared.shown)
    const changed = diffInputs(parseExactJson(before), input).map(({ at }) => at)
    await ctx.audit(tx, {
      actor,
      source,
      action: 'approval.edited',
      subject: approval.id,
      // Without the values: they are erased with their run.
      detail: {
        tool: approval.tool,
        runId: approval.runId,
        from: approval.digest,
        digest: prepared.digest,
        changed,
      },
    })
    await ctx.queue.send(tx, 'approval.show', { approvalId: approval.id }, { key: approval.id })
  })
}

async function prepareEdit(tool: FoundTool, { callId }: Approval, input: unknown): Promise<Ready> {
  const prepared = await tool.prepare(input, callId)
  if (prepared.kind === 'refused') throw invalidField('/input', prepared.message)
  if (prepared.kind === 'invalid')
    throw invalidFields(
      prepared.errors.map(({ pointer, detail }) => ({ pointer: `/input${pointer}`, detail })),
    )
  return prepared
}

/** An edit never makes a question easier: a policy may refuse it or ask for a confirmation, but says yes to nothing. */
async function askPolicies(
  ctx: EditContext,
  { kind, requestedBy, channelId }: Approval,
  tool: FoundTool,
  input: unknown,
): Promise<{ kind: Approval['kind']; policy: CoveringPolicy | null; approval: Approvers }> {
  const verdict = await matchPolicies(ctx, await listInForce(ctx.db, tool.toolId), {
    tool,
    input,
    requester: requestedBy,
    // The id of a webhook, where the requester is one.
    webhookId: requestedBy.kind === 'webhook' ? (requestedBy.id as WebhookId) : null,
    channelId,
  })
  const asked = { kind: 'ask-admin', confirmInChannel: kind === 'confirm', reason: null } as const
  const ofTool = await findToolApprovers(ctx.db, tool.toolId)
  const decision = applyPolicies(asked, tool.capability, verdict, ofTool)
  switch (decision.kind) {
    case 'refuse':
      throw invalidField('/input', decision.reason)
    case 'allow':
      return { kind, policy: toCovering({ ...decision.match, isShadow: false }), approval: decision.approval }
    case 'ask-admin':
      return {
        kind: decision.confirmInChannel ? 'confirm' : 'approve',
        policy: toCovering(decision.covered),
        approval: decision.approval,
      }
    case 'run':
      return { kind, policy: null, approval: ofTool }
    default:
      throw new Error(`Unhandled decision ${decision satisfies never}`)
  }
}

const toolChanged = () =>
  problem('approval-not-pending', 'The tool or its connector has changed, so this approval is void.')
