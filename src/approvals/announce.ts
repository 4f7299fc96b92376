import type { Jobs } from '../jobs.ts'
import type { Db } from '../platform/db/database.ts'
import type { Queue } from '../platform/queue/queue.ts'
import type { Approval } from './approval.ts'

/** An approval that is no longer pending wakes its run and changes its card, in the transaction that moved it. */
export async function announce(
  ctx: { db: Db; queue: Queue<Jobs> },
  approvals: readonly Approval[],
): Promise<void> {
  const advance = approvals.map(({ runId }) => ({ payload: { runId }, key: runId }))
  const show = approvals.map(({ id }) => ({ payload: { approvalId: id }, key: id }))
  await ctx.queue.sendMany(ctx.db, 'run.advance', advance)
  await ctx.queue.sendMany(ctx.db, 'approval.show', show)
}
