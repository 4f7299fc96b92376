import { eraseApprovals } from '../approvals/erase-approvals.ts'
import type { JobSender } from '../jobs.ts'
import type { RunId } from '../shared/ids.ts'
import { wipeToolCalls } from './store.ts'

/** Erases inputs, requests and answers; that there was a call, and what was decided, stays. */
export async function eraseToolCalls(ctx: JobSender, runIds: readonly RunId[]): Promise<void> {
  await wipeToolCalls(ctx.db, runIds)
  await eraseApprovals(ctx, runIds)
}
