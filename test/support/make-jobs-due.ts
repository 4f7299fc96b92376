import { sql } from 'kysely'
import type { Db } from '../../src/platform/db/database.ts'
import { notify } from '../../src/platform/db/notify.ts'

/** Makes deferred jobs, such as retries, run now. */
export async function makeJobsDue(db: Db): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    update jobs.job set start_after = now()
    where state in ('created', 'retry') and start_after > now() returning name`.execute(db)
  for (const { name } of rows) await notify(db, 'bellhop_jobs', name)
}
