import { problem } from '../http/problems.ts'
import type { Db } from '../platform/db/database.ts'
import { type Actor, mayActAs } from '../shared/actor.ts'
import type { ScheduleId } from '../shared/ids.ts'
import { findSchedule, type ScheduleFields, type ScheduleRow } from './store.ts'

/** Throws if it does not exist or is deleted. */
export async function getSchedule(db: Db, id: ScheduleId, options?: { lock: boolean }): Promise<ScheduleRow> {
  const row = await findSchedule(db, id, options)
  if (!row) throw problem('not-found', 'There is no schedule with this id.')
  return row
}

/** Only an admin may allow destructive tools. */
export function refuseBeyondRole(
  actor: Actor,
  after: ScheduleFields['ceiling'],
  before: ScheduleFields['ceiling'],
): void {
  if (after !== 'destructive' || before === 'destructive' || mayActAs(actor, 'admin')) return
  throw problem('forbidden', 'Only an admin may set the ceiling to destructive.')
}
