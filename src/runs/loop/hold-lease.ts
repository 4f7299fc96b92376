import type { Db } from '../../platform/db/database.ts'
import type { Ownership } from '../../tools/send-call.ts'
import { renewLease } from '../store/leases.ts'
import { LeaseLost, leaseMs, type Run } from '../store/run-rows.ts'

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
  ownership: Ownership
}

type Lease = Disposable & Ownership & { signal: AbortSignal }

/**
 * Renews the lease periodically, for steps that take longer than a lease. `takenAt` is the time by `performance.now()` before the run
 * was taken: the database's lease ends later than what is counted from there.
 */
export function holdLease(ctx: { db: Db }, run: Run, budgetMs: number, takenAt: number): Lease {
  const lost = new AbortController()
  let ownedUntil = takenAt + leaseMs
  const renew = async () => {
    const startedAt = performance.now()
    if (await renewLease(ctx.db, run)) ownedUntil = startedAt + leaseMs
    else lost.abort(new LeaseLost(run.id))
  }
  const isOwned = () => !lost.signal.aborted && performance.now() < ownedUntil
  const deadline = performance.now() + Math.max(0, budgetMs - run.workMs) + overrunMs
  const timer = setInterval(async () => {
    if (performance.now() > deadline) {
      clearInterval(timer)
      lost.abort(new LeaseLost(run.id))
      return
    }
    try {
      await renew()
    } catch {
      // The database is down. If that lasts, the next commit fails and reports it.
    }
  }, renewEveryMs)
  return {
    signal: lost.signal,
    isOwned,
    async ensure() {
      while (!isOwned()) {
        lost.signal.throwIfAborted()
        await renew()
      }
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}
