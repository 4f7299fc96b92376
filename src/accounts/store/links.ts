import { sql } from 'kysely'
import { hashToken, newToken } from '../../platform/crypto/token.ts'
import type { Db } from '../../platform/db/database.ts'

type LinkKind = 'setup' | 'invitation' | 'password-reset'
export type OneTimeLink = { token: string; expiresAt: Date }

const hours: Record<LinkKind, number> = { setup: 7 * 24, invitation: 7 * 24, 'password-reset': 24 }

/** A user has at most one valid link: the newest. */
export async function insertLink(
  db: Db,
  kind: LinkKind,
  userId: string | null,
  createdBy: string | null,
): Promise<OneTimeLink> {
  const token = newToken()
  if (userId !== null) await removeLinksOf(db, userId)
  const { rows } = await sql<{ expiresAt: Date }>`
    insert into one_time_links (token_hash, kind, user_id, created_by, expires_at)
    values (${hashToken(token)}, ${kind}, ${userId}, ${createdBy}, now() + make_interval(hours => ${hours[kind]}))
    returning expires_at`.execute(db)
  // An insert without "on conflict" returns its row or throws.
  return { token, expiresAt: rows[0]!.expiresAt }
}

type LinkRow = { kind: LinkKind; userId: string | null; createdBy: string | null; expiresAt: Date }

export async function findLink(db: Db, token: string): Promise<LinkRow | null> {
  const { rows } = await sql<LinkRow>`
    select kind, user_id, created_by, expires_at from one_time_links
    where token_hash = ${hashToken(token)} and expires_at > now()`.execute(db)
  return rows[0] ?? null
}

/** When several use a link at once, one gets true. */
export async function takeLink(db: Db, token: string): Promise<boolean> {
  const { rows } = await sql`
    delete from one_time_links where token_hash = ${hashToken(token)} and expires_at > now()
    returning kind`.execute(db)
  return rows.length > 0
}

export async function removeLinksOf(db: Db, userId: string): Promise<void> {
  await sql`delete from one_time_links where user_id = ${userId}`.execute(db)
}

export async function removeSetupLinks(db: Db): Promise<void> {
  await sql`delete from one_time_links where kind = 'setup'`.execute(db)
}

export async function removeExpiredLinks(db: Db): Promise<void> {
  await sql`delete from one_time_links where expires_at <= now()`.execute(db)
}
