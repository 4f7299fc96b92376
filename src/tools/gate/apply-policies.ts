import type { CoveringPolicy } from '../../approvals/approval.ts'
import type { PolicyMatch } from '../../approvals/policies/policy.ts'
import type { Capability } from '../../connectors/contract.ts'
import type { Approvers } from '../../shared/approver-fields.ts'
import type { Decision } from './decide-policy.ts'

/** What policies say about a call. `fault`: one that comes first could not be evaluated. */
export type PolicyVerdict = { active: PolicyMatch | null; shadow: PolicyMatch | null; fault: string | null }

export type GateDecision =
  | Exclude<Decision, { kind: 'ask-admin' }>
  /** `covered`: the policy that covers the call, or would if it were active. */
  | (Extract<Decision, { kind: 'ask-admin' }> & { covered: Covered | null; approval: Approvers })
  /** Without a person, as far as the policy's cap goes. */
  | { kind: 'allow'; match: PolicyMatch; approval: Approvers }
export type Covered = PolicyMatch & { isShadow: boolean }

/** What the approval keeps of it. */
export function toCovering(covered: Covered | null): CoveringPolicy | null {
  if (!covered) return null
  const { policy, amount, isShadow } = covered
  return { id: policy.id, says: policy.then, amount, isShadow }
}

/**
 * The decision without policies is the last word on what is refused and on what needs a confirmation: a policy can make a call
 * stricter, and can make automatic only a write that would have asked an admin for no other reason than its permission.
 */
export function applyPolicies(
  decision: Decision,
  capability: Capability,
  { active, shadow, fault }: PolicyVerdict,
  ofTool: Approvers,
): GateDecision {
  if (decision.kind === 'refuse') return decision
  const approval = approversOf(ofTool, fault === null ? active : null)
  const covered = active ? { ...active, isShadow: false } : shadow && { ...shadow, isShadow: true }
  const asIs: GateDecision = decision.kind === 'run' ? decision : { ...decision, covered, approval }
  const ask = (confirmInChannel: boolean, reason: string | null): GateDecision =>
    decision.kind === 'ask-admin'
      ? { ...decision, confirmInChannel: decision.confirmInChannel || confirmInChannel, covered, approval }
      : { kind: 'ask-admin', confirmInChannel, reason, covered, approval }
  // Nobody knows what the first one would have said.
  if (fault !== null && active?.policy.then !== 'deny') return ask(false, fault)
  if (!active) return asIs
  const { policy } = active
  switch (policy.then) {
    case 'deny':
      return { kind: 'refuse', reason: `The policy “${policy.name}” does not allow this call.` }
    case 'confirm':
      return ask(true, `The policy “${policy.name}” asks for a confirmation.`)
    case 'approve':
      return ask(false, `The policy “${policy.name}” asks an admin.`)
    case 'auto': {
      const mayAllow =
        decision.kind === 'ask-admin' &&
        !decision.confirmInChannel &&
        decision.reason === null &&
        capability !== 'destructive'
      return mayAllow ? { kind: 'allow', match: active, approval } : asIs
    }
    default:
      throw new Error(`Unhandled decision ${policy.then satisfies never}`)
  }
}

/** What the policy that covers a call says about its approvers, and the tool about the rest. */
function approversOf(ofTool: Approvers, active: PolicyMatch | null): Approvers {
  if (!active) return ofTool
  const { approvers, approvalsNeeded, requesterMayApprove, escalate } = active.policy.approval
  return {
    approvers: approvers ?? ofTool.approvers,
    approvalsNeeded: approvalsNeeded ?? ofTool.approvalsNeeded,
    requesterMayApprove: requesterMayApprove ?? ofTool.requesterMayApprove,
    escalate: escalate ?? ofTool.escalate,
  }
}

/** How a call is asked about that was not automatic after all: the cap of its policy is reached. */
export function askInstead(
  decision: Extract<GateDecision, { kind: 'ask-admin' | 'allow' }>,
): Extract<GateDecision, { kind: 'ask-admin' }> {
  if (decision.kind === 'ask-admin') return decision
  const reason = `The cap of the policy “${decision.match.policy.name}” is reached.`
  return {
    kind: 'ask-admin',
    confirmInChannel: false,
    reason,
    covered: { ...decision.match, isShadow: false },
    approval: decision.approval,
  }
}
