import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { ChannelId, EventId, MessageId, SourceId } from '../../shared/ids.ts'

/** Which thread: events of one source with the same key, answered in one channel. */
export type ThreadRef = { sourceId: SourceId; threadKey: string; channelId: ChannelId }

export type EventThread = { messageId: MessageId; closedAt: Date | null }

const isThread = ({ sourceId, threadKey, channelId }: ThreadRef) =>
  sql`t.source_id = ${sourceId} and t.thread_key = ${threadKey} and t.channel_id = ${channelId}`

/** Null if there is none, or it was opened longer ago than the webhook's `threadDays`: then the next event opens another one. */
export async function findEventThread(db: Db, ref: ThreadRef): Promise<EventThread | null> {
  const { rows } = await sql<EventThread>`
    select t.message_id, t.closed_at from event_threads t left join webhooks w on w.id = t.source_id
    where ${isThread(ref)} and (w.id is null or t.opened_at > now() - make_interval(days => w.thread_days))`.execute(
    db,
  )
  return rows[0] ?? null
}

/** Posting the same message again opens nothing anew. */
export async function openEventThread(db: Db, ref: ThreadRef, messageId: MessageId): Promise<void> {
  await sql`
    insert into event_threads as t (source_id, thread_key, channel_id, message_id)
    values (${ref.sourceId}, ${ref.threadKey}, ${ref.channelId}, ${messageId})
    on conflict (source_id, thread_key, channel_id)
    do update set message_id = excluded.message_id, opened_at = excluded.opened_at, closed_at = null
    where t.message_id <> excluded.message_id`.execute(db)
}

/** The first message is gone. */
export async function forgetEventThread(db: Db, ref: ThreadRef): Promise<void> {
  await sql`delete from event_threads t where ${isThread(ref)}`.execute(db)
}

export async function setThreadClosed(db: Db, ref: ThreadRef, closed: boolean): Promise<void> {
  await sql`
    update event_threads t set closed_at = ${closed ? sql`now()` : sql`null`} where ${isThread(ref)}`.execute(
    db,
  )
}

export async function deleteEventThreads(db: Db, before: Date, limit: number): Promise<number> {
  const { rows } = await sql`
    delete from event_threads where ctid in (
      select ctid from event_threads where opened_at < ${before} limit ${limit}) returning message_id`.execute(
    db,
  )
  return rows.length
}

export type KeyedEvent = ThreadRef & { closes: boolean; receivedAt: Date }

/** Null if the event has no key. */
export async function findKeyedEvent(
  db: Db,
  eventId: EventId | null,
  channelId: ChannelId | null,
): Promise<KeyedEvent | null> {
  if (eventId === null || channelId === null) return null
  const { rows } = await sql<Omit<KeyedEvent, 'channelId'>>`
    select source_id, thread_key, coalesce((verdict -> 'rule' ->> 'closes')::boolean, false) as closes, received_at
    from events where id = ${eventId} and thread_key is not null`.execute(db)
  return rows[0] ? { ...rows[0], channelId } : null
}
