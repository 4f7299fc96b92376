import type { Db } from '../../platform/db/database.ts'
import type { Caller } from '../../shared/actor.ts'
import type { Audit } from '../../shared/audit.ts'
import type { EventId } from '../../shared/ids.ts'
import { wipeEvent } from '../inbox/move-events.ts'
import { findEvent } from './events.ts'

export type EraseContext = {
  db: Db
  audit: Audit
  runs: {
    /** Erases the event's runs, tool answers and replies, which belong to other slices. */
    eraseOf(tx: Db, eventId: EventId): Promise<void>
  }
}

/** Erases what the sender sent and everything that came of it. A second call does nothing more. False if there is no such event. */
export async function eraseEvent(ctx: EraseContext, caller: Caller, id: EventId): Promise<boolean> {
  return await ctx.db.transaction().execute(async (tx) => {
    if (!(await findEvent(tx, id))) return false
    if (await wipeEvent(tx, id)) {
      await ctx.runs.eraseOf(tx, id)
      await ctx.audit(tx, { ...caller, action: 'event.erased', subject: id })
    }
    return true
  })
}
