import { problem } from '../http/problems.ts'
import type { Db } from '../platform/db/database.ts'
import { type Actor, mayActAs } from '../shared/actor.ts'
import type { ApprovalId } from '../shared/ids.ts'
import type { DescribeEventsOf } from './approval.ts'
import { type ApprovalShape, approvalShape } from './contract.ts'
import { findVisibleApproval, type ReadApproval } from './store.ts'

export type ShapeContext = { db: Db; events: { describeOf: DescribeEventsOf } }

/** As its reader may see it. */
export async function readShape(ctx: ShapeContext, actor: Actor, id: ApprovalId): Promise<ApprovalShape> {
  const approval = await findVisibleApproval(ctx.db, actor, id)
  const [shape] = approval ? await toShapes(ctx, actor, [approval]) : []
  if (!shape) throw problem('not-found', 'There is no such approval.')
  return shape
}

export async function toShapes(
  ctx: ShapeContext,
  actor: Actor,
  approvals: readonly ReadApproval[],
): Promise<ApprovalShape[]> {
  const events = await ctx.events.describeOf(
    ctx.db,
    approvals.map(({ runId }) => runId),
  )
  return approvals.map((approval) => {
    const { groups, isInGroup, policyId, policyName, policySays, policyShadow } = approval
    const { editedBy, editedAt, changes } = approval
    // The contract says which fields leave: of the others, some are only for us.
    return approvalShape.parse({
      ...approval,
      policy: policyId && {
        id: policyId,
        name: policyName,
        says: policySays ?? '',
        isShadow: policyShadow,
      },
      edited: editedBy && editedAt && { by: editedBy, at: editedAt.toISOString(), changes },
      approvers: groups.map(({ id, name }) => ({ id, name })),
      approvals: approval.given,
      mayDecide:
        mayActAs(actor, 'admin') ||
        isInGroup ||
        (actor.kind === 'user' && groups.some(({ slackUserGroup }) => slackUserGroup !== null)),
      event: events.get(approval.runId) ?? null,
      createdAt: approval.createdAt.toISOString(),
      expiresAt: approval.expiresAt.toISOString(),
      decidedAt: approval.decidedAt?.toISOString() ?? null,
    })
  })
}
