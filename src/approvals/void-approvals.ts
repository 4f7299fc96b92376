import type { ConnectorId, RunId } from '../ids.ts'
import type { Jobs } from '../jobs.ts'
import type { Db } from '../platform/db/database.ts'
import type { Queue } from '../platform/queue/queue.ts'
import { announce } from './announce.ts'
import { voidPending } from './store.ts'

/** Called in the transaction of the edit: from then on no click can approve what the edit has changed. */
export async function voidApprovals(
  ctx: { db: Db; queue: Queue<Jobs> },
  of: { connectorId: ConnectorId } | { runId: RunId },
): Promise<void> {
  await announce(ctx, await voidPending(ctx.db, of))
}
