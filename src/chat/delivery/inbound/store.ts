import { sql } from 'kysely'
import type { Db } from '../../../platform/db/database.ts'
import { replaceNul } from '../../../platform/db/replace-nul.ts'
import { inBatches } from '../../../platform/in-batches.ts'
import type { WorkspaceId } from '../../../shared/ids.ts'
import type { InboundEvent } from '../../platforms/platform.ts'

export type InboundRow = { seq: string; body: InboundEvent }

const maxTries = 5
const batch = 1000

/** False for a repeated delivery. A message that was not for us may become so when its author adds a mention. */
export async function insertInbound(
  tx: Db,
  workspaceId: WorkspaceId,
  threadKey: string,
  event: InboundEvent,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into inbound_messages (workspace_id, event_key, thread_key, sender_id, body)
    values (${workspaceId}, ${event.key}, ${threadKey}, ${event.sender.id}, ${write(event)})
    on conflict (workspace_id, event_key) do update set body = excluded.body, state = 'waiting'
      where inbound_messages.state in ('waiting', 'aside') and inbound_messages.body ->> 'addressed' = 'false'
        and excluded.body ->> 'addressed' = 'true'`.execute(tx)
  return numAffectedRows === 1n
}

/** Messages may contain what the database does not accept as text: NUL or a lone surrogate. */
function write(event: InboundEvent): string {
  const clean = (value: unknown) => (typeof value === 'string' ? replaceNul(value).toWellFormed() : value)
  return JSON.stringify(event, (_key, value) => clean(value))
}

/** Makes this transaction the only reader of the thread until it ends. */
export async function lockThread(tx: Db, workspaceId: WorkspaceId, threadKey: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`chat ${workspaceId} ${threadKey}`}, 0))`.execute(
    tx,
  )
}

export async function nextInbound(
  tx: Db,
  workspaceId: WorkspaceId,
  threadKey: string,
): Promise<InboundRow | null> {
  const { rows } = await sql<InboundRow>`
    select seq, body from inbound_messages
    where workspace_id = ${workspaceId} and thread_key = ${threadKey} and state = 'waiting'
    order by seq limit 1`.execute(tx)
  return rows[0] ?? null
}

export async function replaceInbound(db: Db, seq: string, event: InboundEvent): Promise<void> {
  await sql`update inbound_messages set body = ${write(event)} where seq = ${seq}`.execute(db)
}

/** If it was for us, the text is stored with the message, so it is dropped here. */
export async function markDone(db: Db, seq: string): Promise<void> {
  await sql`update inbound_messages set state = 'done', body = null where seq = ${seq}`.execute(db)
}

/** Unless a mention was added meanwhile: then it waits to be read again. */
export async function ignoreInbound(tx: Db, seq: string): Promise<void> {
  await sql`
    update inbound_messages set state = 'aside'
    where seq = ${seq} and body ->> 'addressed' = 'false'`.execute(tx)
}

/**
 * The thread is ours after all: recent messages in it count too, if they were written after the mention and overtook it. `since` is the
 * mention in a thread that others began: what they wrote before is read with the thread.
 */
export async function reconsiderIgnored(
  tx: Db,
  workspaceId: WorkspaceId,
  threadKey: string,
  since: string | null,
): Promise<void> {
  await sql`
    update inbound_messages set state = 'waiting'
    where workspace_id = ${workspaceId} and thread_key = ${threadKey} and state = 'aside'
      and received_at > now() - interval '1 minute'
      and (${since}::text is null or ${since} ~ '^[0-9.]+$' and body ->> 'externalId' collate "C" > ${since})`.execute(
    tx,
  )
}

/** True if another try is worthwhile; after the last one, the thread's other messages are read. */
export async function recordTry(db: Db, seq: string, error: string): Promise<boolean> {
  const { rows } = await sql<{ state: string }>`
    update inbound_messages set tries = tries + 1, error = ${error},
      state = case when tries + 1 >= ${maxTries} then 'failed' else state end
    where seq = ${seq} returning state`.execute(db)
  return rows[0]?.state === 'waiting'
}

/**
 * Text that was not for us, or whose workspace was deleted, is dropped within the hour. Event ids are kept for a week, to
 * recognise repeated deliveries.
 */
export async function forgetOldInbound(db: Db, signal?: AbortSignal): Promise<void> {
  await sql`
    update inbound_messages set state = 'done', body = null
    where state in ('waiting', 'aside')
      and (state = 'aside' and received_at < now() - interval '1 hour'
        or workspace_id in (select id from workspaces where deleted_at is not null))`.execute(db)
  const deleteSome = async (limit: number) => {
    const { numAffectedRows } = await sql`
      delete from inbound_messages where seq in (
        select seq from inbound_messages where received_at < now() - interval '7 days' and state <> 'waiting'
        limit ${limit})`.execute(db)
    return Number(numAffectedRows)
  }
  await inBatches(batch, deleteSome, signal)
}
