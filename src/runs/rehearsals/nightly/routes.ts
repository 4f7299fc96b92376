import { z } from 'zod'
import { endpoint } from '../../../http/endpoint.ts'
import { idParam } from '../../../http/id-param.ts'
import { problem } from '../../../http/problems.ts'
import type { Db } from '../../../platform/db/database.ts'
import type { WebhookId } from '../../../shared/ids.ts'
import { listRows } from '../list-rows.ts'
import { showSummary } from '../show-rehearsal.ts'
import { checkModel, type StartContext } from '../start-rehearsal.ts'
import { findSource } from '../store.ts'
import { nightlyBody, nightlyShape } from './contract.ts'
import { nextNight } from './run-due.ts'
import { deleteNightly, findNightly, saveNightly } from './store.ts'

const define = endpoint<StartContext>()
const params = z.object({ id: idParam('webhook') })

export const readNightly = define({
  summary:
    'Get which other model the latest events of a webhook are rehearsed with every night, and what the last night showed',
  params,
  returns: nightlyShape,
  answer: ({ db }, { params: { id } }) => show(db, id),
})

export const putNightly = define({
  summary: 'Rehearse the latest 50 events of a webhook with another model every night',
  params,
  body: nightlyBody,
  returns: nightlyShape,
  problems: ['not-found', 'invalid-input'],
  async answer(ctx, { params: { id }, body, caller }) {
    if (!(await findSource(ctx.db, id))) throw problem('not-found', 'There is no such webhook.')
    await checkModel(ctx, body.model, { model: '/model', budget: '/budget' })
    const nextAt = await nextNight(ctx)
    const { kind, id: actorId, name } = caller.actor
    const createdBy = { kind, id: actorId, name }
    await ctx.db.transaction().execute(async (tx) => {
      await saveNightly(tx, { ...body, sourceId: id, nextAt, createdBy })
      const detail = { model: body.model.name, budget: body.budget }
      await ctx.audit(tx, { ...caller, action: 'nightly-rehearsal.set', subject: id, detail })
    })
    return await show(ctx.db, id)
  },
})

export const dropNightly = define({
  summary: 'Stop the nightly rehearsals of a webhook',
  params,
  problems: ['not-found'],
  async answer(ctx, { params: { id }, caller }) {
    await ctx.db.transaction().execute(async (tx) => {
      if (!(await deleteNightly(tx, id))) throw problem('not-found', 'This webhook has no nightly rehearsal.')
      await ctx.audit(tx, { ...caller, action: 'nightly-rehearsal.stopped', subject: id })
    })
  },
})

async function show(db: Db, id: WebhookId): Promise<z.input<typeof nightlyShape>> {
  const row = await findNightly(db, id)
  if (!row) return { nightly: null }
  const [last] = row.rehearsalId ? await listRows(db, { id: row.rehearsalId, limit: 1 }) : []
  const { model, budget, nextAt, problem, createdBy } = row
  return {
    nightly: {
      model,
      budget,
      nextAt: nextAt.toISOString(),
      last: last ? showSummary(last) : null,
      problem,
      createdBy: createdBy.name,
    },
  }
}
