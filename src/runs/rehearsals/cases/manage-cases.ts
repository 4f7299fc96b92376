import { findEvent } from '../../../events/ledger/events.ts'
import { invalidField, problem } from '../../../http/problems.ts'
import type { Db } from '../../../platform/db/database.ts'
import type { Caller } from '../../../shared/actor.ts'
import type { Audit } from '../../../shared/audit.ts'
import { type CaseId, isWatchId, newId } from '../../../shared/ids.ts'
import type { CasePatch, CaseShape, NewCase } from './contract.ts'
import { deleteCase, insertCase, listCaseRows, updateCase } from './store.ts'

export type CaseContext = { db: Db; audit: Audit; now: () => Date }

/** From now on the event is kept, with what really became of it, until the case is deleted. */
export async function keepCase(
  ctx: CaseContext,
  caller: Caller,
  { eventId, name, checks }: NewCase,
): Promise<CaseShape> {
  const event = await findEvent(ctx.db, eventId)
  if (!event) throw invalidField('/eventId', 'There is no such event.')
  if (event.erasedAt) throw invalidField('/eventId', 'This event was erased.')
  if (isWatchId(event.sourceId))
    throw invalidField('/eventId', 'Only events of webhooks and schedules can be cases.')
  const id = newId('case', ctx.now())
  await ctx.db.transaction().execute(async (tx) => {
    const createdBy = { kind: caller.actor.kind, id: caller.actor.id, name: caller.actor.name }
    if (!(await insertCase(tx, { id, sourceId: event.sourceId, eventId, name, checks, createdBy })))
      throw problem('in-use', 'This event is a case already. Change the checks of that case.')
    await ctx.audit(tx, { ...caller, action: 'case.created', subject: eventId, detail: { caseId: id } })
  })
  return await getCase(ctx.db, id)
}

export async function getCase(db: Db, id: CaseId): Promise<CaseShape> {
  const [found] = await listCaseRows(db, { id, limit: 1 })
  if (!found) throw problem('not-found', 'There is no such case.')
  return found
}

export async function changeCase(
  ctx: CaseContext,
  caller: Caller,
  id: CaseId,
  patch: CasePatch,
): Promise<CaseShape> {
  const { eventErased, eventId } = await getCase(ctx.db, id)
  if (eventErased)
    throw problem('body-erased', 'The event of this case was erased, so nothing can be checked.')
  await ctx.db.transaction().execute(async (tx) => {
    await updateCase(tx, id, patch)
    await ctx.audit(tx, { ...caller, action: 'case.changed', subject: eventId, detail: { caseId: id } })
  })
  return await getCase(ctx.db, id)
}

/** The event is an ordinary one again, and is deleted for its age like others. */
export async function dropCase(ctx: CaseContext, caller: Caller, id: CaseId): Promise<void> {
  const { eventId } = await getCase(ctx.db, id)
  await ctx.db.transaction().execute(async (tx) => {
    await deleteCase(tx, id)
    await ctx.audit(tx, { ...caller, action: 'case.deleted', subject: eventId, detail: { caseId: id } })
  })
}
