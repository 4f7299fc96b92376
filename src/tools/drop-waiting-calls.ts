import { voidApprovals } from '../approvals/void-approvals.ts'
import type { RunId } from '../ids.ts'
import type { JobSender } from '../jobs.ts'

/** Voids the pending approvals of a run that was cancelled or has failed. */
export async function dropWaitingCalls(ctx: JobSender, runId: RunId): Promise<void> {
  await voidApprovals(ctx, { runIds: [runId] })
}
