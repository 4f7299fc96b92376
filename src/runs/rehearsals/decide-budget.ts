export type Spending = {
  budget: number
  /** Events whose runs have ended, and what those runs cost. */
  ended: number
  spent: number
  /** What each run under way has cost so far. */
  underWay: readonly number[]
}

/** Sums of prices are not exact. */
const tolerance = 1e-9

/**
 * Whether there is money for one more event. It is expected to cost as much as the others on average, and so are the runs under way, of
 * which nobody knows the end: so the first event goes alone.
 */
export function decideBudget({ budget, ended, spent, underWay }: Spending): 'start' | 'wait' | 'stop' {
  if (ended === 0) return underWay.length === 0 ? 'start' : 'wait'
  const expected = spent / ended
  const reserved = underWay.reduce((sum, cost) => sum + Math.max(cost, expected), 0)
  const isOver = spent >= budget - tolerance
  if (!isOver && spent + reserved + expected <= budget + tolerance) return 'start'
  return underWay.length === 0 ? 'stop' : 'wait'
}
