import { sql } from 'kysely'
import type { Db } from '../platform/db/database.ts'
import { inBatches } from '../platform/in-batches.ts'
import { deleteDeliveryKeys, deleteEvents } from './store/events.ts'
import { deleteRefusals, forgetQuietSources } from './store/refusals.ts'

const defaultDays = 30
const keyDays = 7
const batch = 500

type Context = { db: Db; now: () => Date }

/** Forgets what is older than the retention. */
export async function pruneEvents({ db, now }: Context, signal?: AbortSignal): Promise<void> {
  const daysAgo = (days: number) => new Date(now().getTime() - days * 86_400_000)
  const before = daysAgo(await retentionDays(db))
  await inBatches(batch, (limit) => deleteEvents(db, before, limit), signal)
  await inBatches(batch, (limit) => deleteDeliveryKeys(db, daysAgo(keyDays), limit), signal)
  await inBatches(batch, (limit) => deleteRefusals(db, before, limit), signal)
  await forgetQuietSources(db)
}

/** An admin may set another one than the usual (settings, group `retention`). */
async function retentionDays(db: Db): Promise<number> {
  const { rows } = await sql<{ days: number | null }>`
    select (value ->> 'days')::float8 as days from settings where name = 'retention'`.execute(db)
  return rows[0]?.days ?? defaultDays
}
