import type { JobSender } from '../jobs.ts'
import type { Approval } from './approval.ts'

/** Wakes the run and updates the card of approvals that are no longer pending, in the transaction that moved them. */
export async function announce(
  { db, queue }: JobSender,
  approvals: readonly Pick<Approval, 'id' | 'runId'>[],
): Promise<void> {
  const advance = approvals.map(({ runId }) => ({ payload: { runId }, key: runId }))
  const show = approvals.map(({ id }) => ({ payload: { approvalId: id }, key: id }))
  await queue.sendMany(db, 'run.advance', advance)
  await queue.sendMany(db, 'approval.show', show)
}
