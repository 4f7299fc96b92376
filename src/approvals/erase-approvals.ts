import type { JobSender } from '../jobs.ts'
import type { RunId } from '../shared/ids.ts'
import { wipeApprovals } from './store.ts'
import { voidApprovals } from './void-approvals.ts'

/** Voids pending ones, and erases what would have been sent, from the cards too. */
export async function eraseApprovals(ctx: JobSender, runIds: readonly RunId[]): Promise<void> {
  await voidApprovals(ctx, { runIds })
  const ids = await wipeApprovals(ctx.db, runIds)
  await ctx.queue.sendMany(
    ctx.db,
    'approval.show',
    ids.map((id) => ({ payload: { approvalId: id }, key: id })),
  )
}
