import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { MessageId, RunId } from '../../shared/ids.ts'
import type { ThreadContext } from '../prompt/thread-context.ts'

/** What these runs read of threads that others began. */
export async function listThreadContexts(
  db: Db,
  runIds: readonly RunId[],
): Promise<Map<RunId, ThreadContext>> {
  const { rows } = await sql<{ id: RunId; threadContext: string }>`
    select id, thread_context from runs where id = any(${runIds}) and thread_context is not null`.execute(db)
  // Written by insertRun.
  return new Map(rows.map(({ id, threadContext }) => [id, JSON.parse(threadContext) as ThreadContext]))
}

export async function findThreadContext(db: Db, runId: RunId): Promise<ThreadContext | null> {
  return (await listThreadContexts(db, [runId])).get(runId) ?? null
}

/** Up to which message of the platform the thread was read; null if it was never read. */
export async function findReadUntil(db: Db, threadId: MessageId): Promise<string | null> {
  const { rows } = await sql<{ until: string | null }>`
    select thread_context::json ->> 'until' as until from runs
    where thread_id = ${threadId} and thread_context is not null and not dry
    order by id desc limit 1`.execute(db)
  return rows[0]?.until ?? null
}
