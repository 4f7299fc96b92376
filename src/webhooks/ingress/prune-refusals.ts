import type { Db } from '../../platform/db/database.ts'
import { inBatches } from '../../platform/in-batches.ts'
import { deleteRefusals, deleteRefusedHours, forgetQuietSources } from '../store/refusals.ts'
import { forgetRequests } from '../store/refused-requests.ts'

const batch = 500
const requestsKeptMs = 86_400_000

type Context = {
  db: Db
  now: () => Date
  settings: { read(): Promise<{ retention: { days: number } }> }
}

/** Deletes refused deliveries that are older than the retention, and forgets sources that send proper deliveries again. */
export async function pruneRefusals({ db, now, settings }: Context, signal?: AbortSignal): Promise<void> {
  const { retention } = await settings.read()
  const before = new Date(now().getTime() - retention.days * 86_400_000)
  await inBatches(batch, (limit) => deleteRefusals(db, before, limit), signal)
  await forgetRequests(db, new Date(now().getTime() - requestsKeptMs))
  await deleteRefusedHours(db, before)
  await forgetQuietSources(db)
}
