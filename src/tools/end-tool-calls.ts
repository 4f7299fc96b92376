import { deleteApprovals } from '../approvals/store.ts'
import { eraseApprovals, voidApprovals } from '../approvals/void-approvals.ts'
import type { ToolAnswer } from '../connectors/call/callable-tool.ts'
import type { JobSender } from '../jobs.ts'
import type { Db } from '../platform/db/database.ts'
import type { RunId } from '../shared/ids.ts'
import { failure, unknownOutcome } from './call-failures.ts'
import { deleteQuestions } from './questions/store.ts'
import { deleteToolCalls, endToolCall, endWaitingCalls, listCallsInFlight, wipeToolCalls } from './store.ts'
import type { ToolCall } from './tool-call.ts'

/** Voids the pending approvals of a run that was cancelled or has failed, and ends its calls that were not sent yet. */
export async function dropWaitingCalls(ctx: JobSender, runId: RunId): Promise<void> {
  await voidApprovals(ctx, { runIds: [runId] })
  await endWaitingCalls(ctx.db, runId, failure('approval_void', 'The run ended before this was sent.'))
}

/** For a copy whose original went on: what was being sent, or was approved and about to be, is not sent again. */
export async function endCallsInFlight(ctx: JobSender): Promise<number> {
  const calls = await listCallsInFlight(ctx.db)
  for (const { id, state, approvalId } of calls) {
    await endToolCall(ctx.db, id, state, 'unknown', failure('outcome_unknown', unknownOutcome))
    if (approvalId) await ctx.queue.send(ctx.db, 'approval.show', { approvalId }, { key: approvalId })
  }
  return calls.length
}

/** Erases inputs, requests and answers; that there was a call, and what was decided, stays. */
export async function eraseToolCalls(ctx: JobSender, runIds: readonly RunId[]): Promise<void> {
  await wipeToolCalls(ctx.db, runIds)
  await deleteQuestions(ctx.db, runIds)
  await eraseApprovals(ctx, runIds)
}

/** In the transaction that deletes the runs. */
export async function forgetToolCalls(tx: Db, runIds: readonly RunId[]): Promise<void> {
  await deleteToolCalls(tx, runIds)
  await deleteQuestions(tx, runIds)
  await deleteApprovals(tx, runIds)
}

/** Ends a call that an admin was asked about, and shows on its card what became of it. */
export async function endShown(
  ctx: JobSender,
  { id, state, approvalId }: Pick<ToolCall, 'id' | 'state' | 'approvalId'>,
  to: 'answered' | 'refused' | 'unknown',
  answer: ToolAnswer,
  fence: number | undefined,
): Promise<boolean> {
  if (approvalId === null) return await endToolCall(ctx.db, id, state, to, answer, fence)
  return await ctx.db.transaction().execute(async (tx) => {
    const moved = await endToolCall(tx, id, state, to, answer, fence)
    if (moved) await ctx.queue.send(tx, 'approval.show', { approvalId }, { key: approvalId })
    return moved
  })
}
