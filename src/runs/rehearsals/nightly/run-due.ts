import { Problem, problem } from '../../../http/problems.ts'
import type { Db } from '../../../platform/db/database.ts'
import type { RehearsalId } from '../../../shared/ids.ts'
import { type StartContext, startRehearsal } from '../start-rehearsal.ts'
import { findDue, recordNight } from './store.ts'

/** Enough to tell a difference, and cheap. */
const events = { last: 50 }

/**
 * Begins the rehearsals whose time has come. What is missed while nothing runs is made up for once. That a night was taken is
 * committed with its rehearsal: a process that dies in between has taken nothing, and of two processes one starts it.
 */
export async function runDueRehearsals(ctx: StartContext, signal?: AbortSignal): Promise<void> {
  for (;;) {
    signal?.throwIfAborted()
    const due = await findDue(ctx.db)
    if (!due) return
    const nextAt = await nextNight(ctx)
    const { sourceId, model, budget, createdBy } = due
    const caller = { actor: { ...createdBy, role: 'none' as const }, source: 'nightly rehearsal' }
    const take = async (tx: Db, rehearsalId: RehearsalId) => {
      if (!(await recordNight(tx, due, nextAt, { rehearsalId, problem: null })))
        throw problem('not-found', 'Another process has started it, or nobody wants it any more.')
    }
    try {
      await startRehearsal(
        ctx,
        caller,
        { target: { webhookId: sourceId }, change: { model }, events, reads: 'recorded', budget },
        take,
      )
    } catch (error) {
      // Nothing that another try would change: no events yet, or a model without a price.
      if (!(error instanceof Problem)) throw error
      const why = error.errors?.[0]?.detail ?? error.message
      await recordNight(ctx.db, due, nextAt, { rehearsalId: null, problem: why })
    }
  }
}

/** 03:00 in the time zone of the settings, with the clock that schedules go by. */
export async function nextNight({ sources }: Pick<StartContext, 'sources'>): Promise<Date> {
  const { nextTimes } = await sources.previewTiming({ cron: '0 3 * * *' })
  const [next] = nextTimes
  if (!next) throw new Error('There is no next night.')
  return new Date(next)
}
