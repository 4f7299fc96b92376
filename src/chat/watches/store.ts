import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { ChannelId, WatchId, WorkspaceId } from '../../shared/ids.ts'
import type { Watch } from './contract.ts'

/** Of a channel (as `c`); null if it is not watched. */
export const watchOfChannel = sql`(
  select json_build_object('from', t.written_by, 'when', t.condition, 'prompt', t.prompt, 'ceiling', t.ceiling,
    'perHour', t.runs_per_hour, 'paused', t.paused_at is not null, 'pauseReason', t.pause_reason)
  from watches t where t.channel_id = c.id and t.state = 'active')`

export type ActiveWatch = Pick<Watch, 'from' | 'when'> & { id: WatchId; channelName: string }

const activeWatch = (where: RawBuilder<unknown>) => sql<ActiveWatch>`
  select t.id, t.written_by as "from", t.condition as "when", c.name as channel_name
  from watches t join channels c on c.id = t.channel_id
  where t.state = 'active' and c.deleted_at is null and ${where}`

export async function findWatch(db: Db, channelId: ChannelId): Promise<ActiveWatch | null> {
  return (await activeWatch(sql`c.id = ${channelId}`).execute(db)).rows[0] ?? null
}

export async function findExternalWatch(
  db: Db,
  workspaceId: WorkspaceId,
  externalId: string,
): Promise<ActiveWatch | null> {
  const { rows } = await activeWatch(
    sql`c.workspace_id = ${workspaceId} and c.external_id = ${externalId}`,
  ).execute(db)
  return rows[0] ?? null
}

export async function saveWatch(tx: Db, channelId: ChannelId, watch: Watch): Promise<void> {
  const pausedAt = watch.paused ? sql`now()` : sql`null`
  await sql`
    insert into watches (channel_id, state, written_by, condition, prompt, ceiling, runs_per_hour, paused_at, pause_reason)
    values (${channelId}, 'active', ${watch.from}, ${watch.when}, ${watch.prompt}, ${watch.ceiling}, ${watch.perHour}, ${pausedAt},
      ${watch.pauseReason})
    on conflict (channel_id) do update set state = 'active', written_by = excluded.written_by, condition = excluded.condition,
      prompt = excluded.prompt, ceiling = excluded.ceiling, runs_per_hour = excluded.runs_per_hour,
      paused_at = case when excluded.paused_at is not null then coalesce(watches.paused_at, excluded.paused_at) end,
      pause_reason = excluded.pause_reason, updated_at = now()`.execute(tx)
}

/** What waits is ignored by the next sweep of the inbox. */
export async function endWatches(tx: Db, place: ChannelId | WorkspaceId): Promise<WatchId[]> {
  const { rows } = await sql<{ id: WatchId }>`
    update watches t set state = 'deleted', paused_at = null, pause_reason = null, updated_at = now() from channels c
    where c.id = t.channel_id and ${place} in (c.id, c.workspace_id) and t.state = 'active' returning t.id`.execute(
    tx,
  )
  return rows.map(({ id }) => id)
}

/** The channel is still watched, and its messages are kept as events, but start nothing. Null if it is not watched any more. */
export async function pauseWatch(tx: Db, id: WatchId, reason: string): Promise<Date | null> {
  const { rows } = await sql<{ pausedAt: Date }>`
    update watches set paused_at = coalesce(paused_at, now()), pause_reason = ${reason}
    where id = ${id} and state = 'active' returning paused_at`.execute(tx)
  return rows[0]?.pausedAt ?? null
}
