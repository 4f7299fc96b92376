import type { Db } from '../../platform/db/database.ts'
import { inBatches } from '../../platform/in-batches.ts'
import { listDeletedThatWait } from '../ledger/events.ts'
import { ignoreWaiting } from './move-events.ts'

const batch = 1_000

/** Nothing is dispatched for a deleted source, so events that still wait for it are ignored instead of waiting forever. */
export async function ignoreOrphans(db: Db, signal: AbortSignal): Promise<void> {
  for (const sourceId of await listDeletedThatWait(db)) {
    await inBatches(batch, (limit) => ignoreWaiting(db, sourceId, limit), signal)
  }
}
