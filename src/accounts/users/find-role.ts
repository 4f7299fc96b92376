import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { Role } from '../../shared/actor.ts'

/** The current role of a person or API key; null if they may not sign in any more. */
export async function findRole(
  db: Db,
  { kind, id }: { kind: 'user' | 'api-key'; id: string },
): Promise<Role | null> {
  const { rows } = await (kind === 'user'
    ? sql<{ role: Role }>`select role from users where id = ${id} and disabled_at is null`
    : sql<{ role: Role }>`select role from api_keys where id = ${id} and revoked_at is null`
  ).execute(db)
  return rows[0]?.role ?? null
}
