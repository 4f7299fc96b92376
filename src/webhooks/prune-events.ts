import { sql } from 'kysely'
import type { Db } from '../platform/db/database.ts'
import { forgetQuietSources } from './store/refusals.ts'

const defaultDays = 30
const keyDays = 7
const batch = 500

type Context = { db: Db; now: () => Date }

/** Forgets what is older than the retention, in small transactions that nobody has to wait for. */
export async function pruneEvents(ctx: Context, signal?: AbortSignal): Promise<void> {
  const before = new Date(ctx.now().getTime() - (await retentionDays(ctx.db)) * 86_400_000)
  const keysBefore = new Date(ctx.now().getTime() - keyDays * 86_400_000)
  await inBatches(signal, async () => {
    // Ids begin with their time: the oldest are the first of the primary key. What still waits or works is kept.
    const { rows } = await sql`
      delete from events where id in (
        select id from events
        where id < ${idBefore(before)} and status not in ('accepted', 'dispatched') order by id limit ${batch})
      returning id`.execute(ctx.db)
    return rows.length
  })
  await inBatches(signal, async () => {
    const { rows } = await sql`
      delete from delivery_keys where ctid = any (array(
        select ctid from delivery_keys where created_at < ${keysBefore} limit ${batch}))
      returning key`.execute(ctx.db)
    return rows.length
  })
  await inBatches(signal, async () => {
    const { rows } = await sql`
      delete from refusals where id in (
        select id from refusals where id < ${idBefore(before, 'ref')} order by id limit ${batch})
      returning id`.execute(ctx.db)
    return rows.length
  })
  await forgetQuietSources(ctx.db)
}

async function inBatches(signal: AbortSignal | undefined, step: () => Promise<number>): Promise<void> {
  while (!signal?.aborted && (await step()) === batch) {
    // A breath between two: the door and the runs come first.
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

function idBefore(time: Date, prefix = 'evt'): string {
  const hex = Math.max(0, time.getTime()).toString(16).padStart(12, '0')
  return `${prefix}_${hex.slice(0, 8)}-${hex.slice(8)}`
}

async function retentionDays(db: Db): Promise<number> {
  const { rows } = await sql<{ days: number | null }>`
    select (value ->> 'days')::float8 as days from settings where name = 'retention'`.execute(db)
  return rows[0]?.days ?? defaultDays
}
