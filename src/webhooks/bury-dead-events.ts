import { sql } from 'kysely'
import type { ChannelId, EventId } from '../ids.ts'
import type { Jobs } from '../jobs.ts'
import type { Db } from '../platform/db/database.ts'
import type { Log } from '../platform/log.ts'
import type { Queue } from '../platform/queue/queue.ts'
import { moveEvent } from './store/events.ts'

/** The same key twice says it once. */
export type TellChannel = (channelId: ChannelId, text: string, key: string) => Promise<void>

type Context = { db: Db; queue: Pick<Queue<Jobs>, 'deadLetters'>; log: Log; tellChannel: TellChannel }

/**
 * An event whose run could not even be started, five times over, is dead: visible, replayable, told once in its channel, and
 * out of the way of the others. An event that was settled otherwise meanwhile stays as it is.
 */
export async function buryDeadEvents(ctx: Context): Promise<void> {
  for (const letter of await ctx.queue.deadLetters()) {
    if (letter.name !== 'run.start') continue
    // A dead letter holds the payload that the dispatcher sent.
    const { eventId } = letter.payload as Jobs['run.start']
    const dying = await findDispatched(ctx.db, eventId)
    if (!dying) continue
    ctx.log.error({ eventId, err: letter.error }, 'event.dead')
    await ctx
      .tellChannel(
        dying.channelId,
        `An event of “${dying.name}” could not be handled: its run failed to start 5 times. It is kept and can be replayed from the ledger of events.`,
        `dead:${eventId}`,
      )
      // A chat that is down must not keep a dead event in the way of the living.
      .catch((error: unknown) => ctx.log.warn({ err: error, eventId }, 'event.notice_failed'))
    await ctx.db.transaction().execute(async (tx) => {
      await moveEvent(tx, eventId, 'dead')
    })
  }
}

async function findDispatched(
  db: Db,
  eventId: EventId,
): Promise<{ name: string; channelId: ChannelId } | undefined> {
  const { rows } = await sql<{ name: string; channelId: ChannelId }>`
    select w.name, w.channel_id from events e join webhooks w on w.id = e.webhook_id
    where e.id = ${eventId} and e.status = 'dispatched'`.execute(db)
  return rows[0]
}
