import { sql } from 'kysely'
import type { Db } from './database.ts'

/** The one clock that all processes share. */
export async function readTime(db: Db): Promise<Date> {
  const { rows } = await sql<{ time: Date }>`select clock_timestamp() as time`.execute(db)
  // A select without a table returns one row.
  return rows[0]!.time
}
