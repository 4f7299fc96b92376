import { sql } from 'kysely'
import { announce } from '../approvals/announce.ts'
import type { Person } from '../approvals/approval.ts'
import { withdrawPending } from '../approvals/decision-store.ts'
import type { JobSender } from '../jobs.ts'
import type { Db } from '../platform/db/database.ts'
import type { Actor } from '../shared/actor.ts'
import type { Audit } from '../shared/audit.ts'
import type { ApprovalId, MessageId, RunId, ToolCallId } from '../shared/ids.ts'

export type WaitingCall = {
  approvalId: ApprovalId
  callId: ToolCallId
  runId: RunId
  tool: string
  /** JSON, as the model wrote it. */
  input: string
  requestedBy: Person
  since: Date
}

/** The calls that wait for a decision in a thread, the oldest first. Their cards stand in it, or it began with a card. */
export async function listWaitingCalls(db: Db, threadId: MessageId): Promise<WaitingCall[]> {
  const { rows } = await sql<WaitingCall>`
    select a.id as approval_id, a.call_id, a.run_id, a.tool, c.input, a.requested_by, a.created_at as since
    from approvals a join tool_calls c on c.id = a.call_id
    where a.status = 'pending' and a.expires_at > now() and ${threadId} in (a.thread_id, a.message_id)
    order by a.id limit 20`.execute(db)
  return rows
}

/** The call is not sent any more, and its run is told. False if somebody decided meanwhile. */
export async function withdrawCall(
  ctx: JobSender & { audit: Audit },
  { approvalId, tool, runId }: WaitingCall,
  by: Actor,
  reason: string | null,
): Promise<boolean> {
  const person: Person = { kind: by.kind, id: by.id, name: by.name }
  if (!(await withdrawPending(ctx.db, approvalId, person, reason))) return false
  await ctx.audit(ctx.db, {
    actor: by,
    action: 'approval.withdrawn',
    subject: approvalId,
    detail: { tool, runId, reason },
  })
  await announce(ctx, [{ id: approvalId, runId }])
  return true
}
