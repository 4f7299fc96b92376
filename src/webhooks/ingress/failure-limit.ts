import type { Db } from '../../platform/db/database.ts'
import { networkOf } from '../../platform/http-server/network-of.ts'
import { addFailures } from '../store/refusals.ts'

/** 5 failures a second per address (of IPv6, per network), with bursts of 300. */
const stepMs = 200
const burst = 300
const maxSources = 50_000

export type FailureLimit = {
  /** Counts a failure of this address; returns how long it should pause, or 0. */
  count(address: string): number
  /** Exchanges counts with the other processes. */
  share(db: Db): Promise<void>
}

/**
 * Only changes the answers to failures: callers that authenticate are never limited here. Each process counts for itself and
 * exchanges counts through the database once a second.
 */
export function createFailureLimit(): FailureLimit {
  const arrivals = new Map<string, number>()
  let unshared = new Map<string, number>()
  return {
    count(address) {
      const source = networkOf(address)
      const now = performance.now()
      if (arrivals.size >= maxSources) arrivals.clear()
      const arrival = Math.max(arrivals.get(source) ?? 0, now) + stepMs
      const excess = arrival - now - burst * stepMs
      if (excess > 0) return excess
      arrivals.set(source, arrival)
      unshared.set(source, (unshared.get(source) ?? 0) + 1)
      return 0
    },
    async share(db) {
      const failures = unshared
      unshared = new Map()
      if (failures.size > 0) {
        for (const { source, debtSeconds } of await addFailures(db, failures, stepMs / 1000)) {
          arrivals.set(source, Math.max(arrivals.get(source) ?? 0, performance.now() + debtSeconds * 1000))
        }
      }
      for (const [source, arrival] of arrivals) if (arrival < performance.now()) arrivals.delete(source)
    },
  }
}
