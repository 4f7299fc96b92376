import { sql } from 'kysely'
import type { ChannelId, EventId } from '../ids.ts'
import { type JobQueue, type Jobs, jobs } from '../jobs.ts'
import type { Db } from '../platform/db/database.ts'
import type { Log } from '../platform/log.ts'
import { moveEvent } from './store/move-events.ts'

/** Posts only once for the same key. */
export type TellChannel = (channelId: ChannelId, text: string, key: string) => Promise<void>

type Context = { db: Db; queue: Pick<JobQueue, 'buryDead'>; log: Log; tellChannel: TellChannel }

/**
 * An event whose run could not be started in any of its tries is dead: visible, replayable, announced once in its channel, and no
 * longer in the way of others. An event that was settled meanwhile stays as it is.
 */
export async function buryDeadEvents(ctx: Context): Promise<void> {
  await ctx.queue.buryDead(async (letters) => {
    const { start = [], other = [] } = Object.groupBy(letters, ({ name }) =>
      name === 'run.start' ? 'start' : 'other',
    )
    // A sweep retries runs and replies; other dead jobs are only logged.
    for (const { name, payload, error } of other)
      ctx.log.error({ job: name, payload, err: error }, 'job.dead')
    // A dead letter holds the payload that the dispatcher sent.
    await bury(
      ctx,
      new Map(start.map(({ payload, error }) => [(payload as Jobs['run.start']).eventId, error])),
    )
  })
}

async function bury(ctx: Context, errors: ReadonlyMap<EventId, unknown>): Promise<void> {
  for (const { id, name, channelId } of await findDispatched(ctx.db, [...errors.keys()])) {
    ctx.log.error({ eventId: id, err: errors.get(id) }, 'event.dead')
    await ctx
      .tellChannel(
        channelId,
        `An event of “${name}” could not be handled: its run failed to start ${jobs['run.start'].tries} times. It is kept and can be replayed from the ledger of events.`,
        `dead:${id}`,
      )
      // If the chat is down, a dead event must not hold up the others.
      .catch((error: unknown) => ctx.log.warn({ err: error, eventId: id }, 'event.notice_failed'))
    await moveEvent(ctx.db, id, 'dead')
  }
}

type Dying = { id: EventId; name: string; channelId: ChannelId }

/** Leaves out events that were settled or buried meanwhile. */
async function findDispatched(db: Db, ids: readonly EventId[]): Promise<Dying[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<Dying>`
    select e.id, w.name, w.channel_id from events e join webhooks w on w.id = e.webhook_id
    where e.id = any (${ids}) and e.status = 'dispatched'`.execute(db)
  return rows
}
