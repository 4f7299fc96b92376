import type { Db } from '../../platform/db/database.ts'
import { inBatches } from '../../platform/in-batches.ts'
import { deleteEvents } from './events.ts'

const batch = 500

type Context = {
  db: Db
  now: () => Date
  settings: { read(): Promise<{ retention: { days: number } }> }
}

/** Deletes events that ended before the retention period. */
export async function pruneEvents({ db, now, settings }: Context, signal?: AbortSignal): Promise<void> {
  const { retention } = await settings.read()
  const before = new Date(now().getTime() - retention.days * 86_400_000)
  await inBatches(batch, (limit) => deleteEvents(db, before, limit), signal)
}
