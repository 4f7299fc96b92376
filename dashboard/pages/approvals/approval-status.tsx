import type { ApprovalStatus } from '../../contract.ts'
import { StatusBadge, type Tone } from '../../ui/feedback/status-badge.tsx'

export const approvalTones: Record<ApprovalStatus, Tone> = {
  pending: 'waiting',
  approved: 'good',
  denied: 'bad',
  expired: 'idle',
  void: 'idle',
}

export function ApprovalStatusBadge({ status }: { status: ApprovalStatus }) {
  return <StatusBadge tone={approvalTones[status]} word={status} />
}
