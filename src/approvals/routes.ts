import { z } from 'zod'
import { endpoint } from '../http/endpoint.ts'
import { idParam } from '../http/id-param.ts'
import { pageOf, toPage } from '../http/paging.ts'
import { readDigest } from '../http/read-digest.ts'
import type { JobSender } from '../jobs.ts'
import type { Audit } from '../shared/audit.ts'
import { approvalQuery, approvalShape, decisionInput } from './contract.ts'
import { decideApproval } from './decide-approval.ts'
import { readShape, type ShapeContext, toShapes } from './shapes.ts'
import { listApprovals as selectApprovals } from './store.ts'

type Context = JobSender & ShapeContext & { audit: Audit }

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
    return await readShape(ctx, actor, params.id)
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
    problems: ['not-found', 'approval-not-pending', 'approval-changed', 'confirm-in-channel'],
    async answer(ctx, { params: { id }, body, actor, source, raw }) {
      const reason = body.reason || null
      const seen = readDigest(raw)
      const click = { approvalId: id, decision: verdict, actor, via: 'api', reason, source, ...seen } as const
      await decideApproval(ctx, click)
      return await readShape(ctx, actor, id)
    },
  })
}
