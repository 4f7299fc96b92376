import { type RawBuilder, sql } from 'kysely'
import { allOf } from '../../platform/db/all-of.ts'
import { type Db, isUniqueViolation } from '../../platform/db/database.ts'
import { replaceNul } from '../../platform/db/replace-nul.ts'
import type { Actor } from '../../shared/actor.ts'
import { type ChannelId, type ConnectorId, newId, type WorkspaceId } from '../../shared/ids.ts'
import type { ReadsAcross } from '../../shared/scope.ts'
import type { NotifyLevel, PlatformName } from '../contract.ts'
import type { PlatformChannel, Privacy } from '../platforms/platform.ts'
import { announce } from '../store.ts'
import { maySeePrivate } from '../visible-to.ts'
import type { Watch } from '../watches/contract.ts'
import { watchOfChannel } from '../watches/store.ts'
import { publicPlatforms } from '../workspaces/contract.ts'
import { unreadBy, unreadFailures } from './unread-by.ts'

export const builtInWorkspaceId: WorkspaceId = 'wsp_00000000-0000-7000-8000-000000000001'

export type ChannelRow = {
  id: ChannelId
  workspaceId: WorkspaceId
  workspaceName: string
  platform: PlatformName
  name: string
  kind: 'channel' | 'direct'
  isPrivate: boolean
  externalId: string | null
  unconfirmed: boolean
  /** Null means every connector. */
  connectorIds: ConnectorId[] | null
  readsAcross: ReadsAcross
  /** Whether the agent reads a thread that others began, when it is mentioned there. */
  threadContext: 'all' | 'off'
  /** Null if it is not watched. */
  watch: Watch | null
  lastSeq: number
  createdAt: Date
}

/** What the agent may use there. */
export type ChannelScope = Pick<ChannelRow, 'connectorIds' | 'readsAcross'>

/** A webhook or schedule posts there, or a known person has talked to the agent there. A topic belongs to its group. */
const inUse = (workspaceId: RawBuilder<unknown>, externalId: RawBuilder<unknown>) => sql`exists (
  select 1 from channels k
  where k.workspace_id = ${workspaceId} and split_part(k.external_id, '/', 1) = split_part(${externalId}, '/', 1)
    and k.deleted_at is null
    and (exists (select 1 from event_sources h where h.channel_id = k.id and h.state <> 'deleted')
      or exists (select 1 from messages m join users u on u.id = m.author_id
        where m.channel_id = k.id and u.disabled_at is null)))`

const channelColumns = sql`
  c.id, c.workspace_id, w.name as workspace_name, w.platform, c.name, c.kind, c.is_private, c.external_id, c.connector_ids, c.reads_across, c.thread_context,
  ${watchOfChannel} as watch, c.last_seq, c.created_at, case when w.platform = any(${publicPlatforms}) and c.kind = 'channel'
    then not ${inUse(sql`c.workspace_id`, sql`c.external_id`)} else false end as unconfirmed`

export async function findChannel(
  db: Db,
  id: string,
  options: { lock?: boolean } = {},
): Promise<ChannelRow | null> {
  const { rows } = await sql<ChannelRow>`
    select ${channelColumns} from channels c join workspaces w on w.id = c.workspace_id
    where c.id = ${id} and c.deleted_at is null and w.deleted_at is null
    ${options.lock ? sql`for update of c` : sql``}`.execute(db)
  return rows[0] ?? null
}

export async function findExternalChannel(
  db: Db,
  workspaceId: WorkspaceId,
  externalId: string,
): Promise<ChannelId | null> {
  const { rows } = await sql<{ id: ChannelId }>`
    select id from channels where workspace_id = ${workspaceId} and external_id = ${externalId}`.execute(db)
  return rows[0]?.id ?? null
}

export async function isInUse(tx: Db, workspaceId: WorkspaceId, externalId: string): Promise<boolean> {
  const { rows } = await sql<{ isInUse: boolean }>`
    select ${inUse(sql`${workspaceId}`, sql`${externalId}`)} as is_in_use`.execute(tx)
  return rows[0]?.isInUse ?? false
}

/** What depends on who reads. */
export type ReaderView = {
  unread: number
  counted: number
  mentions: number
  starred: boolean
  notify: NotifyLevel
  lastMessageAt: Date | null
}

/** Of channels `c` in workspaces `w`, those that the reader finds in the list. */
export const listedFor = (reader: Actor) =>
  sql`c.deleted_at is null and w.deleted_at is null and c.kind = 'channel' and (not c.is_private or ${maySeePrivate(reader)})`

