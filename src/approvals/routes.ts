import { z } from 'zod'
import { endpoint } from '../http/endpoint.ts'
import { idParam } from '../http/id-param.ts'
import { pageOf, toPage } from '../http/paging.ts'
import { problem } from '../http/problems.ts'
import type { JobSender } from '../jobs.ts'
import type { Actor } from '../shared/actor.ts'
import type { Audit } from '../shared/audit.ts'
import type { ApprovalId } from '../shared/ids.ts'
import type { DescribeEventsOf } from './approval.ts'
import { type ApprovalShape, approvalQuery, approvalShape, decisionInput } from './contract.ts'
import { decideApproval } from './decide-approval.ts'
import { findVisibleApproval, type ReadApproval, listApprovals as selectApprovals } from './store.ts'

type Context = JobSender & { audit: Audit; describeEventsOf: DescribeEventsOf }

const define = endpoint<Context>()

const params = z.object({ id: idParam('approval') })

export const listApprovals = define({
  summary: 'List approvals',
  query: approvalQuery,
  returns: pageOf(approvalShape),
  async answer(ctx, { query, actor }) {
    const page = toPage(await selectApprovals(ctx.db, actor, query), query.limit)
    return { ...page, items: await toShapes(ctx, page.items) }
  },
})

export const readApproval = define({
  summary: 'Get an approval with the request that will be sent',
  params,
  returns: approvalShape,
  problems: ['not-found'],
  async answer(ctx, { params, actor }) {
    return await show(ctx, actor, params.id)
  },
})

export const approve = decision('approve', 'Approve: the request is sent as shown')
export const deny = decision('deny', 'Deny: the agent is told, with the reason')

function decision(verdict: 'approve' | 'deny', summary: string) {
  return define({
    summary,
    params,
    body: decisionInput,
    returns: approvalShape,
    problems: ['not-found', 'approval-not-pending', 'confirm-in-channel'],
    async answer(ctx, { params: { id }, body, actor, source }) {
      const reason = body.reason || null
      const click = { approvalId: id, decision: verdict, actor, via: 'api', reason, source } as const
      await decideApproval(ctx, click)
      return await show(ctx, actor, id)
    },
  })
}

async function show(ctx: Context, actor: Actor, id: ApprovalId): Promise<ApprovalShape> {
  const approval = await findVisibleApproval(ctx.db, actor, id)
  const [shape] = approval ? await toShapes(ctx, [approval]) : []
  if (!shape) throw problem('not-found', 'There is no such approval.')
  return shape
}

async function toShapes(
  { db, describeEventsOf }: Context,
  approvals: readonly ReadApproval[],
): Promise<ApprovalShape[]> {
  const events = await describeEventsOf(
    db,
    approvals.map(({ runId }) => runId),
  )
  return approvals.map((approval) => {
    const { toolId: _, toolVersion: __, connectorVersion: ___, listKey: ____, ...rest } = approval
    const { policyId, policyName, policySays, policyShadow, ...shown } = rest
    return {
      ...shown,
      policy: policyId && {
        id: policyId,
        name: policyName,
        says: policySays ?? '',
        isShadow: policyShadow,
      },
      event: events.get(approval.runId) ?? null,
      createdAt: approval.createdAt.toISOString(),
      expiresAt: approval.expiresAt.toISOString(),
      decidedAt: approval.decidedAt?.toISOString() ?? null,
    }
  })
}
