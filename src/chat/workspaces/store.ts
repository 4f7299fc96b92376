import { sql } from 'kysely'
import { allOf } from '../../platform/db/all-of.ts'
import type { Db } from '../../platform/db/database.ts'
import { publishChange } from '../../shared/changes.ts'
import type { ChannelId, WorkspaceId } from '../../shared/ids.ts'
import type { RetryAfter } from '../chat.ts'
import type { PlatformName } from '../contract.ts'
import { announce } from '../store.ts'
import { socketPlatforms } from './contract.ts'

export type WorkspaceRow = {
  id: WorkspaceId
  platform: PlatformName
  name: string
  settings: Record<string, string>
  sealedCredentials: string | null
  lastEventAt: Date | null
  lastPostAt: Date | null
  lastError: string | null
  lastErrorAt: Date | null
  revokedAt: Date | null
  /** Null unless it is in the future. */
  pausedUntil: Date | null
  /** Since when our connection is open; null while it is not, or where there is none. */
  openSince: Date | null
  createdAt: Date
}

const columns = sql`
  id, platform, name, settings, sealed_credentials, last_event_at, last_post_at, last_error, last_error_at, revoked_at,
  case when paused_until > now() then paused_until end as paused_until, created_at,
  (select open_since from standing_connections where workspace_id = workspaces.id and held_until > now()) as open_since`

export async function findWorkspace(db: Db, id: string): Promise<WorkspaceRow | null> {
  const { rows } = await sql<WorkspaceRow>`
    select ${columns} from workspaces where id = ${id} and deleted_at is null`.execute(db)
  return rows[0] ?? null
}

export async function listWorkspaces(
  db: Db,
  { cursor, limit }: { cursor?: string; limit: number },
): Promise<WorkspaceRow[]> {
  const { rows } = await sql<WorkspaceRow>`
    select ${columns} from workspaces
    where deleted_at is null and ${allOf([cursor && sql`id < ${cursor}`])}
    order by id desc limit ${limit + 1}`.execute(db)
  return rows
}

export async function listSlackWorkspaces(db: Db): Promise<WorkspaceRow[]> {
  const { rows } = await sql<WorkspaceRow>`
    select ${columns} from workspaces where platform = 'slack' and deleted_at is null and revoked_at is null
      and sealed_credentials is not null order by id`.execute(db)
  return rows
}

/** Workspaces whose events arrive over a connection that we keep, unless their token was refused. */
export async function listSocketWorkspaces(db: Db): Promise<WorkspaceRow[]> {
  const { rows } = await sql<WorkspaceRow>`
    select ${columns} from workspaces
    where (platform = any(${socketPlatforms}) or platform = 'slack' and settings ->> 'connection' is distinct from 'http')
      and deleted_at is null and revoked_at is null`.execute(db)
  return rows
}

export async function insertWorkspace(
  tx: Db,
  workspace: {
    id: WorkspaceId
    platform: PlatformName
    name: string
    settings: Record<string, string>
    sealedCredentials: string
    createdBy: string
  },
): Promise<void> {
  await sql`
    insert into workspaces (id, platform, name, settings, sealed_credentials, created_by)
    values (${workspace.id}, ${workspace.platform}, ${workspace.name}, ${JSON.stringify(workspace.settings)},
      ${workspace.sealedCredentials}, ${workspace.createdBy})`.execute(tx)
}

/**
 * New credentials are a fresh start: earlier failures no longer count. False if somebody else changed it first: sealing the same
 * value again gives another text.
 */
export async function updateWorkspace(
  tx: Db,
  before: Pick<WorkspaceRow, 'id' | 'sealedCredentials'>,
  change: { name: string | undefined; settings: Record<string, string>; sealedCredentials: string },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update workspaces set name = coalesce(${change.name ?? null}, name), settings = ${JSON.stringify(change.settings)},
      sealed_credentials = ${change.sealedCredentials}, revoked_at = null, failures = 0, paused_until = null,
      last_error = null, last_error_at = null
    where id = ${before.id} and deleted_at is null and sealed_credentials is not distinct from ${before.sealedCredentials}`.execute(
    tx,
  )
  return numAffectedRows === 1n
}

/** False if it is deleted. */
export async function renameWorkspace(tx: Db, id: WorkspaceId, name: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update workspaces set name = ${name} where id = ${id} and deleted_at is null`.execute(tx)
  return numAffectedRows === 1n
}

/** The row stays for the messages posted there; its secrets do not. False if it is already deleted. */
export async function removeWorkspace(tx: Db, id: WorkspaceId): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update workspaces set deleted_at = now(), sealed_credentials = null
    where id = ${id} and deleted_at is null`.execute(tx)
  const { rows } = await sql<{ id: ChannelId }>`
    select id from channels where workspace_id = ${id} and deleted_at is null`.execute(tx)
  for (const channel of rows) await announce(tx, { channelId: channel.id, closed: true })
  return numAffectedRows === 1n
}

export async function recordEvent(db: Db, id: WorkspaceId): Promise<void> {
  await sql`
    update workspaces set last_event_at = now()
    where id = ${id} and (last_event_at is null or last_event_at < now() - interval '1 second')`.execute(db)
}

export async function recordPost(db: Db, id: WorkspaceId): Promise<void> {
  await sql`
    update workspaces set last_post_at = now(), failures = 0, paused_until = null where id = ${id}`.execute(
    db,
  )
  await publishChange(db, 'workspaces', id)
}

/** A pause that the platform asks for. */
export async function pauseWorkspace(
  db: Db,
  id: WorkspaceId,
  pause: { forMs: number; error: string },
): Promise<RetryAfter> {
  return setPause(db, id, sql`now() + ${pause.forMs} * interval '1 millisecond'`, pause.error, false)
}

/** Each failure in a row makes the pause longer, from a second to a minute. */
export async function recordFailure(db: Db, id: WorkspaceId, error: string): Promise<RetryAfter> {
  return setPause(
    db,
    id,
    sql`now() + least(60, power(2, least(failures, 6))) * interval '1 second'`,
    error,
    true,
  )
}

export async function recordRevoked(db: Db, id: WorkspaceId, error: string): Promise<void> {
  await sql`
    update workspaces set revoked_at = coalesce(revoked_at, now()), last_error = ${error}, last_error_at = now()
    where id = ${id}`.execute(db)
  await publishChange(db, 'workspaces', id)
}

export async function recordError(db: Db, id: WorkspaceId, error: string): Promise<void> {
  await sql`
    update workspaces set last_error = ${error}, last_error_at = now() where id = ${id}`.execute(db)
  await publishChange(db, 'workspaces', id)
}

async function setPause(
  db: Db,
  id: WorkspaceId,
  until: ReturnType<typeof sql>,
  error: string,
  isFailure: boolean,
): Promise<RetryAfter> {
  const { rows } = await sql<{ until: Date }>`
    update workspaces set failures = failures + ${isFailure ? 1 : 0}, last_error = ${error}, last_error_at = now(),
      paused_until = greatest(paused_until, ${until})
    where id = ${id} returning paused_until as until`.execute(db)
  await publishChange(db, 'workspaces', id)
  return rows[0]?.until ?? 0
}