/** `failures`: only counted for whom they are news. */
export type Listed = ChannelRow & Omit<ReaderView, 'mentions' | 'counted'> & { failures: number }

export type ChannelFilter = {
  reader: Actor
  id?: string
  workspaceId?: WorkspaceId
  /** Among those that it lists. */
  connectorId?: string
  /** A part of the name. */
  q?: string
  cursor?: string
  limit: number
}

/** Our own channels first: a connected workspace may have hundreds. */
export async function listChannels(db: Db, of: ChannelFilter): Promise<Listed[]> {
  const { reader, id, workspaceId, connectorId, q, cursor } = of
  const conditions = [
    listedFor(reader),
    id && sql`c.id = ${id}`,
    workspaceId && sql`c.workspace_id = ${workspaceId}`,
    connectorId && sql`c.connector_ids::jsonb @> ${JSON.stringify([connectorId])}::jsonb`,
    q && sql`position(lower(${q}) in lower(c.name)) > 0`,
    cursor &&
      sql`(c.workspace_id = ${builtInWorkspaceId}, c.id) <
        (select last.workspace_id = ${builtInWorkspaceId}, last.id from channels last where last.id = ${cursor})`,
  ]
  const { rows } = await sql<Listed>`
    select ${channelColumns},
      (select created_at from messages m where m.channel_id = c.id order by created_seq desc limit 1) as last_message_at,
      (select count(*)::int from (
        select 1 from messages m where ${unreadBy(reader)} order by m.created_seq desc limit 100) latest) as unread,
      ${unreadFailures(reader)} as failures, coalesce(r.starred, false) as starred, coalesce(r.notify, 'all') as notify
    from channels c
    join workspaces w on w.id = c.workspace_id
    left join read_marks r on r.channel_id = c.id and r.user_id = ${reader.id}
    where ${allOf(conditions)}
    order by c.workspace_id = ${builtInWorkspaceId} desc, c.id desc limit ${of.limit + 1}`.execute(db)
  return rows
}

/** False if the name is taken. */
export async function insertChannel(
  tx: Db,
  channel: Pick<ChannelRow, 'id' | 'name' | 'connectorIds' | 'readsAcross'> & {
    createdBy: string
    now: Date
  },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into channels (id, workspace_id, name, connector_ids, reads_across, created_by, created_at)
    values (${channel.id}, ${builtInWorkspaceId}, ${channel.name},
      ${channel.connectorIds && JSON.stringify(channel.connectorIds)}, ${channel.readsAcross}, ${channel.createdBy}, ${channel.now})
    on conflict do nothing`.execute(tx)
  if (numAffectedRows === 1n) await announce(tx, { channelId: channel.id })
  return numAffectedRows === 1n
}

/** False if the name is taken; the transaction is then aborted. The unique index decides, since somebody may take the name right now. */
export async function renameChannel(tx: Db, id: ChannelId, name: string): Promise<boolean> {
  try {
    await sql`update channels set name = ${name} where id = ${id}`.execute(tx)
    await announce(tx, { channelId: id })
    return true
  } catch (error) {
    if (isUniqueViolation(error)) return false
    throw error
  }
}

export async function scopeChannel(tx: Db, id: ChannelId, to: ChannelScope): Promise<void> {
  const connectorIds = to.connectorIds && JSON.stringify(to.connectorIds)
  await sql`
    update channels set connector_ids = ${connectorIds}, reads_across = ${to.readsAcross} where id = ${id}`.execute(
    tx,
  )
  await announce(tx, { channelId: id })
}

/** False if it is already deleted. */
export async function removeChannel(tx: Db, id: ChannelId): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update channels set deleted_at = now() where id = ${id} and deleted_at is null`.execute(tx)
  await announce(tx, { channelId: id, closed: true })
  return numAffectedRows === 1n
}

