import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { noteChange } from '../changes.ts'
import type { EventId, RunId, WebhookId } from '../ids.ts'
import type { Jobs } from '../jobs.ts'
import type { Db } from '../platform/db/database.ts'
import type { Notifications } from '../platform/db/notifications.ts'
import type { Queue } from '../platform/queue/queue.ts'
import { eventSettled, eventsWaiting, webhooksThatWait } from './store/events.ts'

type Context = {
  db: Db
  queue: Pick<Queue<Jobs>, 'sendMany'>
  notifications: Notifications
  onError(error: Error): void
}

export type Dispatcher = AsyncDisposable & { wake(): void }

/** How many runs may be at work in all; each webhook has its own limit beside it. */
export const maxAtWork = 64
const sweepEveryMs = 1_000
const shortBreathMs = 5
const longBreathMs = 50
/** Any number will do, as long as every process uses the same. */
const onlyOneDispatches = 4_020_001

/**
 * Moves events from the inbox to runs. Woken by an accepted event or an ended run; the sweep finds what no bell was rung for,
 * so nothing is ever stuck.
 */
export async function openDispatcher(ctx: Context): Promise<Dispatcher> {
  let wanted = false
  let working: Promise<void> | null = null
  let closed = false

  async function work(): Promise<void> {
    while (wanted && !closed) {
      wanted = false
      let started = 0
      try {
        // A full house is not the end: whoever leaves rings again.
        started = await dispatchEvents(ctx)
      } catch (error) {
        ctx.onError(error instanceof Error ? error : new Error(String(error)))
      }
      // In a storm the bell never stops: one round takes what many rings were about.
      if (wanted) await pause(started > 0 ? shortBreathMs : longBreathMs)
    }
    working = null
  }

  function wake(): void {
    wanted = true
    if (!closed) working ??= work()
  }

  const stops = await Promise.all([
    ctx.notifications.listen(eventsWaiting, wake),
    ctx.notifications.listen(eventSettled, wake),
  ])
  const sweep = setInterval(wake, sweepEveryMs)
  sweep.unref()
  wake()
  return {
    wake,
    async [Symbol.asyncDispose]() {
      closed = true
      clearInterval(sweep)
      for (const stop of stops) stop()
      await working
    },
  }
}

/**
 * One round of dispatch. Each webhook that has waiting events gets its next one before any gets a second, up to its own
 * limit: a storm on one delays nobody else. Finding the webhooks costs one probe of an index each, however long the queues.
 */
export async function dispatchEvents({ db, queue }: Pick<Context, 'db' | 'queue'>): Promise<number> {
  return await db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${onlyOneDispatches})`.execute(tx)
    const { rows } = await sql<{ id: EventId; runId: RunId; webhookId: WebhookId }>`
      with recursive ${webhooksThatWait},
      free as (
        select w.id, w.concurrency - (select count(*) from events e
                                      where e.webhook_id = w.id and e.status = 'dispatched' and not e.parked) as places
        from webhook_ids i join webhooks w on w.id = i.id
        where w.paused_at is null and w.state <> 'deleted'
      ),
      chosen as (
        select next.id
        from free f
        cross join lateral (
          select e.id, row_number() over (order by e.id) as turn from events e
          where e.webhook_id = f.id and e.status = 'accepted' order by e.id limit greatest(f.places, 0)
        ) next
        order by next.turn, next.id
        limit greatest(0, ${maxAtWork} - (select count(*) from events e where e.status = 'dispatched' and not e.parked))
      )
      update events e set status = 'dispatched', dispatched_at = clock_timestamp()
      from chosen c
      where e.id = c.id and e.status = 'accepted' and not (${agentIsPaused})
      returning e.id, e.run_id, e.webhook_id`.execute(tx)
    await queue.sendMany(
      tx,
      'run.start',
      rows.map(({ id, runId, webhookId }) => ({ payload: { runId, eventId: id, webhookId } })),
    )
    if (rows.length > 0) await noteChange(tx, 'events')
    return rows.length
  })
}

/** "Pause agent": accept and keep, start nothing (settings, group `agent`). */
const agentIsPaused = sql`coalesce((select (value ->> 'paused')::boolean from settings where name = 'agent'), false)`
