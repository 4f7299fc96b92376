import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { SealedColumn } from './reseal.ts'

export type SealCount = { keyId: string; count: number }

/** How many values each key has sealed. */
export async function countSeals(db: Db, columns: readonly SealedColumn[]): Promise<SealCount[]> {
  const seals = columns.map(
    ({ table, column }) => sql`
      select split_part(${sql.raw(column)}, '.', 2) as key_id from ${sql.raw(table)} where ${sql.raw(column)} is not null`,
  )
  const { rows } = await sql<SealCount>`
    select key_id, count(*)::int as count from (${sql.join(seals, sql` union all `)}) seals
    group by key_id order by key_id`.execute(db)
  return rows
}
