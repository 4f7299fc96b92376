import type { JobSender } from '../jobs.ts'
import { announce } from './announce.ts'
import { claimEscalations, claimReminders, expirePending } from './store.ts'

/** Runs every few seconds in each worker; rows are claimed, so replicas do not interfere. */
export async function expireApprovals({ db, queue }: JobSender): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await announce({ db: tx, queue }, await expirePending(tx))
    const steps = await claimEscalations(tx)
    await queue.sendMany(
      tx,
      'approval.escalate',
      steps.map((step) => ({ payload: step, key: `${step.approvalId}/${step.step}` })),
    )
    await queue.sendMany(
      tx,
      'approval.show',
      steps.map(({ approvalId }) => ({ payload: { approvalId }, key: approvalId })),
    )
    const due = await claimReminders(tx)
    await queue.sendMany(
      tx,
      'approval.remind',
      due.map((approvalId) => ({ payload: { approvalId }, key: approvalId })),
    )
  })
}
