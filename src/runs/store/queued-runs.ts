import { sql } from 'kysely'
import { eventOf, type RunId } from '../../ids.ts'
import type { Db } from '../../platform/db/database.ts'

/** An event whose run has not begun: the run is there from the moment its sender was told so. */
export type QueuedRun = {
  id: RunId
  eventId: string
  eventStatus: 'accepted' | 'dispatched' | 'done' | 'failed' | 'dead' | 'ignored'
  webhookId: string
  channelId: string
  trigger: 'webhook' | 'test'
  prompt: string
  name: string
  receivedAt: Date
  settledAt: Date | null
}

const columns = sql`e.run_id as id, e.id as event_id, e.status as event_status, e.webhook_id, w.channel_id, e.trigger,
  w.prompt, w.name, e.received_at, e.settled_at`

export async function findQueued(db: Db, id: RunId): Promise<QueuedRun | null> {
  const { rows } = await sql<QueuedRun>`
    select ${columns} from events e join webhooks w on w.id = e.webhook_id
    where e.id = ${eventOf(id)} and e.run_id = ${id}`.execute(db)
  return rows[0] ?? null
}

type Filter = {
  webhookId?: string | undefined
  channelId?: string | undefined
  eventId?: string | undefined
  cursor?: string | undefined
  limit: number
}

/**
 * The newest that wait, webhook by webhook from the indices of the inbox: it costs a probe for each webhook, however many events there
 * are. What is accepted has no run yet, what is parked has one. An event and its run have the same number, so the order of the one is
 * that of the other.
 */
export async function listQueued(db: Db, of: Filter): Promise<QueuedRun[]> {
  const limit = of.limit + 1
  const matching = [
    sql`e.webhook_id = w.id`,
    ...(of.eventId ? [sql`e.id = ${of.eventId}`] : []),
    // The cursor has the look of an id of a run: the list gave it out.
    ...(of.cursor ? [sql`e.id < ${eventOf(of.cursor as RunId)}`] : []),
  ]
  const where = sql.join(matching, sql` and `)
  const ofWebhooks = [
    sql`true`,
    ...(of.webhookId ? [sql`w.id = ${of.webhookId}`] : []),
    ...(of.channelId ? [sql`w.channel_id = ${of.channelId}`] : []),
  ]
  const { rows } = await sql<QueuedRun>`
    select ${columns} from webhooks w cross join lateral (
      (select e.id from events e where ${where} and e.status = 'accepted' order by e.id desc limit ${limit})
      union all
      (select e.id from events e where ${where} and e.status = 'dispatched' and not e.parked
         and not exists (select from runs r where r.id = e.run_id))
    ) waiting join events e on e.id = waiting.id
    where ${sql.join(ofWebhooks, sql` and `)} order by e.id desc limit ${limit}`.execute(db)
  return rows
}
