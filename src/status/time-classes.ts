import { sql } from 'kysely'

/**
 * Times are counted in classes, each 2 % longer than the one before, so that those of many hours can be added: what is said of
 * them is true to one percent, and the same however it was added up.
 */
const growth = 1.02

/** The class of a time in seconds, as SQL. */
export function classOf(seconds: ReturnType<typeof sql>) {
  return sql`round(ln(greatest(${seconds}, 0.001)) / ln(${growth}::float8))::int`
}

/** By class, how many. */
type TimeClasses = ReadonlyMap<number, number>

/** Within this time the share was done; null where there was nothing. */
export function secondsWithin(share: number, classes: TimeClasses): number | null {
  const all = classes.values().reduce((sum, count) => sum + count, 0)
  let passed = 0
  for (const [timeClass, count] of [...classes].toSorted(([a], [b]) => a - b)) {
    passed += count
    if (passed >= share * all) return growth ** timeClass
  }
  return null
}
