import type { Jobs } from '../jobs.ts'
import type { Db } from '../platform/db/database.ts'
import type { Queue } from '../platform/queue/queue.ts'
import { announce } from './announce.ts'
import { type Voided, voidPending } from './store.ts'

/** Called in the transaction of the edit: from then on no click can approve what the edit has changed. */
export async function voidApprovals(ctx: { db: Db; queue: Queue<Jobs> }, of: Voided): Promise<void> {
  await announce(ctx, await voidPending(ctx.db, of))
}
