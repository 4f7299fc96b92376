import { sql } from 'kysely'
import type { ChannelId, MessageId, RunId, WorkspaceId } from '../ids.ts'
import type { Db } from '../platform/db/database.ts'
import type { Card } from './chat.ts'
import type { PlatformName } from './contract.ts'

export const builtInWorkspaceId: WorkspaceId = 'wsp_00000000-0000-7000-8000-000000000001'
export const generalChannelId: ChannelId = 'chan_00000000-0000-7000-8000-000000000001'

/** The word on which all processes hear of changes in channels. */
export const notificationName = 'bellhop_chat'

export type ChannelRow = {
  id: ChannelId
  workspaceId: WorkspaceId
  workspaceName: string
  platform: PlatformName
  name: string
  kind: 'channel' | 'direct'
  externalId: string | null
  lastSeq: number
  createdAt: Date
}

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
  externalId: string | null
  permalink: string | null
  delivery: 'sending' | 'sent' | 'ambiguous' | 'failed'
  createdSeq: number
  seq: number
  createdAt: Date
  editedAt: Date | null
}

const channelColumns = sql`
  c.id, c.workspace_id, w.name as workspace_name, w.platform, c.name, c.kind, c.external_id, c.last_seq, c.created_at`

const messageColumns = sql`
  id, channel_id, thread_id, author_kind, author_id, author_name, text, card, run_id, external_id, permalink, delivery,
  created_seq, seq, created_at, edited_at`

export async function findChannel(db: Db, id: string): Promise<ChannelRow | null> {
  const { rows } = await sql<ChannelRow>`
    select ${channelColumns} from channels c join workspaces w on w.id = c.workspace_id
    where c.id = ${id} and c.deleted_at is null and w.deleted_at is null`.execute(db)
  return rows[0] ?? null
}

export async function listChannels(
  db: Db,
  { reader, cursor, limit }: { reader: string; cursor: string | undefined; limit: number },
): Promise<(ChannelRow & { unread: number; lastMessageAt: Date | null })[]> {
  const { rows } = await sql<ChannelRow & { unread: number; lastMessageAt: Date | null }>`
    select ${channelColumns},
      (select created_at from messages m where m.channel_id = c.id order by created_seq desc limit 1) as last_message_at,
      (select count(*)::int from (
        select 1 from messages m
        where m.channel_id = c.id and m.created_seq > coalesce(r.seq, 0) and m.author_id is distinct from ${reader}
        limit 100) counted) as unread
    from channels c
    join workspaces w on w.id = c.workspace_id
    left join read_marks r on r.channel_id = c.id and r.user_id = ${reader}
    where c.deleted_at is null and w.deleted_at is null and c.kind = 'channel'
      and (${cursor ?? null}::text is null or c.id < ${cursor ?? null})
    order by c.id desc limit ${limit}`.execute(db)
  return rows
}

/** False if the name is taken. */
export async function insertChannel(
  tx: Db,
  channel: { id: ChannelId; name: string; createdBy: string; now: Date },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into channels (id, workspace_id, name, created_by, created_at)
    values (${channel.id}, ${builtInWorkspaceId}, ${channel.name}, ${channel.createdBy}, ${channel.now})
    on conflict do nothing`.execute(tx)
  return numAffectedRows === 1n
}

/** False if the name is taken. */
export async function renameChannel(tx: Db, id: ChannelId, name: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update channels set name = ${name}
    where id = ${id} and not exists (
      select 1 from channels other
      where other.workspace_id = channels.workspace_id and lower(other.name) = lower(${name})
        and other.id <> channels.id and other.deleted_at is null and other.external_id is null)`.execute(tx)
  return numAffectedRows === 1n
}

export async function removeChannel(tx: Db, id: ChannelId): Promise<void> {
  await sql`update channels set deleted_at = now() where id = ${id}`.execute(tx)
}

/** The channel of an outside platform, made known to us. */
export async function upsertExternalChannel(
  tx: Db,
  channel: {
    id: ChannelId
    workspaceId: WorkspaceId
    externalId: string
    name: string | null
    kind: 'channel' | 'direct'
  },
): Promise<ChannelId> {
  const { rows } = await sql<{ id: ChannelId }>`
    insert into channels (id, workspace_id, external_id, name, kind)
    values (${channel.id}, ${channel.workspaceId}, ${channel.externalId}, ${channel.name ?? channel.externalId}, ${channel.kind})
    on conflict (workspace_id, external_id) where external_id is not null
      do update set name = coalesce(${channel.name}, channels.name), deleted_at = null
    returning id`.execute(tx)
  // An upsert with `returning` gives exactly one row.
  return rows[0]!.id
}

export type NewMessage = {
  id: MessageId
  channelId: ChannelId
  threadId: MessageId | null
  authorKind: MessageRow['authorKind']
  authorId: string | null
  authorName: string
  text: string
  card?: Card | undefined
  runId?: RunId | undefined
  postKey?: string | undefined
  externalId?: string | undefined
  delivery?: 'sending' | 'sent'
  now: Date
}

