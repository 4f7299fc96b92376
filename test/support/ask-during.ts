import { sql } from 'kysely'
import type { Db } from '../../src/platform/db/database.ts'
import { until } from './until.ts'

/** Asks while `first` has been done and is not committed; the answer comes after the commit. */
export async function askDuring<T>(
  db: Db,
  first: (tx: Db) => Promise<unknown>,
  ask: () => Promise<T>,
): Promise<T> {
  const { asked } = await db.transaction().execute(async (tx) => {
    await first(tx)
    const answer = ask()
    await until(() => someoneWaits(db))
    return { asked: answer }
  })
  return await asked
}

/** Somebody stands in line behind a transaction that is still open. */
export async function someoneWaits(db: Db): Promise<boolean> {
  const { rows } = await sql`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
  return rows.length > 0
}
