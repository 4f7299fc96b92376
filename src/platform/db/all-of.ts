import { type RawBuilder, sql } from 'kysely'

/** The `where` clause of the conditions that are given. */
export function allOf(
  conditions: readonly (RawBuilder<unknown> | '' | null | undefined)[],
): RawBuilder<unknown> {
  return sql.join([sql`true`, ...conditions.filter((condition) => Boolean(condition))], sql` and `)
}
