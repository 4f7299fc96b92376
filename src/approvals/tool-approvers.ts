import { sql } from 'kysely'
import { problem } from '../http/problems.ts'
import type { Db } from '../platform/db/database.ts'
import type { Caller } from '../shared/actor.ts'
import { type Approvers, adminsApprove } from '../shared/approver-fields.ts'
import type { Audit } from '../shared/audit.ts'
import type { ToolId } from '../shared/ids.ts'
import { refuseMissingGroups } from './policies/refuse-missing-groups.ts'

/** Who approves the calls of a tool. It is no part of the tool itself: who decides may change while a call waits. */
export async function findToolApprovers(db: Db, toolId: ToolId): Promise<Approvers> {
  const { rows } = await sql<Approvers>`
    select approvers, approvals_needed, requester_may_approve, escalate from tool_approvers where tool_id = ${toolId}`.execute(
    db,
  )
  return rows[0] ?? adminsApprove
}

/** Of every tool that is not approved by an admin. */
export async function listToolApprovers(db: Db): Promise<(Approvers & { toolId: ToolId })[]> {
  const { rows } = await sql<Approvers & { toolId: ToolId }>`
    select tool_id, approvers, approvals_needed, requester_may_approve, escalate from tool_approvers
    order by tool_id`.execute(db)
  return rows
}

/** Its name as the agent sees it. Throws if there is no such tool. */
export async function requireTool(db: Db, toolId: ToolId): Promise<string> {
  const { rows } = await sql<{
    name: string
  }>`select model_name as name from tools where id = ${toolId} for key share`.execute(db)
  if (!rows[0]) throw problem('not-found', 'There is no tool with this id.')
  return rows[0].name
}

/** Counts for the questions that are asked from now on. */
export async function saveToolApprovers(
  { db, audit }: { db: Db; audit: Audit },
  caller: Caller,
  toolId: ToolId,
  given: Approvers,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const tool = await requireTool(tx, toolId)
    await refuseMissingGroups(tx, given)
    const { approvers, approvalsNeeded, requesterMayApprove, escalate } = given
    await sql`
      insert into tool_approvers (tool_id, approvers, approvals_needed, requester_may_approve, escalate)
      values (${toolId}, ${approvers}, ${approvalsNeeded}, ${requesterMayApprove}, ${JSON.stringify(escalate)})
      on conflict (tool_id) do update set approvers = excluded.approvers, approvals_needed = excluded.approvals_needed,
        requester_may_approve = excluded.requester_may_approve, escalate = excluded.escalate`.execute(tx)
    await audit(tx, {
      ...caller,
      action: 'tool.approvers-changed',
      subject: toolId,
      detail: { tool, ...given },
    })
  })
}
