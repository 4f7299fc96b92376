import type { EventId } from '../ids.ts'
import type { Jobs } from '../jobs.ts'
import type { Db } from '../platform/db/database.ts'
import type { Queue } from '../platform/queue/queue.ts'
import { moveEvent } from './store/events.ts'

/**
 * An event whose run could not even be started, five times over, is dead: visible, replayable, and out of the way of the
 * others. An event that was settled otherwise meanwhile stays as it is.
 */
export async function buryDeadEvents({ db, queue }: { db: Db; queue: Queue<Jobs> }): Promise<void> {
  for (const letter of await queue.deadLetters()) {
    if (letter.name !== 'run.start') continue
    // A dead letter holds the payload that the dispatcher sent.
    const { eventId } = letter.payload as { eventId: EventId }
    await db.transaction().execute(async (tx) => {
      await moveEvent(tx, eventId, 'dead')
    })
  }
}
