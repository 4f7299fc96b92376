import { sql } from 'kysely'
import { allOf } from '../platform/db/all-of.ts'
import type { Db } from '../platform/db/database.ts'
import { notify } from '../platform/db/notify.ts'
import type { Actor } from '../shared/actor.ts'
import { type ChannelId, firstIdAt, type MessageId, type RunId } from '../shared/ids.ts'
import type { Card, Origin } from './chat.ts'
import type { FileShape } from './files/contract.ts'
import type { ThreadMessage } from './platforms/thread-message.ts'
import { type ReactionRow, reactionsOf } from './reactions/reactions-of.ts'
import { type ThumbRow, thumbsOf } from './thumbs/thumbs-of.ts'
import { maySeePrivate } from './visible-to.ts'

/** The notification channel for changes in chat channels. */
export const chatChanged = 'bellhop_chat'

export type MessageRow = {
  id: MessageId
  channelId: ChannelId
  threadId: MessageId | null
  authorKind: 'agent' | 'user' | 'system'
  authorId: string | null
  authorName: string
  text: string
  card: Card | null
  runId: RunId | null
  origin: Origin | null
  mentions: string[]
  /** The answer of its run. */
  isReply: boolean
  /** What people think of it; null if it is not a reply. */
  thumbs: ThumbRow[] | null
  /** Null if nobody reacted. */
  reactions: ReactionRow[] | null
  /** It has a button that cancels its run. */
  hasCancel: boolean
  externalId: string | null
  permalink: string | null
  delivery: 'sending' | 'sent' | 'ambiguous' | 'failed'
  createdSeq: number
  seq: number
  createdAt: Date
  editedAt: Date | null
  /** What is attached. */
  files: FileShape[] | null
  /** Its author deleted it. The text is gone. */
  deletedAt: Date | null
}

const messageColumns = sql`
  id, channel_id, thread_id, author_kind, author_id, author_name, text, card, run_id, origin, mentions, has_cancel, external_id, permalink, delivery,
  created_seq, seq, created_at, edited_at, deleted_at, files, is_reply,
  case when is_reply then ${thumbsOf(sql`messages.run_id`)} end as thumbs,
  ${reactionsOf(sql`messages.id`)} as reactions`

type NewMessage = {
  id: MessageId
  channelId: ChannelId
  threadId: MessageId | null
  authorKind: MessageRow['authorKind']
  authorId: string | null
  authorName: string
  text: string
  card?: Card
  runId?: RunId
  origin?: Origin | null
  mentions?: string[]
  isReply?: boolean
  hasCancel?: boolean
  postKey?: string
  externalId?: string
  /** The message that it answers, if the platform sent it along. */
  repliesTo?: ThreadMessage
  delivery?: 'sending' | 'sent'
}

/**
 * Null if the message exists already (the same key, or the same id on the platform). Its time is by the database's clock, so that
 * times in a channel rise like its numbers, whichever process writes.
 */
export async function insertMessage(db: Db, message: NewMessage): Promise<MessageRow | null> {
  const { rows } = await sql<MessageRow>`
    with numbered as (
      update channels set last_seq = last_seq + 1 where id = ${message.channelId} returning last_seq)
    insert into messages (id, channel_id, thread_id, author_kind, author_id, author_name, text, card, run_id, origin, post_key,
      external_id, replies_to, mentions, is_reply, has_cancel, delivery, created_seq, seq, created_at)
    select ${message.id}, ${message.channelId}, ${message.threadId}, ${message.authorKind}, ${message.authorId},
      ${message.authorName}, ${message.text}, ${message.card ? JSON.stringify(message.card) : null},
      ${message.runId ?? null}, ${message.origin ? JSON.stringify(message.origin) : null}, ${message.postKey ?? null}, ${message.externalId ?? null},
      ${message.repliesTo ? JSON.stringify(message.repliesTo) : null},
      ${message.mentions ?? []}, ${message.isReply ?? false}, ${message.hasCancel ?? false}, ${message.delivery ?? 'sent'}, last_seq, last_seq, clock_timestamp()
    from numbered
    on conflict do nothing
    returning ${messageColumns}`.execute(db)
  const [row] = rows
  if (row) await announce(db, { channelId: row.channelId })
  return row ?? null
}

