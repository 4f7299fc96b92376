import { type ApprovalId, idPattern } from '../ids.ts'

/** What a button of a card stands for. */
export type Choice = { approvalId: ApprovalId; decision: 'approve' | 'deny' }

/** What a platform sends back of a button that was pressed; null if it is none of ours. */
export function readChoice(decision: string | undefined, approvalId = ''): Choice | null {
  if (decision !== 'approve' && decision !== 'deny') return null
  if (!idPattern('approval').test(approvalId)) return null
  // Just checked.
  return { decision, approvalId: approvalId as ApprovalId }
}
