import { listTried } from '../../approvals/policies/list-tried.ts'
import { matchPolicies } from '../../approvals/policies/match-policies.ts'
import { listInForce } from '../../approvals/policies/store.ts'
import { findToolApprovers } from '../../approvals/tool-approvers.ts'
import type { CallableTool } from '../../connectors/call/callable-tool.ts'
import type { Conditions } from '../../platform/conditions/open-conditions.ts'
import { adminsApprove } from '../../shared/approver-fields.ts'
import type { ChannelId, RehearsalId } from '../../shared/ids.ts'
import { applyPolicies, type GateDecision } from './apply-policies.ts'
import { decideCall, type RightsContext, withRole } from './decide-call.ts'

export type PolicyContext = { conditions: Conditions; now: () => Date }

type Question = Parameters<typeof decideCall>[1] & { input: unknown; channelId: ChannelId }

/**
 * Rights and permission first, then the policies about the tool, with current rights and policies. In a rehearsal, those that are
 * tried come first.
 */
export async function decideWithPolicies(
  ctx: RightsContext & PolicyContext,
  asked: Question,
  tool: CallableTool,
  rehearsalId: RehearsalId | null = null,
): Promise<GateDecision> {
  const decision = await decideCall(ctx, asked, tool)
  const none = { active: null, shadow: null, fault: null }
  const tried = rehearsalId ? await listTried(ctx.db, rehearsalId, tool) : []
  const policies = decision.kind === 'refuse' ? [] : [...tried, ...(await listInForce(ctx.db, tool.toolId))]
  const asksPeople = decision.kind === 'ask-admin' || policies.length > 0
  const ofTool = asksPeople ? await findToolApprovers(ctx.db, tool.toolId) : adminsApprove
  if (policies.length === 0) return applyPolicies(decision, tool.capability, none, ofTool)
  const requester = await withRole(ctx, asked.requester)
  const verdict = await matchPolicies(ctx, policies, {
    tool,
    input: asked.input,
    requester,
    webhookId: asked.requester.kind === 'webhook' ? asked.requester.id : null,
    channelId: asked.channelId,
  })
  return applyPolicies(decision, tool.capability, verdict, ofTool)
}