/** Fields that are left out stay as they are. Null if there is no such message, or its author deleted it. */
export async function changeMessage(
  db: Db,
  id: MessageId,
  change: {
    text?: string
    card?: Card
    hasCancel?: boolean
    files?: FileShape[]
    isReply?: boolean
    editedAt?: Date
    deletedAt?: Date
    delivery?: MessageRow['delivery']
    externalId?: string
    permalink?: string | null
  },
): Promise<MessageRow | null> {
  const { rows } = await sql<MessageRow>`
    with numbered as (
      update channels set last_seq = last_seq + 1
      where id = (select channel_id from messages where id = ${id}) returning last_seq)
    update messages set seq = last_seq, edited_at = coalesce(${change.editedAt ?? null}, edited_at),
      deleted_at = ${change.deletedAt ?? null},
      text = coalesce(${change.text ?? null}, text),
      has_cancel = coalesce(${change.hasCancel ?? null}, has_cancel),
      card = coalesce(${change.card ? JSON.stringify(change.card) : null}::json, card),
      files = case when ${change.deletedAt ?? null}::timestamptz is null then coalesce(${change.files ? JSON.stringify(change.files) : null}::json, files) end,
      delivery = coalesce(${change.delivery ?? null}, delivery), is_reply = coalesce(${change.isReply ?? null}, is_reply),
      external_id = coalesce(${change.externalId ?? null}, external_id),
      permalink = coalesce(${change.permalink ?? null}, permalink)
    from numbered where id = ${id} and deleted_at is null returning ${messageColumns}`.execute(db)
  const [row] = rows
  if (row) await announce(db, { channelId: row.channelId })
  return row ?? null
}

export async function findMessage(db: Db, id: string): Promise<MessageRow | null> {
  const { rows } = await sql<MessageRow>`select ${messageColumns} from messages where id = ${id}`.execute(db)
  return rows[0] ?? null
}

/** Threads have one level: returns the first message of this one's thread, or this one itself. */
export async function findRoot(db: Db, id: string): Promise<MessageRow | null> {
  const { rows } = await sql<MessageRow>`
    select ${messageColumns} from messages
    where id = (select coalesce(thread_id, id) from messages where id = ${id})`.execute(db)
  return rows[0] ?? null
}

export async function findMessageByKey(
  db: Db,
  channelId: ChannelId,
  key: string,
): Promise<MessageRow | null> {
  const { rows } = await sql<MessageRow>`
    select ${messageColumns} from messages where channel_id = ${channelId} and post_key = ${key}`.execute(db)
  return rows[0] ?? null
}

/** A later part of a long message also stands for the message. */
export async function findMessageByExternalId(
  db: Db,
  channelId: ChannelId,
  externalId: string,
): Promise<MessageRow | null> {
  const { rows } = await sql<MessageRow>`
    select ${messageColumns} from messages
    where channel_id = ${channelId} and (external_id = ${externalId} or id = (
      select p.message_id from message_parts p join messages m on m.id = p.message_id
      where p.external_id = ${externalId} and m.channel_id = ${channelId} limit 1))`.execute(db)
  return rows[0] ?? null
}

/** Which of these ids on the platform are messages that we have, or parts of them. */
export async function listKnownIds(
  db: Db,
  channelId: ChannelId,
  externalIds: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ externalId: string }>`
    select external_id from messages where channel_id = ${channelId} and external_id = any(${externalIds})
      and author_kind <> 'system'
    union
    select p.external_id from message_parts p join messages m on m.id = p.message_id
    where m.channel_id = ${channelId} and p.external_id = any(${externalIds})`.execute(db)
  return new Set(rows.map(({ externalId }) => externalId))
}

/** The last known name of somebody without a linked account. */
export async function findAuthorName(db: Db, authorId: string): Promise<string | null> {
  const { rows } = await sql<{ name: string }>`
    select author_name as name from messages where author_id = ${authorId} order by id desc limit 1`.execute(
    db,
  )
  return rows[0]?.name ?? null
}

