import { sql } from 'kysely'

/**
 * Times are counted in classes, each 2 % longer than the one before, so that the counts of many hours can be added. Results are
 * accurate to one percent, and the same in whatever order they were added.
 */
const growth = 1.02

/** The class of a time in seconds, as SQL. */
export function bucketOf(seconds: ReturnType<typeof sql>) {
  return sql`round(ln(greatest(${seconds}, 0.001)) / ln(${growth}::float8))::int`
}

/** The number of times in each class. */
type TimeBuckets = ReadonlyMap<number, number>

/** The time within which this share was done; null if there was nothing. */
export function secondsAtQuantile(share: number, classes: TimeBuckets): number | null {
  const all = classes.values().reduce((sum, count) => sum + count, 0)
  let passed = 0
  for (const [timeClass, count] of [...classes].toSorted(([a], [b]) => a - b)) {
    passed += count
    if (passed >= share * all) return growth ** timeClass
  }
  return null
}
