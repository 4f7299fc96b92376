import { z } from 'zod'
import { endpoint } from '../../http/endpoint.ts'
import { idParam } from '../../http/id-param.ts'
import { pageOf, pageQuery, toPage } from '../../http/paging.ts'
import { sourceQuery } from '../../shared/source-fields.ts'
import { cancelRehearsal } from './cancel-rehearsal.ts'
import { newDrill, newRehearsal, rehearsalShape, rehearsalSummaryShape } from './contract.ts'
import { listRows } from './list-rows.ts'
import { getRehearsal, showSummary } from './show-rehearsal.ts'
import { startDrill } from './start-drill.ts'
import { type StartContext, startRehearsal } from './start-rehearsal.ts'

const define = endpoint<StartContext>()
const params = z.object({ id: idParam('rehearsal') })

export const listRehearsals = define({
  summary: 'List rehearsals, newest first, without their events',
  query: pageQuery.extend({ ...sourceQuery, drills: z.stringbool().optional() }),
  returns: pageOf(rehearsalSummaryShape),
  async answer({ db }, { query: { webhookId, scheduleId, drills, cursor, limit } }) {
    const rows = await listRows(db, { limit, sourceId: webhookId ?? scheduleId, isDrill: drills, cursor })
    return toPage(rows.map(showSummary), limit)
  },
})

export const addRehearsal = define({
  summary: 'Try a change on past events of a webhook or schedule: nothing is saved, sent or posted',
  body: newRehearsal,
  status: 202,
  returns: rehearsalShape,
  problems: ['not-found', 'invalid-input'],
  async answer(ctx, { caller, actor, body }) {
    return await getRehearsal(ctx.db, actor, await startRehearsal(ctx, caller, body))
  },
})

export const addDrill = define({
  summary:
    'Drill: hide orders in the latest event of a webhook and list what the agent tries; nothing is sent but reads',
  params: z.object({ id: idParam('webhook') }),
  body: newDrill,
  status: 202,
  returns: rehearsalShape,
  problems: ['not-found', 'invalid-input'],
  async answer(ctx, { caller, actor, params, body }) {
    return await getRehearsal(ctx.db, actor, await startDrill(ctx, caller, params.id, body))
  },
})

export const readRehearsal = define({
  summary: 'Get a rehearsal with its events, each with what happened before and after the change',
  params,
  returns: rehearsalShape,
  problems: ['not-found'],
  answer: ({ db }, { actor, params: { id } }) => getRehearsal(db, actor, id),
})

export const cancel = define({
  summary: 'Cancel a rehearsal; what was compared stays',
  params,
  returns: rehearsalShape,
  problems: ['not-found', 'rehearsal-not-active'],
  async answer(ctx, { caller, actor, params: { id } }) {
    await cancelRehearsal(ctx, caller, id)
    return await getRehearsal(ctx.db, actor, id)
  },
})
