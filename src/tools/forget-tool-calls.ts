import { deleteApprovals } from '../approvals/store.ts'
import type { Db } from '../platform/db/database.ts'
import type { RunId } from '../shared/ids.ts'
import { deleteToolCalls } from './store.ts'

/** In the transaction that deletes the runs. */
export async function forgetToolCalls(tx: Db, runIds: readonly RunId[]): Promise<void> {
  await deleteToolCalls(tx, runIds)
  await deleteApprovals(tx, runIds)
}
