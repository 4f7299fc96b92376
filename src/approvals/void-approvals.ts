import type { JobSender } from '../jobs.ts'
import type { Audit } from '../shared/audit.ts'
import type { RunId } from '../shared/ids.ts'
import type { Voided } from '../shared/ports/voided.ts'
import { announce } from './announce.ts'
import { pauseChanged } from './policies/pause-changed.ts'
import { voidPending, wipeApprovals } from './store.ts'

/** Called in the transaction of the edit: after it, no click can approve what the edit changed. */
export async function voidApprovals(ctx: JobSender, of: Voided): Promise<void> {
  await announce(ctx, await voidPending(ctx.db, of))
}

/** The same for every reason there is: a change of a tool also stops the policies that were saved for the former one. */
export async function voidByChange(ctx: JobSender & { audit: Audit }, of: Voided): Promise<void> {
  await voidApprovals(ctx, of)
  // After the lock: a call that is being decided comes before, and no later one finds a policy in force.
  if ('connectorId' in of) await pauseChanged(ctx)
}

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
