import type { Db } from '../platform/db/database.ts'
import { renewLease } from './store/leases.ts'
import { LeaseLost, type Run } from './store/run-rows.ts'

const renewEveryMs = 2000
/** Beyond its budget of time a run ends by itself; if it does not, its worker hangs and another one shall have it. */
const patienceMs = 30_000

/** One worker at a run, from taking it up to letting it go. */
export type WorkSession = {
  /** Time worked on the run so far, earlier sessions included. */
  workMs(): number
  /** Fires when the run is not ours any more: cancelled, or taken over after we fell silent. */
  lost: AbortSignal
  /** Fires when the service stops. */
  stopping: AbortSignal
}

/** Says again and again that we are alive, for steps that take longer than a lease. */
export function holdLease(ctx: { db: Db }, run: Run, budgetMs: number): Disposable & { signal: AbortSignal } {
  const lost = new AbortController()
  const deadline = performance.now() + Math.max(0, budgetMs - run.workMs) + patienceMs
  const timer = setInterval(async () => {
    if (performance.now() > deadline) {
      clearInterval(timer)
      return
    }
    try {
      if (!(await renewLease(ctx.db, run))) lost.abort(new LeaseLost(run.id))
    } catch {
      // The database is away; if that lasts, the next commit fails and says so.
    }
  }, renewEveryMs)
  return { signal: lost.signal, [Symbol.dispose]: () => clearInterval(timer) }
}
