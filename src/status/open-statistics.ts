import type { Db } from '../platform/db/database.ts'
import type { Stats } from './contract.ts'
import type { Figures } from './figures/contract.ts'
import { type FiguresQuery, readFigures } from './figures/read-figures.ts'
import { type Recent, readRecent } from './read-recent.ts'
import { readStats, type StatsQuery } from './read-stats.ts'

export type Statistics = {
  byHour(asked: StatsQuery): Promise<Stats>
  figures(asked: FiguresQuery): Promise<Figures>
  recent(): Promise<Recent[]>
}

/** Counting may take a twentieth of the time, however many people watch and however much there is to count. */
const keptPerSpent = 20

/** One per process: many people watch the same numbers, so they share what is counted. */
export function openStatistics(ctx: { db: Db; now: () => Date }): Statistics {
  return {
    byHour: shareAnswers(
      (asked) => readStats(ctx, asked),
      ({ hours, sourceId }) => `${hours} ${sourceId ?? ''}`,
    ),
    figures: shareAnswers(
      (asked) => readFigures(ctx.db, { ...asked, now: ctx.now() }),
      ({ by, days }) => `${by} ${days}`,
    ),
    recent: shareAnswers<void, Recent[]>(
      () => readRecent(ctx),
      () => '',
    ),
  }
}

type Known<Answer> = { answer: Promise<Answer>; until: number }

/** Answers that are at most a moment old: concurrent requests with the same key share one count. */
function shareAnswers<Asked, Answer>(
  count: (asked: Asked) => Promise<Answer>,
  keyOf: (asked: Asked) => string,
): (asked: Asked) => Promise<Answer> {
  const known = new Map<string, Known<Answer>>()
  return async (asked) => {
    const begun = performance.now()
    for (const [key, { until }] of known) if (until < begun) known.delete(key)
    const key = keyOf(asked)
    const before = known.get(key)
    if (before) return await before.answer
    const entry = { answer: count(asked), until: Number.POSITIVE_INFINITY }
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
