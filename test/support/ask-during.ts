import { sql } from 'kysely'
import type { Db } from '../../src/platform/db/database.ts'
import { until } from './until.ts'

/** Starts `ask` while `first` is done but not committed; it is answered after the commit. */
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

/** Whether a connection waits for a lock of an open transaction. */
export async function someoneWaits(db: Db): Promise<boolean> {
  return (await countWaiting(db)) > 0
}

export async function countWaiting(db: Db): Promise<number> {
  const { rows } = await sql`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
  return rows.length
}
