import { type RawBuilder, sql } from 'kysely'

/** What stands in a `where`: of these conditions those that were asked for. */
export function allOf(
  conditions: readonly (RawBuilder<unknown> | '' | null | undefined)[],
): RawBuilder<unknown> {
  return sql.join([sql`true`, ...conditions.filter((condition) => Boolean(condition))], sql` and `)
}
