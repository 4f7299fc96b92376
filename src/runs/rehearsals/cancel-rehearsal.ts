import { Problem, problem } from '../../http/problems.ts'
import type { Caller } from '../../shared/actor.ts'
import type { RehearsalId } from '../../shared/ids.ts'
import { cancelRun } from '../history/cancel-run.ts'
import { listRows } from './list-rows.ts'
import type { RehearsalContext } from './rehearse-event.ts'
import { endRehearsal, listUnderWay } from './store.ts'

/** What was compared stays; runs under way end. */
export async function cancelRehearsal(ctx: RehearsalContext, caller: Caller, id: RehearsalId): Promise<void> {
  const [row] = await listRows(ctx.db, { id, limit: 1 })
  if (!row) throw problem('not-found', 'There is no such rehearsal.')
  const ended = await ctx.db.transaction().execute(async (tx) => {
    if (!(await endRehearsal(tx, id, 'cancelled', `${caller.actor.name} canceled it.`))) return false
    await ctx.audit(tx, {
      ...caller,
      action: 'rehearsal.cancelled',
      subject: row.sourceId,
      detail: { rehearsalId: id },
    })
    return true
  })
  if (!ended) throw problem('rehearsal-not-active', 'The rehearsal has ended already.')
  for (const runId of await listUnderWay(ctx.db, id)) {
    await cancelRun(ctx, caller, runId).catch((error: unknown) => {
      // One that ends at this moment is over as well.
      if (!(error instanceof Problem && error.type === 'run-not-active')) throw error
    })
  }
}
