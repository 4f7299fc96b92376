import { sql } from 'kysely'
import type { ChannelId, EventId } from '../ids.ts'
import { jobs } from '../jobs.ts'
import type { Db } from '../platform/db/database.ts'
import type { Log } from '../platform/log.ts'
import { moveEvent } from './store/move-events.ts'

/** The same key twice says it once. */
export type TellChannel = (channelId: ChannelId, text: string, key: string) => Promise<void>

export type BurialContext = { db: Db; log: Log; tellChannel: TellChannel }

/**
 * An event whose run could not even be started, for all its tries, is dead: visible, replayable, told once in its channel, and
 * out of the way of the others. An event that was settled otherwise meanwhile stays as it is.
 */
export async function buryDeadEvent(ctx: BurialContext, id: EventId, cause: Error): Promise<void> {
  const dying = await findDispatched(ctx.db, id)
  if (!dying) return
  ctx.log.error({ eventId: id, err: cause }, 'event.dead')
  await ctx
    .tellChannel(
      dying.channelId,
      `An event of “${dying.name}” could not be handled: its run failed to start ${jobs['run.start'].tries} times. It is kept and can be replayed from the ledger of events.`,
      `dead:${id}`,
    )
    // A chat that is down must not keep a dead event in the way of the living.
    .catch((error: unknown) => ctx.log.warn({ err: error, eventId: id }, 'event.notice_failed'))
  await moveEvent(ctx.db, id, 'dead')
}

type Dying = { name: string; channelId: ChannelId }

/** Null if others have settled or buried it meanwhile. */
async function findDispatched(db: Db, id: EventId): Promise<Dying | null> {
  const { rows } = await sql<Dying>`
    select w.name, w.channel_id from events e join webhooks w on w.id = e.webhook_id
    where e.id = ${id} and e.status = 'dispatched'`.execute(db)
  return rows[0] ?? null
}
