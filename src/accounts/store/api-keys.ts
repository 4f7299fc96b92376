import { sql } from 'kysely'
import { hashToken } from '../../platform/crypto/token.ts'
import { allOf } from '../../platform/db/all-of.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Role } from '../../shared/actor.ts'
import { type ApiKeyId, newId } from '../../shared/ids.ts'
import type { ApiKey } from '../contract.ts'

type ApiKeyRow = {
  id: ApiKeyId
  name: string
  role: Role
  start: string
  createdBy: string
  makerGone: boolean
  createdAt: Date
  lastUsedAt: Date | null
}

const columns = sql`
  id, name, role, start, created_by, created_at, last_used_at, case split_part(created_by_id, '_', 1)
    when 'usr' then not exists (
      select from users where id = created_by_id and role = 'admin' and disabled_at is null)
    when 'key' then not exists (
      select from api_keys maker where maker.id = api_keys.created_by_id and role = 'admin' and revoked_at is null)
    else false end as maker_gone`
const startLength = 'blh_'.length + 4

export function toApiKey(row: ApiKeyRow): ApiKey {
  return {
    ...row,
    createdAt: row.createdAt.toISOString(),
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
  }
}

/** Returns nothing if this very key exists already, revoked or not. */
export async function insertApiKey(
  db: Db,
  key: string,
  facts: { name: string; role: Role; createdBy: string; createdById: string; fromEnvironment?: boolean },
): Promise<ApiKeyRow | null> {
  const { rows } = await sql<ApiKeyRow>`
    insert into api_keys (id, name, role, key_hash, start, created_by, created_by_id, from_environment)
    values (${newId('apiKey')}, ${facts.name}, ${facts.role}, ${hashToken(key)}, ${key.slice(0, startLength)},
            ${facts.createdBy}, ${facts.createdById}, ${facts.fromEnvironment ?? false})
    on conflict (key_hash) do nothing
    returning ${columns}`.execute(db)
  return rows[0] ?? null
}

/** Keys that the environment gave before. Deleted, so that the same key can be used again; a key that an admin revoked stays revoked. */
export async function removeFormerApiKeys(db: Db, key: string): Promise<Pick<ApiKeyRow, 'id' | 'name'>[]> {
  const { rows } = await sql<Pick<ApiKeyRow, 'id' | 'name'>>`
    delete from api_keys
    where from_environment and key_hash <> ${hashToken(key)} and revoked_at is null
    returning id, name`.execute(db)
  return rows
}

export async function findApiKey(
  db: Db,
  key: string,
): Promise<{ id: ApiKeyId; name: string; role: Role; stale: boolean } | null> {
  const { rows } = await sql<{ id: ApiKeyId; name: string; role: Role; stale: boolean }>`
    select id, name, role, coalesce(last_used_at < now() - interval '1 minute', true) as stale
    from api_keys where key_hash = ${hashToken(key)} and revoked_at is null`.execute(db)
  return rows[0] ?? null
}

/** The keys that still work and that this person may have kept. */
export async function listApiKeysOf(db: Db, makerId: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from api_keys where created_by_id = ${makerId} and revoked_at is null order by id`.execute(db)
  return rows.map(({ name }) => name)
}

export async function touchApiKey(db: Db, id: string): Promise<void> {
  await sql`update api_keys set last_used_at = now() where id = ${id}`.execute(db)
}

export async function findApiKeyById(db: Db, id: string): Promise<ApiKeyRow | null> {
  const { rows } = await sql<ApiKeyRow>`
    select ${columns} from api_keys where id = ${id} and revoked_at is null`.execute(db)
  return rows[0] ?? null
}

export async function listApiKeyRows(
  db: Db,
  { cursor, limit, q }: { cursor?: string; limit: number; q?: string | undefined },
): Promise<ApiKeyRow[]> {
  const { rows } = await sql<ApiKeyRow>`
    select ${columns} from api_keys
    where revoked_at is null and ${allOf([
      cursor && sql`id < ${cursor}`,
      q && sql`position(lower(${q}) in lower(concat_ws(' ', name, start, created_by))) > 0`,
    ])}
    order by id desc limit ${limit + 1}`.execute(db)
  return rows
}

export async function updateApiKey(
  db: Db,
  id: string,
  change: { name?: string; role?: Role },
): Promise<ApiKeyRow | null> {
  const { rows } = await sql<ApiKeyRow>`
    update api_keys set name = coalesce(${change.name ?? null}, name), role = coalesce(${change.role ?? null}, role)
    where id = ${id} and revoked_at is null
    returning ${columns}`.execute(db)
  return rows[0] ?? null
}

export async function revokeApiKeyRow(db: Db, id: string): Promise<boolean> {
  const { rows } = await sql`
    update api_keys set revoked_at = now() where id = ${id} and revoked_at is null returning id`.execute(db)
  return rows.length > 0
}
