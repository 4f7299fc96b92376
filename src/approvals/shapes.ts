import { problem } from '../http/problems.ts'
import type { Db } from '../platform/db/database.ts'
import { type Actor, mayActAs } from '../shared/actor.ts'
import type { ApprovalId } from '../shared/ids.ts'
import type { DescribeEventsOf } from './approval.ts'
import type { ApprovalShape } from './contract.ts'
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
    const { escalated: _e, groups, given, isInGroup, ...own } = approval
    const { toolId: _, toolVersion: __, connectorVersion: ___, listKey: ____, ...rest } = own
    const { edits: _____, editedInput: ______, editedBy, editedAt, changes, ...asked } = rest
    const { policyId, policyName, policySays, policyShadow, ...shown } = asked
    return {
      ...shown,
      policy: policyId && {
        id: policyId,
        name: policyName,
        says: policySays ?? '',
        isShadow: policyShadow,
      },
      edited: editedBy && editedAt && { by: editedBy, at: editedAt.toISOString(), changes },
      approvers: groups.map(({ id, name }) => ({ id, name })),
      approvals: given,
      mayDecide:
        mayActAs(actor, 'admin') ||
        isInGroup ||
        (actor.kind === 'user' && groups.some(({ slackUserGroup }) => slackUserGroup !== null)),
      event: events.get(approval.runId) ?? null,
      createdAt: approval.createdAt.toISOString(),
      expiresAt: approval.expiresAt.toISOString(),
      decidedAt: approval.decidedAt?.toISOString() ?? null,
    }
  })
}
