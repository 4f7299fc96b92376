import { type RawBuilder, sql } from 'kysely'
import { allOf } from '../../platform/db/all-of.ts'
import type { Db } from '../../platform/db/database.ts'
import { sourceName } from '../../shared/display-names.ts'
import {
  type EventId,
  eventOf,
  firstIdAt,
  type MessageId,
  type RunId,
  type SourceId,
} from '../../shared/ids.ts'
import type { EventStatus } from '../contract.ts'
import type { Verdict } from '../rules/judge-events.ts'

export type EventRow = {
  id: EventId
  sourceId: SourceId
  sourceName: string | null
  runId: RunId
  status: EventStatus
  waitsForApproval: boolean
  trigger: 'webhook' | 'test' | 'schedule' | 'watch'
  receivedAt: Date
  /** The due time of a schedule; null for a webhook. */
  scheduledAt: Date | null
  /** The message in a watched channel. */
  messageId: MessageId | null
  settledAt: Date | null
  note: string | null
  deliveryId: string | null
  sizeBytes: number
  contentType: string | null
  senderAddress: string
  headers: Record<string, string>
  verification: 'off' | 'verified' | 'test'
  erasedAt: Date | null
  verdict: Verdict | null
  threadKey: string | null
  dueAt: Date | null
  joinedTo: EventId | null
  /** The beginning of the JSON, enough to tell what it is about. */
  beginning: Buffer | null
  replyText: string | null
  replyPermalink: string | null
}

/** The database reads no more than this of a long body. */
export const beginningBytes = 2048

/** One that is dispatched is at work, as few are, or waits. */
const waitsForApproval = sql`e.status = 'dispatched' and exists (select from runs where id = e.run_id and status = 'waiting')`

/** Runs and replies belong to the slice `runs`; the ledger only reads them, so that one row shows everything from receipt to message. */
const eventColumns = sql`
  e.id, e.source_id, ${sourceName(sql`e.source_id`)} as source_name, e.run_id, e.status,
  ${waitsForApproval} as waits_for_approval, e.trigger, e.received_at, e.scheduled_at, e.message_id, e.settled_at, e.note, e.delivery_id, e.size_bytes,
  e.content_type, e.sender_address, e.headers, e.verification, e.erased_at, e.verdict, e.thread_key, e.due_at, e.joined_to,
  substring(coalesce(e.payload, e.body) from 1 for ${beginningBytes}) as beginning,
  case when r.state = 'posted' then r.text end as reply_text, r.permalink as reply_permalink`

export type EventFilter = {
  cursor?: string
  limit: number
  sourceId?: string
  channelId?: string
  runId?: string
  status?: EventStatus
  waitsForApproval?: boolean
  from?: Date
  to?: Date
}

/** The newest `limit + 1` events that match. */
export async function listEvents(db: Db, of: EventFilter, and = sql`true`): Promise<EventRow[]> {
  const { rows } = await sql<EventRow>`
    select ${eventColumns} from (${newestEvents(of, of.limit + 1, { and })}) page
    join events e on e.id = page.id left join replies r on r.run_id = e.run_id
    order by e.id desc`.execute(db)
  return rows
}

/**
 * The newest events (as `e`) that match, chosen by an index alone. Those of a source are in two indexes, waiting ones in that of the
 * inbox and all others in another: a delivery is entered into one of them only.
 */
export function newestEvents(
  of: EventFilter,
  limit: number,
  { columns = sql`e.id`, and = sql`true` }: { columns?: RawBuilder<unknown>; and?: RawBuilder<unknown> },
): RawBuilder<unknown> {
  const newest = (among: RawBuilder<unknown>) => sql`
    select ${columns} from events e where ${among} and ${matchingEvents(of)} and ${and} order by e.id desc limit ${limit}`
  const newestOfEach = (among: RawBuilder<unknown>) => sql`
    with recursive ${sourcesAmong(of)}
    select newest.* from source_ids i
    cross join lateral (${newest(sql`e.source_id = i.id and ${among}`)}) newest
    order by newest.id desc limit ${limit}`
  const waiting = newestOfEach(sql`e.status = 'accepted'`)
  const { status = of.waitsForApproval ? 'dispatched' : undefined } = of
  if (status === 'accepted') return waiting
  if (!(of.sourceId || of.channelId)) return newest(sql`true`)
  const others = newestOfEach(sql`e.status <> 'accepted'`)
  if (status) return others
  return sql`select * from ((${waiting}) union all (${others})) e order by id desc limit ${limit}`
}

