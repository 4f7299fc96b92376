import { deleteApprovals } from '../approvals/store.ts'
import { eraseApprovals, voidApprovals } from '../approvals/void-approvals.ts'
import type { JobSender } from '../jobs.ts'
import type { Db } from '../platform/db/database.ts'
import type { RunId } from '../shared/ids.ts'
import { failure } from './call-failures.ts'
import { deleteToolCalls, endWaitingCalls, wipeToolCalls } from './store.ts'

/** Voids the pending approvals of a run that was cancelled or has failed, and ends its calls that were not sent yet. */
export async function dropWaitingCalls(ctx: JobSender, runId: RunId): Promise<void> {
  await voidApprovals(ctx, { runIds: [runId] })
  await endWaitingCalls(ctx.db, runId, failure('approval_void', 'The run ended before this was sent.'))
}

/** Erases inputs, requests and answers; that there was a call, and what was decided, stays. */
export async function eraseToolCalls(ctx: JobSender, runIds: readonly RunId[]): Promise<void> {
  await wipeToolCalls(ctx.db, runIds)
  await eraseApprovals(ctx, runIds)
}

/** In the transaction that deletes the runs. */
export async function forgetToolCalls(tx: Db, runIds: readonly RunId[]): Promise<void> {
  await deleteToolCalls(tx, runIds)
  await deleteApprovals(tx, runIds)
}
