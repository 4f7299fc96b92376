import type { EventId } from '../ids.ts'
import type { Db } from '../platform/db/database.ts'
import { eraseToolCalls } from '../tools/erase-tool-calls.ts'
import { findRunsOfEvent, wipeRuns } from './store/wipe-runs.ts'

/** In the transaction that erases the event: everything its runs, its replays and the talk about them wrote down goes too. */
export async function eraseRuns(tx: Db, eventId: EventId): Promise<void> {
  const runIds = await findRunsOfEvent(tx, eventId)
  if (runIds.length === 0) return
  await wipeRuns(tx, runIds)
  await eraseToolCalls(tx, runIds)
}
