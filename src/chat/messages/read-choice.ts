import { type ApprovalId, idPattern, type RunId } from '../../shared/ids.ts'

/** `edition`: how often the request had been edited when it was shown. */
export type ApprovalChoice = { approvalId: ApprovalId; decision: 'approve' | 'deny'; edition: number }
/** Of the message that shows a run at work. */
type CancelChoice = { runId: RunId; decision: 'cancel' }
/** What a button stands for. */
export type Choice = ApprovalChoice | CancelChoice

/** Names the approval, and what of it was shown: a click on a card that is out of date must not approve what came after. */
export function cardToken({ approvalId, edition = 0 }: { approvalId: string; edition?: number }): string {
  return edition === 0 ? approvalId : `${approvalId}.${edition}`
}

/** Reads what a platform returns for a clicked button; null if the button is not ours. */
export function readChoice(decision: string | undefined, token = ''): Choice | null {
  // The ids were just checked.
  if (decision === 'cancel') return idPattern('run').test(token) ? { decision, runId: token as RunId } : null
  if (decision !== 'approve' && decision !== 'deny') return null
  const [approvalId = '', edition = '0', ...rest] = token.split('.')
  if (!idPattern('approval').test(approvalId) || !/^\d{1,6}$/.test(edition) || rest.length > 0) return null
  return { decision, approvalId: approvalId as ApprovalId, edition: Number(edition) }
}
