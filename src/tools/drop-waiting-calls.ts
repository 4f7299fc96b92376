import { voidApprovals } from '../approvals/void-approvals.ts'
import type { JobSender } from '../jobs.ts'
import type { RunId } from '../shared/ids.ts'
import { failure } from './call-tool.ts'
import { endWaitingCalls } from './store.ts'

/** Voids the pending approvals of a run that was cancelled or has failed, and ends its calls that were not sent yet. */
export async function dropWaitingCalls(ctx: JobSender, runId: RunId): Promise<void> {
  await voidApprovals(ctx, { runIds: [runId] })
  await endWaitingCalls(ctx.db, runId, failure('approval_void', 'The run ended before this was sent.'))
}
