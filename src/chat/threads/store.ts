import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { MessageId, WorkspaceId } from '../../shared/ids.ts'
import type { ThreadMessage } from '../platforms/thread-message.ts'

export type Turn = { id: MessageId; threadId: MessageId | null; createdSeq: number }

/** Makes this transaction the only one that decides whose turn it is in the thread, until it ends. */
export async function lockTurn(tx: Db, { id, threadId }: Turn): Promise<void> {
  await sql`select 1 from messages where id = ${threadId ?? id} for update`.execute(tx)
}

/**
 * Busy with an earlier message of the thread: one that is held, one the agent was just told, or one whose run is active. A run
 * that waits for a decision blocks nobody.
 */
export async function isBusy(tx: Db, { id, threadId, createdSeq }: Turn): Promise<boolean> {
  const root = threadId ?? id
  const { rows } = await sql<{ busy: boolean }>`
    select exists (
      select 1 from messages m left join runs r on r.message_id = m.id and not r.dry
      where (m.id = ${root} or m.thread_id = ${root}) and m.created_seq < ${createdSeq} and m.author_kind = 'user'
        and (m.held or r.status in ('queued', 'running')
          or (r.id is null and m.announced_at > now() - interval '30 seconds'))) as busy`.execute(tx)
  return rows[0]?.busy ?? false
}

export async function markNotified(tx: Db, id: MessageId): Promise<void> {
  await sql`update messages set announced_at = now(), held = false where id = ${id}`.execute(tx)
}

export async function holdMessage(tx: Db, id: MessageId): Promise<void> {
  await sql`update messages set held = true where id = ${id}`.execute(tx)
}

/** The first held message of each thread; the others wait for it. */
export async function listHeld(db: Db): Promise<Turn[]> {
  const { rows } = await sql<Turn>`
    select distinct on (coalesce(thread_id, id)) id, thread_id, created_seq from messages where held
    order by coalesce(thread_id, id), created_seq`.execute(db)
  return rows
}

/** Of the last week, by their latest message. */
export async function listThreads(
  db: Db,
  workspaceId: WorkspaceId,
  limit: number,
): Promise<{ channel: string; thread: string }[]> {
  const { rows } = await sql<{ channel: string; thread: string }>`
    select c.external_id as channel, root.external_id as thread
    from messages root join channels c on c.id = root.channel_id
    join (select coalesce(thread_id, id) as id, max(created_at) as latest from messages
      where created_at > now() - interval '7 days' group by 1) thread on thread.id = root.id
    where c.workspace_id = ${workspaceId} and c.deleted_at is null and root.external_id is not null
    order by thread.latest desc limit ${limit}`.execute(db)
  return rows
}

export async function isHeld(tx: Db, id: MessageId): Promise<boolean> {
  const { rows } = await sql`select 1 from messages where id = ${id} and held`.execute(tx)
  return rows.length > 0
}

/** What the message answers, as its platform sent it along. */
export async function findRepliesTo(db: Db, id: MessageId): Promise<ThreadMessage | null> {
  const { rows } = await sql<{ repliesTo: ThreadMessage | null }>`
    select replies_to from messages where id = ${id}`.execute(db)
  return rows[0]?.repliesTo ?? null
}

/** The run has it now, and is where it is erased. */
export async function forgetRepliesTo(db: Db, id: MessageId): Promise<void> {
  await sql`update messages set replies_to = null where id = ${id} and replies_to is not null`.execute(db)
}
