import { sql } from 'kysely'
import { hashToken, newToken } from '../../platform/crypto/token.ts'
import { allOf } from '../../platform/db/all-of.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Role } from '../../shared/actor.ts'
import { newId } from '../../shared/ids.ts'

type SessionRow = {
  id: string
  userId: string
  tokenHash: string
  userAgent: string | null
  source: string
  createdAt: Date
  lastUsedAt: Date
}

export type Visit = { source: string; userAgent: string | null }

/** A session ends after two weeks without use, and after 90 days in any case. */
const alive = sql`
  sessions.last_used_at > now() - interval '14 days' and sessions.created_at > now() - interval '90 days'`

/**
 * Returns the token for the cookie; only its hash is stored. Null if the user was disabled, or the password changed,
 * since it was checked: both end all sessions, including one that starts at that moment.
 */
export async function insertSession(
  db: Db,
  user: { id: string; passwordHash: string | null },
  visit: Visit,
): Promise<string | null> {
  const token = newToken()
  const { rows } = await sql`
    insert into sessions (id, user_id, token_hash, user_agent, source)
    select ${newId('session')}, id, ${hashToken(token)}, ${visit.userAgent?.slice(0, 300) ?? null}, ${visit.source}
    from users
    where id = ${user.id} and disabled_at is null and password_hash is not distinct from ${user.passwordHash}
    for share
    returning id`.execute(db)
  return rows.length > 0 ? token : null
}

type SignedIn = { sessionId: string; id: string; name: string; role: Role; stale: boolean }

/** The user of this token, with their current role. */
export async function findSignedIn(db: Db, token: string): Promise<SignedIn | null> {
  const { rows } = await sql<SignedIn>`
    select sessions.id as session_id, users.id, users.name, users.role,
           sessions.last_used_at < now() - interval '1 minute' as stale
    from sessions join users on users.id = sessions.user_id
    where token_hash = ${hashToken(token)} and users.disabled_at is null and ${alive}`.execute(db)
  return rows[0] ?? null
}

/** Whether this person has a session that is used from this address. */
export async function hasSessionFrom(db: Db, userId: string, source: string): Promise<boolean> {
  const { rows } = await sql`
    select from sessions where user_id = ${userId} and source = ${source} and ${alive} limit 1`.execute(db)
  return rows.length > 0
}

export async function touchSession(db: Db, id: string, visit: Visit): Promise<void> {
  await sql`
    update sessions set last_used_at = now(), source = ${visit.source},
                        user_agent = ${visit.userAgent?.slice(0, 300) ?? null}
    where id = ${id}`.execute(db)
}

export async function listSessionRows(
  db: Db,
  userId: string,
  { cursor, limit }: { cursor?: string; limit: number },
): Promise<SessionRow[]> {
  const { rows } = await sql<SessionRow>`
    select id, user_id, token_hash, user_agent, source, created_at, last_used_at from sessions
    where user_id = ${userId} and ${alive} and ${allOf([cursor && sql`id < ${cursor}`])}
    order by id desc limit ${limit + 1}`.execute(db)
  return rows
}

/** `ownedBy` null means any owner. */
export async function removeSession(db: Db, id: string, ownedBy: string | null): Promise<string | null> {
  const { rows } = await sql<{ userId: string }>`
    delete from sessions where id = ${id} and (${ownedBy}::text is null or user_id = ${ownedBy})
    returning user_id`.execute(db)
  return rows[0]?.userId ?? null
}

export async function removeSessionByToken(db: Db, token: string): Promise<string | null> {
  const { rows } = await sql<{ userId: string }>`
    delete from sessions where token_hash = ${hashToken(token)} returning user_id`.execute(db)
  return rows[0]?.userId ?? null
}

export async function removeSessionsOf(db: Db, userId: string, exceptToken: string | null): Promise<void> {
  const kept = exceptToken === null ? null : hashToken(exceptToken)
  await sql`
    delete from sessions
    where user_id = ${userId} and (${kept}::text is null or token_hash <> ${kept})`.execute(db)
}

export async function removeEndedSessions(db: Db): Promise<void> {
  await sql`delete from sessions where not (${alive})`.execute(db)
}