/** `source_ids`: one probe of an index for each, however many events wait, and whatever the planner estimates. */
function sourcesAmong({ sourceId, channelId }: EventFilter): RawBuilder<unknown> {
  if (!sourceId && !channelId) return sourcesThatWait
  const chosen = allOf([sourceId && sql`id = ${sourceId}`, channelId && sql`channel_id = ${channelId}`])
  return sql`source_ids (id) as (select id from event_sources where ${chosen})`
}

/**
 * `source_ids`, for a `with recursive`: jumps from one source to the next without reading the events in between. The last row
 * is null.
 */
export const sourcesThatWait = sql`
  source_ids (id) as (
    (select source_id from events where status = 'accepted' order by source_id limit 1)
    union all
    select (select e.source_id from events e where e.status = 'accepted' and e.source_id > i.id
            order by e.source_id limit 1)
    from source_ids i where i.id is not null
  )`

function matchingEvents(of: EventFilter): RawBuilder<unknown> {
  return allOf([
    of.cursor && sql`e.id < ${of.cursor}`,
    // An event and its first run share a number; a text that is not an id matches nothing.
    of.runId && sql`e.id = ${eventOf(of.runId as RunId)} and e.run_id = ${of.runId}`,
    of.status && sql`e.status = ${of.status}`,
    of.waitsForApproval ? waitsForApproval : null,
    of.waitsForApproval === false ? sql`not (${waitsForApproval})` : null,
    // Ids begin with their time, so a span of time is a range of the primary key; a minute wider, since clocks differ.
    of.from && sql`e.received_at >= ${of.from} and e.id >= ${idAt(of.from, -60_000)}`,
    of.to && sql`e.received_at < ${of.to} and e.id < ${idAt(of.to, 60_000)}`,
  ])
}

function idAt(time: Date, shiftMs: number): string {
  return firstIdAt('event', new Date(time.getTime() + shiftMs))
}

export async function findEvent(db: Db, id: EventId): Promise<EventRow | null> {
  const { rows } = await sql<EventRow>`
    select ${eventColumns} from events e left join replies r on r.run_id = e.run_id where e.id = ${id}`.execute(
    db,
  )
  return rows[0] ?? null
}

/** The body is null once erased. */
export async function findBody(db: Db, id: EventId): Promise<{ body: Buffer | null } | null> {
  const { rows } = await sql<{ body: Buffer | null }>`select body from events where id = ${id}`.execute(db)
  return rows[0] ?? null
}

/** Webhooks and schedules with events in the inbox. */
export async function listSourcesThatWait(db: Db): Promise<SourceId[]> {
  const { rows } = await sql<{ id: SourceId }>`
    with recursive ${sourcesThatWait}
    select id from source_ids where id is not null`.execute(db)
  return rows.map(({ id }) => id)
}

/** Deleted webhooks and schedules with events in the inbox: left from a storm, or accepted by another process a moment too late. */
export async function listDeletedThatWait(db: Db): Promise<SourceId[]> {
  const { rows } = await sql<{ id: SourceId }>`
    with recursive ${sourcesThatWait}
    select w.id from source_ids i join event_sources w on w.id = i.id where w.state = 'deleted'`.execute(db)
  return rows.map(({ id }) => id)
}

/**
 * The oldest of the events that settled before this time and are no cases; waiting and active ones have not. Ids begin with the time of arrival, so
 * these come first in the primary key.
 */
export async function deleteEvents(db: Db, before: Date, limit: number): Promise<number> {
  const { rows } = await sql`
    delete from events where id in (
      select id from events
      where id < ${firstIdAt('event', before)} and settled_at < ${before}
        and not exists (select from cases c where c.event_id = events.id)
      order by id limit ${limit})
    returning id`.execute(db)
  return rows.length
}

/** The blocks of the table of delivery keys. */
export async function countKeyBlocks(db: Db): Promise<number> {
  const { rows } = await sql<{ blocks: number }>`
    select (pg_relation_size('delivery_keys') / current_setting('block_size')::int)::int as blocks`.execute(
    db,
  )
  return rows[0]?.blocks ?? 0
}

/** In some blocks of the table. From then on a delivery with the same key counts as new. */
export async function deleteDeliveryKeys(db: Db, before: Date, from: number, to: number): Promise<void> {
  await sql`
    delete from delivery_keys
    where ctid >= ${`(${from},0)`}::tid and ctid < ${`(${to},0)`}::tid and created_at < ${before}`.execute(db)
}

export async function countWaiting(db: Db, atMost: number): Promise<number> {
  const { rows } = await sql<{ waiting: number }>`
    select count(*)::int as waiting from (select from events where status = 'accepted' limit ${atMost}) e`.execute(
    db,
  )
  return rows[0]?.waiting ?? 0
}
