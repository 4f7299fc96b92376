import { z } from 'zod'
import { endpoint } from '../../../http/endpoint.ts'
import { idParam } from '../../../http/id-param.ts'
import { pageOf, pageQuery, toPage } from '../../../http/paging.ts'
import { sourceQuery } from '../../../shared/source-fields.ts'
import { casePatch, caseShape, newCase } from './contract.ts'
import * as manage from './manage-cases.ts'
import { listCaseRows } from './store.ts'

const define = endpoint<manage.CaseContext>()
const params = z.object({ id: idParam('case') })

export const listCases = define({
  summary: 'List cases, newest first, each with what the latest rehearsal found',
  query: pageQuery.extend({ ...sourceQuery, eventId: z.string().optional() }),
  returns: pageOf(caseShape),
  async answer({ db }, { query: { webhookId, scheduleId, ...query } }) {
    return toPage(await listCaseRows(db, { ...query, sourceId: webhookId ?? scheduleId }), query.limit)
  },
})

export const addCase = define({
  summary: 'Keep an event as a case, with checks on what the agent does with it',
  body: newCase,
  status: 201,
  returns: caseShape,
  problems: ['in-use', 'invalid-input'],
  answer: (ctx, { caller, body }) => manage.keepCase(ctx, caller, body),
})

export const readCase = define({
  summary: 'Get a case',
  params,
  returns: caseShape,
  problems: ['not-found'],
  answer: ({ db }, { params: { id } }) => manage.getCase(db, id),
})

export const patchCase = define({
  summary: 'Rename a case or change its checks',
  params,
  body: casePatch,
  returns: caseShape,
  problems: ['not-found', 'body-erased'],
  answer: (ctx, { caller, params: { id }, body }) => manage.changeCase(ctx, caller, id, body),
})

export const dropCase = define({
  summary: 'Delete a case; its event is an ordinary one again',
  params,
  problems: ['not-found'],
  answer: (ctx, { caller, params: { id } }) => manage.dropCase(ctx, caller, id),
})
