import type { RunId } from '../ids.ts'
import type { Db } from '../platform/db/database.ts'
import { wipeToolCalls } from './store.ts'

/** What was asked, sent and answered is wiped; that there was a call, and what was decided, stays. */
export async function eraseToolCalls(tx: Db, runIds: readonly RunId[]): Promise<void> {
  await wipeToolCalls(tx, runIds)
}
