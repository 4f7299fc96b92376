import { sql } from 'kysely'
import { allOf } from '../../platform/db/all-of.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Role } from '../../shared/actor.ts'
import type { UserId, WorkspaceId } from '../../shared/ids.ts'

export type IdentityRow = {
  id: string
  workspaceId: WorkspaceId
  externalId: string
  name: string
  userId: UserId
  userName: string
  linkedAt: Date
}

const codeMinutes = 10
const maxGuesses = 5

/** With the current role, so that a revoked one no longer counts. */
export type User = { kind: 'user'; id: UserId; name: string; role: Role }

export async function findUser(db: Db, userId: string): Promise<User | null> {
  const { rows } = await sql<User>`
    select 'user' as kind, id, name, role from users where id = ${userId} and disabled_at is null`.execute(db)
  return rows[0] ?? null
}

/** User → current role. */
export async function findRoles(db: Db, userIds: readonly (string | null)[]): Promise<Map<string, Role>> {
  const { rows } = await sql<{ id: string; role: Role }>`
    select id, role from users where id = any(${userIds}) and disabled_at is null`.execute(db)
  return new Map(rows.map(({ id, role }) => [id, role]))
}

export async function findLinkedUser(
  db: Db,
  workspaceId: WorkspaceId,
  externalId: string,
): Promise<User | null> {
  const { rows } = await sql<User>`
    select 'user' as kind, u.id, u.name, u.role from chat_identities i join users u on u.id = i.user_id
    where i.workspace_id = ${workspaceId} and i.external_id = ${externalId} and u.disabled_at is null`.execute(
    db,
  )
  return rows[0] ?? null
}

/** The users of these accounts, without those who are disabled. */
export async function listLinkedUsers(
  db: Db,
  workspaceId: WorkspaceId,
  externalIds: readonly string[],
): Promise<UserId[]> {
  const { rows } = await sql<{ id: UserId }>`
    select distinct u.id from chat_identities i join users u on u.id = i.user_id
    where i.workspace_id = ${workspaceId} and i.external_id = any(${externalIds}) and u.disabled_at is null`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}

/** Whether the account (its workspace and its id there) is this user's. */
export async function ownsAccount(db: Db, userId: string, account: string): Promise<boolean> {
  const { rows } = await sql`
    select from chat_identities where user_id = ${userId} and workspace_id || ':' || external_id = ${account}`.execute(
    db,
  )
  return rows.length > 0
}

/** One more than asked for, if there are more. The cursor is our own id, which sorts by time; the platform's ids do not. */
export async function listIdentities(
  db: Db,
  of: { workspaceId: WorkspaceId } | { userId: string },
  { cursor, limit }: { cursor?: string; limit: number },
): Promise<IdentityRow[]> {
  const whose = 'userId' in of ? sql`i.user_id = ${of.userId}` : sql`i.workspace_id = ${of.workspaceId}`
  const { rows } = await sql<IdentityRow>`
    select * from (
      select 'lnk_' || (extract(epoch from i.linked_at) * 1000000)::bigint || '-' || md5(i.workspace_id || i.external_id) as id,
        i.workspace_id, i.external_id, i.name, i.user_id, u.name as user_name, i.linked_at
      from chat_identities i join users u on u.id = i.user_id
      join workspaces w on w.id = i.workspace_id and w.deleted_at is null
      where ${whose}) listed
    where ${allOf([cursor && sql`id < ${cursor}`])} order by id desc limit ${limit + 1}`.execute(db)
  return rows
}

/** False if there is no such user. Waits for a transaction that deletes them. */
export async function saveIdentity(
  tx: Db,
  identity: { workspaceId: WorkspaceId; externalId: string; userId: string; name: string; linkedBy: string },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into chat_identities (workspace_id, external_id, user_id, name, linked_by)
    select ${identity.workspaceId}, ${identity.externalId}, id, ${identity.name}, ${identity.linkedBy}
    from users where id = ${identity.userId} for key share
    on conflict (workspace_id, external_id) do update
      set user_id = excluded.user_id, name = excluded.name, linked_by = excluded.linked_by, linked_at = now()`.execute(
    tx,
  )
  return numAffectedRows === 1n
}

export async function removeIdentity(
  tx: Db,
  workspaceId: WorkspaceId,
  externalId: string,
  userId: string | null,
): Promise<string | null> {
  const { rows } = await sql<{ userId: string }>`
    delete from chat_identities
    where workspace_id = ${workspaceId} and external_id = ${externalId}
      and (${userId}::text is null or user_id = ${userId})
    returning user_id`.execute(tx)
  return rows[0]?.userId ?? null
}

/** A new code replaces the previous one. Null if the user no longer exists. */
export async function saveCode(tx: Db, userId: string, codeHash: string): Promise<Date | null> {
  await sql`delete from chat_link_codes where user_id = ${userId} or expires_at < now()`.execute(tx)
  const { rows } = await sql<{ expiresAt: Date }>`
    insert into chat_link_codes (code_hash, user_id, expires_at)
    select ${codeHash}, id, now() + ${codeMinutes} * interval '1 minute' from users where id = ${userId} for key share
    returning expires_at`.execute(tx)
  return rows[0]?.expiresAt ?? null
}

/** A code works once. */
export async function spendCode(tx: Db, codeHash: string): Promise<string | null> {
  const { rows } = await sql<{ userId: string }>`
    delete from chat_link_codes where code_hash = ${codeHash} and expires_at > now() returning user_id`.execute(
    tx,
  )
  return rows[0]?.userId ?? null
}

/** False if this account has guessed too often lately. Also deletes old entries of others. */
export async function recordGuess(tx: Db, workspaceId: WorkspaceId, externalId: string): Promise<boolean> {
  await sql`delete from chat_link_attempts where since < now() - interval '10 minutes'`.execute(tx)
  const { rows } = await sql<{ attempts: number }>`
    insert into chat_link_attempts (workspace_id, external_id, attempts, since)
    values (${workspaceId}, ${externalId}, 1, now())
    on conflict (workspace_id, external_id) do update set attempts = chat_link_attempts.attempts + 1
    returning attempts`.execute(tx)
  return (rows[0]?.attempts ?? 0) <= maxGuesses
}
