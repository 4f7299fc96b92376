import type { JobSender } from '../jobs.ts'
import type { Approval } from './approval.ts'
import { listNaming } from './store.ts'

/** Wakes the run and updates the card of approvals that are no longer pending, and cards that name them, in the transaction that moved them. */
export async function announce(
  { db, queue }: JobSender,
  approvals: readonly Pick<Approval, 'id' | 'runId'>[],
): Promise<void> {
  const advance = approvals.map(({ runId }) => ({ payload: { runId }, key: runId }))
  const ids = approvals.map(({ id }) => id)
  const show = [...ids, ...(await listNaming(db, ids))].map((id) => ({
    payload: { approvalId: id },
    key: id,
  }))
  await queue.sendMany(db, 'run.advance', advance)
  await queue.sendMany(db, 'approval.show', show)
}
