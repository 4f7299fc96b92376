import { Problem } from '../../http/problems.ts'
import { type StartContext, startRehearsal } from '../start-rehearsal.ts'
import { recordNight, takeDue } from './store.ts'

/** Enough to tell a difference, and cheap. */
const events = { last: 50 }

/** Begins the rehearsals whose time has come. What is missed while nothing runs is made up for once. */
export async function runDueRehearsals(ctx: StartContext, signal?: AbortSignal): Promise<void> {
  for (;;) {
    signal?.throwIfAborted()
    const due = await takeDue(ctx.db, await nextNight(ctx))
    if (!due) return
    const { sourceId, model, budget, createdBy } = due
    const caller = { actor: { ...createdBy, role: 'none' as const }, source: 'nightly rehearsal' }
    try {
      const rehearsalId = await startRehearsal(ctx, caller, {
        target: { webhookId: sourceId },
        change: { model },
        events,
        reads: 'recorded',
        budget,
      })
      await recordNight(ctx.db, sourceId, { rehearsalId, problem: null })
    } catch (error) {
      // Nothing that another try would change: no events yet, or a model without a price.
      if (!(error instanceof Problem)) throw error
      const problem = error.errors?.[0]?.detail ?? error.message
      await recordNight(ctx.db, sourceId, { rehearsalId: null, problem })
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
