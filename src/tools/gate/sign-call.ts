import { findShownApproval } from '../../approvals/store.ts'
import type { SignRequest } from '../../connectors/call/callable-tool.ts'
import type { ApprovalId } from '../../shared/ids.ts'
import { issueReceipt, type ReceiptContext } from '../receipts/issue-receipt.ts'

/** Signs a request in the name of those who approved it. What nobody approved has no receipt. */
export function signCall(ctx: ReceiptContext, approvalId: ApprovalId): SignRequest {
  return async (sent) => {
    const approval = await findShownApproval(ctx.db, approvalId)
    if (approval?.status !== 'approved') throw new Error(`The approval ${approvalId} is not an approval.`)
    const { requestedBy, decidedBy, decidedAt, given } = approval
    const everybody = [...given.map(({ by }) => by), ...(decidedBy ? [decidedBy] : [])]
    const approvers = new Map(everybody.map(({ kind, id, name }) => [id, { kind, id, name }]))
    const facts = {
      approval: approvalId,
      run: approval.runId,
      call: approval.callId,
      tool: approval.tool,
      digest: approval.digest,
      cause: { kind: requestedBy.kind, id: requestedBy.id, name: requestedBy.name },
      decidedBy: [...approvers.values()],
      decidedAt: decidedAt?.toISOString() ?? null,
    }
    return await issueReceipt(ctx, facts, sent)
  }
}
