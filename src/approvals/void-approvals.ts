import type { JobSender } from '../jobs.ts'
import type { Voided } from '../shared/voided.ts'
import { announce } from './announce.ts'
import { voidPending } from './store.ts'

/** Called in the transaction of the edit: after it, no click can approve what the edit changed. */
export async function voidApprovals(ctx: JobSender, of: Voided): Promise<void> {
  await announce(ctx, await voidPending(ctx.db, of))
}