type MessageFilter = {
  reader: Actor
  channelId?: ChannelId
  threadId?: MessageId
  runId?: string
  terms: string | null
  cursor?: string
  limit: number
}

/** Excludes direct conversations with the agent, which are private. */
export async function listMessages(db: Db, of: MessageFilter): Promise<MessageRow[]> {
  const { channelId, threadId, runId, terms, cursor } = of
  const conditions = [
    channelId && sql`channel_id = ${channelId}`,
    threadId && sql`(thread_id = ${threadId} or id = ${threadId})`,
    runId && sql`run_id = ${runId}`,
    // A thread keeps its first message, as a place.
    sql`(deleted_at is null or exists (select from messages reply where reply.thread_id = messages.id))`,
    terms && sql`to_tsvector('simple', left(text, 20000)) @@ to_tsquery('simple', ${terms})`,
    sql`exists (select 1 from channels c where c.id = channel_id and c.deleted_at is null
      and c.kind = 'channel' and (not c.is_private or ${maySeePrivate(of.reader)}))`,
    cursor &&
      (channelId
        ? sql`created_seq < (select created_seq from messages where id = ${cursor})`
        : sql`id < ${cursor}`),
  ]
  const { rows } = await sql<MessageRow>`
    select ${messageColumns} from messages where ${allOf(conditions)}
    order by ${channelId ? sql`created_seq` : sql`id`} desc limit ${of.limit + 1}`.execute(db)
  return rows
}

/** Newest first. `turnSeq` is the number of the question that a message answers, or its own. */
export async function listThread(
  db: Db,
  root: MessageId,
  limit: number,
): Promise<(MessageRow & { turnSeq: number })[]> {
  const { rows } = await sql<MessageRow & { turnSeq: number }>`
    select ${messageColumns}, turn_seq from (
      select m.*, coalesce(question.created_seq, m.created_seq) as turn_seq
      from messages m
      left join runs on runs.id = m.run_id
      left join messages question on question.id = runs.message_id and question.channel_id = m.channel_id
      where m.id = ${root} or m.thread_id = ${root}) messages
    order by turn_seq desc, created_seq desc limit ${limit}`.execute(db)
  return rows
}

/** Oldest change first; a message that changed twice appears once, as it is now. */
export async function listChanges(
  db: Db,
  channelId: ChannelId,
  after: number,
  limit: number,
): Promise<MessageRow[]> {
  const { rows } = await sql<MessageRow>`
    select ${messageColumns} from messages where channel_id = ${channelId} and seq > ${after}
    order by seq limit ${limit}`.execute(db)
  return rows
}

/** Deletes the oldest that nothing refers to: no reply in their thread, and no run. */
export async function deleteMessages(db: Db, before: Date, limit: number): Promise<number> {
  const { rows } = await sql`
    delete from messages where id in (
      select m.id from messages m
      where m.id < ${firstIdAt('message', before)}
        and not exists (select from messages reply where reply.thread_id = m.id)
        and not exists (select from runs r where r.id = m.run_id)
        and not exists (select from runs r where r.message_id = m.id and not r.dry)
      order by m.id limit ${limit} for update skip locked)
    returning id`.execute(db)
  return rows.length
}

export type Announcement = {
  channelId: ChannelId
  readBy?: string
  /** Some people who could see it may not any more. */
  closed?: true
  working?: { threadId: string | null; note: string | null; runId?: RunId | undefined }
  typing?: { threadId: string | null; name: string }
}

/** A PostgreSQL notification holds 8000 bytes. */
const maxNoteLength = 200

/** Sent to all processes when the transaction commits. */
export async function announce(db: Db, { working, ...announcement }: Announcement): Promise<void> {
  const note = working?.note?.slice(0, maxNoteLength) ?? null
  const payload = JSON.stringify({ ...announcement, ...(working ? { working: { ...working, note } } : {}) })
  await notify(db, chatChanged, payload)
}
