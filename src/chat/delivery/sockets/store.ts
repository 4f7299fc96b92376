import { sql } from 'kysely'
import type { Db } from '../../../platform/db/database.ts'
import { publishChange } from '../../../shared/changes.ts'
import type { WorkspaceId } from '../../../shared/ids.ts'
import type { ResumeState } from './run-session.ts'

type StoredSession = { session: (ResumeState & { of: string }) | null; seenUntil: Date | null }

/** How long a dead process still counts as the holder. */
const holdSeconds = 10

/** False while another process holds the connection. */
export async function takeConnection(db: Db, workspaceId: WorkspaceId, holder: string): Promise<boolean> {
  const { rows } = await sql`
    insert into standing_connections (workspace_id, holder, held_until)
    values (${workspaceId}, ${holder}, now() + ${holdSeconds} * interval '1 second')
    on conflict (workspace_id) do update
      set holder = excluded.holder, open_since = null, held_until = excluded.held_until
      where standing_connections.held_until < now()
    returning workspace_id`.execute(db)
  return rows.length > 0
}

/** The connections that are still ours. */
export async function renewConnections(db: Db, holder: string): Promise<Set<WorkspaceId>> {
  const { rows } = await sql<{ workspaceId: WorkspaceId }>`
    update standing_connections set held_until = now() + ${holdSeconds} * interval '1 second'
    where holder = ${holder} and held_until > now() returning workspace_id`.execute(db)
  return new Set(rows.map(({ workspaceId }) => workspaceId))
}

export async function releaseConnection(db: Db, workspaceId: WorkspaceId, holder: string): Promise<void> {
  await sql`
    update standing_connections set held_until = '-infinity', open_since = null
    where workspace_id = ${workspaceId} and holder = ${holder}`.execute(db)
}

export async function readSession(db: Db, workspaceId: WorkspaceId): Promise<StoredSession> {
  const { rows } = await sql<StoredSession>`
    select session, seen_until from standing_connections where workspace_id = ${workspaceId}`.execute(db)
  return rows[0] ?? { session: null, seenUntil: null }
}

/** False if the connection is no longer ours: then nothing may be written for it. */
export async function saveSession(
  tx: Db,
  workspaceId: WorkspaceId,
  holder: string,
  session: ResumeState & { of: string },
): Promise<boolean> {
  const { rows } = await sql<{ isNew: boolean }>`
    update standing_connections set session = ${JSON.stringify(session)}, seen_until = now(),
      open_since = coalesce(open_since, now())
    where workspace_id = ${workspaceId} and holder = ${holder}
    returning open_since = now() as is_new`.execute(tx)
  if (rows[0]?.isNew) await publishChange(tx, 'workspaces', workspaceId)
  return rows.length === 1
}

export async function forgetSession(db: Db, workspaceId: WorkspaceId, holder: string): Promise<void> {
  await sql`
    update standing_connections set session = null
    where workspace_id = ${workspaceId} and holder = ${holder}`.execute(db)
}

export async function markClosed(db: Db, workspaceId: WorkspaceId, holder: string): Promise<void> {
  await sql`
    update standing_connections set open_since = null
    where workspace_id = ${workspaceId} and holder = ${holder}`.execute(db)
  await publishChange(db, 'workspaces', workspaceId)
}
