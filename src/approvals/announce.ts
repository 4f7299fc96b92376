import type { JobSender } from '../jobs.ts'
import type { Approval } from './approval.ts'

/** An approval that is no longer pending wakes its run and changes its card, in the transaction that moved it. */
export async function announce(
  { db, queue }: JobSender,
  approvals: readonly Pick<Approval, 'id' | 'runId'>[],
): Promise<void> {
  const advance = approvals.map(({ runId }) => ({ payload: { runId }, key: runId }))
  const show = approvals.map(({ id }) => ({ payload: { approvalId: id }, key: id }))
  await queue.sendMany(db, 'run.advance', advance)
  await queue.sendMany(db, 'approval.show', show)
}
