import { type ApprovalId, idPattern } from '../../shared/ids.ts'

/** What a card's button stands for. */
export type Choice = { approvalId: ApprovalId; decision: 'approve' | 'deny' }

/** Reads what a platform returns for a clicked button; null if the button is not ours. */
export function readChoice(decision: string | undefined, approvalId = ''): Choice | null {
  if (decision !== 'approve' && decision !== 'deny') return null
  if (!idPattern('approval').test(approvalId)) return null
  // Just checked.
  return { decision, approvalId: approvalId as ApprovalId }
}
