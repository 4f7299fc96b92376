import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'

export type ProviderRow = {
  name: string
  issuer: string
  clientId: string
  clientSecret: string
  newUsersRole: 'member' | 'operator' | null
}

export async function findProvider(db: Db): Promise<ProviderRow | null> {
  const { rows } = await sql<ProviderRow>`
    select name, issuer, client_id, client_secret, new_users_role from oidc_provider`.execute(db)
  return rows[0] ?? null
}

export async function storeProvider(db: Db, row: ProviderRow): Promise<void> {
  await sql`
    insert into oidc_provider (id, name, issuer, client_id, client_secret, new_users_role)
    values ('provider', ${row.name}, ${row.issuer}, ${row.clientId}, ${row.clientSecret}, ${row.newUsersRole})
    on conflict (id) do update set
      name = excluded.name, issuer = excluded.issuer, client_id = excluded.client_id,
      client_secret = excluded.client_secret, new_users_role = excluded.new_users_role`.execute(db)
}

export async function removeProvider(db: Db): Promise<boolean> {
  const { rows } = await sql`delete from oidc_provider where id = 'provider' returning id`.execute(db)
  return rows.length > 0
}

export async function findIdentity(db: Db, issuer: string, subject: string): Promise<string | null> {
  const { rows } = await sql<{ userId: string }>`
    select user_id from user_identities where issuer = ${issuer} and subject = ${subject}`.execute(db)
  return rows[0]?.userId ?? null
}

export async function insertIdentity(
  db: Db,
  identity: { issuer: string; subject: string; userId: string },
): Promise<void> {
  await sql`
    insert into user_identities (issuer, subject, user_id)
    values (${identity.issuer}, ${identity.subject}, ${identity.userId})`.execute(db)
}
