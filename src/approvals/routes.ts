import { z } from 'zod'
import { endpoint } from '../http/endpoint.ts'
import { idParam } from '../http/id-param.ts'
import { pageOf, toPage } from '../http/paging.ts'
import { readDigest } from '../http/read-digest.ts'
import {
  approvalQuery,
  approvalShape,
  decisionInput,
  toolApproversInput,
  toolApproversShape,
} from './contract.ts'
import { type DecideContext, decideApproval } from './decide-approval.ts'
import { readShape, type ShapeContext, toShapes } from './shapes.ts'
import { listApprovals as selectApprovals } from './store.ts'
import { findToolApprovers, listToolApprovers, requireTool, saveToolApprovers } from './tool-approvers.ts'

type Context = DecideContext & ShapeContext

const define = endpoint<Context>()

const params = z.object({ id: idParam('approval') })

export const listApprovals = define({
  summary: 'List approvals',
  query: approvalQuery,
  returns: pageOf(approvalShape),
  async answer(ctx, { query, actor }) {
    const page = toPage(await selectApprovals(ctx.db, actor, query), query.limit)
    return { ...page, items: await toShapes(ctx, actor, page.items) }
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

export const listAllToolApprovers = define({
  summary: 'List the tools that are not approved by an admin, with who approves',
  returns: z.object({ items: z.array(toolApproversShape.extend({ toolId: z.string() })) }),
  answer: async ({ db }) => ({ items: await listToolApprovers(db) }),
})

export const readToolApprovers = define({
  summary: 'Get who approves the calls of a tool',
  params: z.object({ toolId: idParam('tool') }),
  returns: toolApproversShape,
  problems: ['not-found'],
  async answer({ db }, { params: { toolId } }) {
    await requireTool(db, toolId)
    return await findToolApprovers(db, toolId)
  },
})

export const putToolApprovers = define({
  summary: 'Set who approves the calls of a tool from now on',
  params: z.object({ toolId: idParam('tool') }),
  body: toolApproversInput,
  returns: toolApproversShape,
  problems: ['not-found'],
  async answer(ctx, { caller, params: { toolId }, body }) {
    await saveToolApprovers(ctx, caller, toolId, body)
    return await findToolApprovers(ctx.db, toolId)
  },
})

export const approve = decision('approve', 'Approve: once enough people have, the request is sent as shown')
export const deny = decision('deny', 'Deny: the agent is told, with the reason')

function decision(verdict: 'approve' | 'deny', summary: string) {
  return define({
    summary,
    params,
    body: decisionInput,
    returns: approvalShape,
    problems: [
      'not-found',
      'not-an-approver',
      'already-approved',
      'approval-not-pending',
      'approval-changed',
      'confirm-in-channel',
    ],
    async answer(ctx, { params: { id }, body, actor, source, raw }) {
      // Members decide where they are in a group: nobody learns of an approval that they may not see.
      await readShape(ctx, actor, id)
      const reason = body.reason || null
      const seen = readDigest(raw)
      const click = { approvalId: id, decision: verdict, actor, via: 'api', reason, source, ...seen } as const
      await decideApproval(ctx, click)
      return await readShape(ctx, actor, id)
    },
  })
}
