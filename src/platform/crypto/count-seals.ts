import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { SealedColumn } from './reseal.ts'
import type { Vault } from './vault.ts'

/** How many values bear another key than the one that seals now: what a rotation has left to do. */
export async function countOlderSeals(
  db: Db,
  vault: Vault,
  columns: readonly SealedColumn[],
): Promise<number> {
  const counts = columns.map(
    ({ table, column }) => sql`
      select count(*)::int as count from ${sql.raw(table)}
      where ${sql.raw(column)} is not null and split_part(${sql.raw(column)}, '.', 2) <> ${vault.keyId}`,
  )
  const { rows } = await sql<{ count: number }>`${sql.join(counts, sql` union all `)}`.execute(db)
  return rows.reduce((sum, { count }) => sum + count, 0)
}