/** Whether no other channel of the built-in workspace is left. A lock makes concurrent callers wait until each transaction ends. */
export async function lockAndCheckLastChannel(tx: Db, id: ChannelId): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(hashtext('chat.last-channel'))`.execute(tx)
  const { rows } = await sql`
    select from channels
    where workspace_id = ${builtInWorkspaceId} and kind = 'channel' and deleted_at is null and id <> ${id} limit 1`.execute(
    tx,
  )
  return rows.length === 0
}

/**
 * Creates or updates our row for a channel of a chat platform. Null if somebody deleted it here, which what people write there must
 * not undo; a direct conversation begins again.
 */
export async function upsertExternalChannel(
  tx: Db,
  channel: {
    workspaceId: WorkspaceId
    externalId: string
    name: string | null
    kind: 'channel' | 'direct'
    isPrivate?: Privacy
    now: Date
  },
): Promise<ChannelId | null> {
  const known = typeof channel.isPrivate === 'boolean' ? channel.isPrivate : null
  const { rows } = await sql<{ id: ChannelId; isDeleted: boolean; isClosed: boolean | null }>`
    with before as (
      select is_private from channels
      where workspace_id = ${channel.workspaceId} and external_id = ${channel.externalId})
    insert into channels (id, workspace_id, external_id, name, kind, is_private)
    values (${newId('channel', channel.now)}, ${channel.workspaceId}, ${channel.externalId},
      ${channel.name ?? channel.externalId}, ${channel.kind}, ${known ?? channel.isPrivate === 'unless-known'})
    on conflict (workspace_id, external_id) where external_id is not null
      do update set name = coalesce(${channel.name}, channels.name),
        deleted_at = case when channels.kind = 'channel' then channels.deleted_at end,
        is_private = coalesce(${known}, channels.is_private)
    returning id, deleted_at is not null as is_deleted, is_private and not (select is_private from before) as is_closed`.execute(
    tx,
  )
  // An upsert with `returning` returns exactly one row.
  const { id, isDeleted, isClosed } = rows[0]!
  if (isClosed) await announce(tx, { channelId: id, closed: true })
  return isDeleted ? null : id
}

/** Undoes deletions: of those that the platform lists, or of all if it cannot list any. Returns their ids. */
export async function restoreChannels(
  tx: Db,
  workspaceId: WorkspaceId,
  listed: readonly PlatformChannel[],
): Promise<ChannelId[]> {
  const ids = listed.map(({ externalId }) => externalId)
  const { rows } = await sql<{ id: ChannelId }>`
    update channels set deleted_at = null
    where workspace_id = ${workspaceId} and kind = 'channel' and deleted_at is not null
      and external_id not like '% until %' and (external_id = any(${ids}) or ${ids.length === 0})
    returning id`.execute(tx)
  return rows.map(({ id }) => id)
}

/** In a fixed order, so that concurrent calls do not deadlock. */
export async function storeChannels(
  tx: Db,
  workspaceId: WorkspaceId,
  channels: readonly PlatformChannel[],
  now: Date,
): Promise<void> {
  for (const channel of channels.toSorted((a, b) => (a.externalId < b.externalId ? -1 : 1))) {
    const name = replaceNul(channel.name)
    await upsertExternalChannel(tx, { ...channel, name, workspaceId, kind: 'channel', now })
  }
}

/** Known direct conversations, newest first. */
export async function listDirect(db: Db, workspaceId: WorkspaceId, limit: number): Promise<string[]> {
  const { rows } = await sql<{ externalId: string }>`
    select external_id from channels
    where workspace_id = ${workspaceId} and kind = 'direct' and external_id is not null and deleted_at is null
    order by created_at desc limit ${limit}`.execute(db)
  return rows.map(({ externalId }) => externalId)
}

/** The names of some webhooks and schedules that post to this channel or workspace. That a channel is watched ends with the channel. */
export async function listSourcesOf(tx: Db, place: ChannelId | WorkspaceId): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select s.name from event_sources s join channels on channels.id = s.channel_id
    where ${place} in (channels.id, channels.workspace_id) and s.state <> 'deleted' and s.id not like 'watch!_%' escape '!'
    order by s.name limit 5`.execute(tx)
  return rows.map(({ name }) => name)
}

/** The platform gave the channel another id. A row created under the new id meanwhile is dropped: webhooks refer to the old row. */
export async function moveChannel(
  tx: Db,
  workspaceId: WorkspaceId,
  { from, to }: { from: string; to: string },
): Promise<void> {
  const { rows } = await sql`
    select 1 from channels where workspace_id = ${workspaceId} and external_id = ${from} for update`.execute(
    tx,
  )
  if (rows.length === 0) return
  await sql`
    update channels set external_id = external_id || ' until ' || now(), deleted_at = now()
    where workspace_id = ${workspaceId} and external_id = ${to}`.execute(tx)
  await sql`
    update channels set external_id = ${to}
    where workspace_id = ${workspaceId} and external_id = ${from}`.execute(tx)
}
