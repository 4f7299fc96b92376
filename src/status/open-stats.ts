import type { Stats } from './contract.ts'
import { readStats, type StatsContext, type StatsQuery } from './read-stats.ts'

type Known = { answer: Promise<Stats>; until: number }

/** Counting may take a twentieth of the time, however many people watch and however much there is to count. */
const keptPerSpent = 20

/** The figures, at most a moment old: concurrent requests for the same figures share one count. */
export function openStats(ctx: StatsContext): (asked: StatsQuery) => Promise<Stats> {
  const known = new Map<string, Known>()
  return async (asked) => {
    const begun = performance.now()
    for (const [key, { until }] of known) if (until < begun) known.delete(key)
    const key = `${asked.hours} ${asked.sourceId ?? ''}`
    const before = known.get(key)
    if (before) return await before.answer
    const entry: Known = { answer: readStats(ctx, asked), until: Number.POSITIVE_INFINITY }
    known.set(key, entry)
    try {
      return await entry.answer
    } catch (error) {
      known.delete(key)
      throw error
    } finally {
      const ended = performance.now()
      entry.until = ended + keptPerSpent * (ended - begun)
    }
  }
}
