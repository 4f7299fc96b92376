import { voidApprovals } from '../approvals/void-approvals.ts'
import type { RunId } from '../ids.ts'
import type { Jobs } from '../jobs.ts'
import type { Db } from '../platform/db/database.ts'
import type { Queue } from '../platform/queue/queue.ts'

/** A run that was cancelled or has failed asks nothing any more. */
export async function dropWaitingCalls(ctx: { db: Db; queue: Queue<Jobs> }, runId: RunId): Promise<void> {
  await voidApprovals(ctx, { runId })
}
