import { sql } from 'kysely'
import { jobs } from '../../jobs.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Log } from '../../platform/log.ts'
import type { ChannelId, EventId } from '../../shared/ids.ts'
import { channelOfEvent } from './find-trigger.ts'
import { moveEvent } from './move-events.ts'

/** Posts only once for the same key. */
export type PostNotice = (channelId: ChannelId, text: string, key: string) => Promise<void>

type DeadEventContext = { db: Db; log: Log; postNotice: PostNotice }

/**
 * An event whose run could not be started in any of its tries is dead: visible, replayable, announced once in its channel, and no
 * longer in the way of others. An event that was settled meanwhile stays as it is.
 */
export async function reportDeadEvent(ctx: DeadEventContext, id: EventId, cause: Error): Promise<void> {
  const dispatched = await findDispatched(ctx.db, id)
  if (!dispatched) return
  ctx.log.error({ eventId: id, err: cause }, 'event.dead')
  await ctx
    .postNotice(
      dispatched.channelId,
      `An event of “${dispatched.name}” could not be handled: its run failed to start ${jobs['run.start'].tries} times. The event is kept and can be replayed from the Events page.`,
      `dead:${id}`,
    )
    // If the chat is down, a dead event must not hold up the others.
    .catch((error: unknown) => ctx.log.warn({ err: error, eventId: id }, 'event.notice_failed'))
  await moveEvent(ctx.db, id, 'dead')
}

type Dispatched = { name: string; channelId: ChannelId }

/** Null if the event was settled or buried meanwhile, or if its run has started: the sweep continues it, and it has its own reply. */
async function findDispatched(db: Db, id: EventId): Promise<Dispatched | null> {
  const { rows } = await sql<Dispatched>`
    select w.name, ${channelOfEvent} as channel_id from events e join event_sources w on w.id = e.source_id
    where e.id = ${id} and e.status = 'dispatched'
      and not exists (select from runs r where r.id = e.run_id and r.ended_at is null)`.execute(db)
  return rows[0] ?? null
}
