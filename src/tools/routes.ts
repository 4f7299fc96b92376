import { decodeJwt } from 'jose'
import { z } from 'zod'
import { approvalShape } from '../approvals/contract.ts'
import { explainRefusal } from '../approvals/decide-approval.ts'
import { readShape, type ShapeContext } from '../approvals/shapes.ts'
import { findShownApproval, findVisibleApproval, type ShownApproval } from '../approvals/store.ts'
import { endpoint } from '../http/endpoint.ts'
import { idParam } from '../http/id-param.ts'
import { problem } from '../http/problems.ts'
import { readDigest } from '../http/read-digest.ts'
import { parseExactJson } from '../platform/json/parse-exact-json.ts'
import type { Actor } from '../shared/actor.ts'
import type { ApprovalId } from '../shared/ids.ts'
import { connectorHealthShape, editFormShape, editInput, reachShape, toolHealthShape } from './contract.ts'
import { type EditContext, editCall } from './edit-call.ts'
import { type ReachContext, readReach } from './reach/read-reach.ts'
import { receiptShape } from './receipts/contract.ts'
import { findReceipt } from './receipts/store.ts'
import { findToolCallInput } from './store.ts'
import { readConnectorHealth, readToolHealth } from './tool-health.ts'

type Context = EditContext & ReachContext & ShapeContext & { now: () => Date }

const define = endpoint<Context>()
const params = z.object({ id: idParam('approval') })

export const readEditForm = define({
  summary: 'Get the input of a pending approval with its schema, to edit it',
  params,
  returns: editFormShape,
  problems: ['not-found'],
  async answer(ctx, { params: { id }, actor }) {
    const { approval, before } = await findEditable(ctx, actor, id)
    const tool = await ctx.tools.find(approval.tool)
    return {
      input: parseExactJson(approval.editedInput ?? before),
      inputSchema: tool?.inputSchema ?? {},
      digest: approval.digest,
    }
  },
})

export const editApproval = define({
  summary:
    'Edit the input of a pending approval: another request with another digest, which needs its approvals again',
  params,
  body: editInput,
  exactNumbers: true,
  returns: approvalShape,
  problems: ['not-found', 'not-an-approver', 'approval-not-pending', 'approval-changed'],
  async answer(ctx, { params: { id }, body, actor, caller, raw }) {
    const { approval, before } = await findEditable(ctx, actor, id)
    const { digest = approval.digest } = readDigest(raw)
    if (digest !== approval.digest) throw await explainRefusal(ctx.db, id)
    await editCall(ctx, caller, approval, before, body.input)
    return await readShape(ctx, actor, id)
  },
})

export const toolHealth = define({
  summary: 'Get the calls, errors and times of a connector’s tools in the last 48 hours',
  params: z.object({ id: idParam('connector') }),
  returns: toolHealthShape,
  answer: ({ db, now }, { params: { id } }) => readToolHealth(db, id, now()),
})

export const connectorHealth = define({
  summary: 'Get the calls, errors and times of each connector in the last 48 hours',
  returns: connectorHealthShape,
  answer: ({ db, now }) => readConnectorHealth(db, now()),
})

const reachSummary = 'List what the agent can be made to do there at worst, without and with a person'

export const webhookReach = define({
  summary: reachSummary,
  params: z.object({ id: idParam('webhook') }),
  returns: reachShape,
  problems: ['not-found'],
  answer: (ctx, { params: { id } }) => readReach(ctx, { webhookId: id }),
})

export const scheduleReach = define({
  summary: reachSummary,
  params: z.object({ id: idParam('schedule') }),
  returns: reachShape,
  problems: ['not-found'],
  answer: (ctx, { params: { id } }) => readReach(ctx, { scheduleId: id }),
})

export const channelReach = define({
  summary: reachSummary,
  params: z.object({ id: idParam('channel') }),
  returns: reachShape,
  problems: ['not-found'],
  answer: (ctx, { params: { id } }) => readReach(ctx, { channelId: id }),
})

export const readReceipt = define({
  summary: 'Get the receipt that the target of an approved call was sent',
  params,
  returns: receiptShape,
  problems: ['not-found'],
  async answer(ctx, { params: { id }, actor }) {
    const visible = await findVisibleApproval(ctx.db, actor, id)
    const found = visible && (await findReceipt(ctx.db, id))
    if (!found)
      throw problem(
        'not-found',
        'There is no receipt: the call was not sent, or its connector does not sign approved requests.',
      )
    return {
      approvalId: id,
      receipt: found.receipt,
      // We wrote both texts ourselves, with exactly these shapes.
      claims: decodeJwt(found.receipt) as z.input<typeof receiptShape>['claims'],
      key: JSON.parse(found.publicKey) as z.input<typeof receiptShape>['key'],
      issuedAt: found.issuedAt.toISOString(),
    }
  },
})

/** `before`: what the model gave, as JSON. */
async function findEditable(
  { db }: Context,
  actor: Actor,
  id: ApprovalId,
): Promise<{ approval: ShownApproval; before: string }> {
  const approval = (await findVisibleApproval(db, actor, id)) && (await findShownApproval(db, id))
  const before = approval && (await findToolCallInput(db, approval.callId))
  if (!approval || !before) throw problem('not-found', 'There is no such approval.')
  return { approval, before }
}
