import { setTimeout as pause } from 'node:timers/promises'
import type { Db } from '../platform/db/database.ts'
import { findDeletedThatWait } from './store/events.ts'
import { ignoreWaiting } from './store/move-events.ts'

const atOnce = 1_000

/** Nothing is dispatched for a deleted webhook: what waits for it all the same is ignored, so that nothing waits for ever. */
export async function ignoreOrphans(db: Db, signal?: AbortSignal): Promise<void> {
  for (const webhookId of await findDeletedThatWait(db)) {
    while (!signal?.aborted && (await ignoreWaiting(db, webhookId, atOnce)) === atOnce) {
      // A breath between two: the door and the runs come first.
      await pause(10)
    }
  }
}
