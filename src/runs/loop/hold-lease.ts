import type { Db } from '../../platform/db/database.ts'
import { renewLease } from '../store/leases.ts'
import { LeaseLost, type Run } from '../store/run-rows.ts'

const renewEveryMs = 2000
/** A run that exceeds its time budget ends by itself. If it has not after this long, its worker hangs and another one may take over. */
const overrunMs = 30_000

/** One worker's work on a run, from taking it up to releasing it. */
export type WorkSession = {
  /** Time worked on the run so far, including earlier sessions. */
  workMs(): number
  /** Aborts when the run is no longer ours: cancelled, taken over after our lease expired, or left to others because we hang. */
  lost: AbortSignal
  /** Aborts when the service stops. */
  stopping: AbortSignal
}

/** Renews the lease periodically, for steps that take longer than a lease. */
export function holdLease(ctx: { db: Db }, run: Run, budgetMs: number): Disposable & { signal: AbortSignal } {
  const lost = new AbortController()
  const deadline = performance.now() + Math.max(0, budgetMs - run.workMs) + overrunMs
  const timer = setInterval(async () => {
    if (performance.now() > deadline) {
      clearInterval(timer)
      lost.abort(new LeaseLost(run.id))
      return
    }
    try {
      if (!(await renewLease(ctx.db, run))) lost.abort(new LeaseLost(run.id))
    } catch {
      // The database is down. If that lasts, the next commit fails and reports it.
    }
  }, renewEveryMs)
  return { signal: lost.signal, [Symbol.dispose]: () => clearInterval(timer) }
}
