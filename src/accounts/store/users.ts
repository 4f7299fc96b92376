import { sql } from 'kysely'
import { allOf } from '../../platform/db/all-of.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Role } from '../../shared/actor.ts'
import { newId, type UserId } from '../../shared/ids.ts'
import type { User } from '../contract.ts'

/** The fields of a user that only this slice may see. */
export type UserRow = {
  id: UserId
  email: string
  name: string
  role: Role
  passwordHash: string | null
  disabledAt: Date | null
  totpSecret: string | null
  totpConfirmedAt: Date | null
  /** Linked to an account at an OpenID Connect provider. */
  hasIdentity: boolean
  apiKeys: number
  locale: string | null
  createdAt: Date
  lastSeenAt: Date | null
}

const columns = sql`
  id, email, name, role, password_hash, disabled_at, totp_secret, totp_confirmed_at, locale, created_at,
  exists (select from user_identities where user_id = users.id) as has_identity,
  (select count(*)::int from api_keys where created_by_id = users.id and revoked_at is null) as api_keys,
  (select max(last_used_at) from sessions where user_id = users.id) as last_seen_at`

export function toUser(row: UserRow): User {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    role: row.role,
    status: row.disabledAt ? 'disabled' : row.passwordHash || row.hasIdentity ? 'active' : 'invited',
    totp: row.totpConfirmedAt !== null,
    apiKeys: row.apiKeys,
    createdAt: row.createdAt.toISOString(),
    lastSeenAt: row.lastSeenAt?.toISOString() ?? null,
  }
}

export async function findUser(db: Db, id: string): Promise<UserRow | null> {
  const { rows } = await sql<UserRow>`select ${columns} from users where id = ${id}`.execute(db)
  return rows[0] ?? null
}

export async function findUserByEmail(db: Db, email: string): Promise<UserRow | null> {
  const { rows } =
    await sql<UserRow>`select ${columns} from users where lower(email) = lower(${email})`.execute(db)
  return rows[0] ?? null
}

export async function listUserRows(
  db: Db,
  { cursor, q, limit, only }: { cursor?: string; q?: string; limit: number; only?: 'names' },
): Promise<UserRow[]> {
  const conditions = [
    cursor && sql`id < ${cursor}`,
    only && sql`disabled_at is null`,
    // Whoever sees only names must not find out email addresses either.
    q && sql`position(lower(${q}) in lower(${only ? sql`name` : sql`name || ' ' || email`})) > 0`,
  ]
  const { rows } = await sql<UserRow>`
    select ${columns} from users where ${allOf(conditions)} order by id desc limit ${limit + 1}`.execute(db)
  return rows
}

/** Returns nothing if the email address is taken. */
export async function insertUser(
  db: Db,
  user: { email: string; name: string; role: Role; passwordHash: string | null },
): Promise<UserRow | null> {
  const { rows } = await sql<UserRow>`
    insert into users (id, email, name, role, password_hash)
    values (${newId('user')}, ${user.email}, ${user.name}, ${user.role}, ${user.passwordHash})
    on conflict ((lower(email))) do nothing
    returning ${columns}`.execute(db)
  return rows[0] ?? null
}

export type UserChange = Partial<{
  email: string
  name: string
  role: Role
  disabled: boolean
  passwordHash: string
  locale: string | null
}>

/** Fields that are not given stay as they are. Returns nothing if there is no such user. */
export async function updateUser(db: Db, id: string, change: UserChange): Promise<UserRow | null> {
  const { rows } = await sql<UserRow>`
    update users set
      email = coalesce(${change.email ?? null}, email),
      name = coalesce(${change.name ?? null}, name),
      role = coalesce(${change.role ?? null}, role),
      password_hash = coalesce(${change.passwordHash ?? null}, password_hash),
      locale = case when ${change.locale !== undefined} then ${change.locale ?? null} else locale end,
      disabled_at = case ${change.disabled ?? null}::boolean
        when true then coalesce(disabled_at, now())
        when false then null
        else disabled_at end
    where id = ${id}
    returning ${columns}`.execute(db)
  return rows[0] ?? null
}

export async function removeUser(db: Db, id: string): Promise<void> {
  await sql`delete from users where id = ${id}`.execute(db)
}

/**
 * Held until the transaction ends, in all replicas, by whoever adds, changes or removes users. So there is only one
 * first admin, two admins cannot both remove each other, and an email address that was found free stays free.
 */
export async function lockUsers(tx: Db): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('bellhop.accounts.users'))`.execute(tx)
}

/**
 * An admin with a password, who can sign in without the provider. An invited one who has not joined does not count.
 */
export async function adminExists(db: Db, besides: string | null = null): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (
      select from users
      where role = 'admin' and disabled_at is null and password_hash is not null
        and (${besides}::text is null or id <> ${besides})
    ) as found`.execute(db)
  return rows[0]?.found ?? false
}