/** Null when the message is there already (the same key, or the same id on the platform). */
export async function insertMessage(tx: Db, message: NewMessage): Promise<MessageRow | null> {
  const { rows } = await sql<MessageRow>`
    with numbered as (
      update channels set last_seq = last_seq + 1 where id = ${message.channelId} returning last_seq)
    insert into messages (id, channel_id, thread_id, author_kind, author_id, author_name, text, card, run_id, post_key,
      external_id, delivery, created_seq, seq, created_at)
    select ${message.id}, ${message.channelId}, ${message.threadId}, ${message.authorKind}, ${message.authorId},
      ${message.authorName}, ${message.text}, ${message.card ? JSON.stringify(message.card) : null},
      ${message.runId ?? null}, ${message.postKey ?? null}, ${message.externalId ?? null},
      ${message.delivery ?? 'sent'}, last_seq, last_seq, ${message.now}
    from numbered
    on conflict do nothing
    returning ${messageColumns}`.execute(tx)
  const [row] = rows
  if (row) await announce(tx, { channelId: row.channelId })
  return row ?? null
}

export async function changeMessage(
  tx: Db,
  id: MessageId,
  change: { text?: string | undefined; card?: Card | undefined; now: Date },
): Promise<MessageRow | null> {
  const { rows } = await sql<MessageRow>`
    with numbered as (
      update channels set last_seq = last_seq + 1
      where id = (select channel_id from messages where id = ${id}) returning last_seq)
    update messages set seq = last_seq, edited_at = ${change.now},
      text = coalesce(${change.text ?? null}, text),
      card = coalesce(${change.card ? JSON.stringify(change.card) : null}::json, card)
    from numbered where id = ${id} returning ${messageColumns}`.execute(tx)
  const [row] = rows
  if (row) await announce(tx, { channelId: row.channelId })
  return row ?? null
}

export async function findMessage(db: Db, id: string): Promise<MessageRow | null> {
  const { rows } = await sql<MessageRow>`select ${messageColumns} from messages where id = ${id}`.execute(db)
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

export async function findMessageByExternalId(
  db: Db,
  channelId: ChannelId,
  externalId: string,
): Promise<MessageRow | null> {
  const { rows } = await sql<MessageRow>`
    select ${messageColumns} from messages where channel_id = ${channelId} and external_id = ${externalId}`.execute(
    db,
  )
  return rows[0] ?? null
}

export async function listMessages(
  db: Db,
  {
    channelId,
    threadId,
    terms,
    cursor,
    limit,
    withDirect = false,
  }: {
    channelId: ChannelId | null
    threadId: MessageId | undefined
    terms: string | null
    cursor: string | undefined
    limit: number
    /** Direct conversations with the agent are nobody else's business. */
    withDirect?: boolean
  },
): Promise<MessageRow[]> {
  const before = channelId
    ? sql`created_seq < (select created_seq from messages where id = ${cursor ?? null})`
    : sql`id < ${cursor ?? null}`
  const order = channelId ? sql`created_seq desc` : sql`id desc`
  const { rows } = await sql<MessageRow>`
    select ${messageColumns} from messages
    where (${channelId}::text is null or channel_id = ${channelId})
      and (${threadId ?? null}::text is null or thread_id = ${threadId ?? null} or id = ${threadId ?? null})
      and (${terms}::text is null or to_tsvector('simple', left(text, 20000)) @@ to_tsquery('simple', ${terms}))
      and exists (select 1 from channels c where c.id = channel_id and c.deleted_at is null
        and (${withDirect} or c.kind = 'channel'))
      and (${cursor ?? null}::text is null or ${before})
    order by ${order} limit ${limit}`.execute(db)
  return rows
}

/** Oldest change first; a message that changed twice is there once, as it is now. */
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

/** A mark only moves forward. */
export async function markRead(
  db: Db,
  userId: string,
  channelId: ChannelId,
  messageId: MessageId | null,
): Promise<void> {
  await sql`
    insert into read_marks (user_id, channel_id, seq)
    select ${userId}, id, coalesce((select created_seq from messages where id = ${messageId}), last_seq)
    from channels where id = ${channelId}
    on conflict (user_id, channel_id) do update set seq = greatest(read_marks.seq, excluded.seq)`.execute(db)
  await announce(db, { channelId, readBy: userId })
}

export type Announcement = {
  channelId: ChannelId
  readBy?: string
  working?: { threadId: string | null; note: string | null }
  typing?: { threadId: string | null; name: string }
}

/** Told to all processes when the transaction commits. */
export async function announce(db: Db, announcement: Announcement): Promise<void> {
  await sql`select pg_notify(${notificationName}, ${JSON.stringify(announcement)})`.execute(db)
}
