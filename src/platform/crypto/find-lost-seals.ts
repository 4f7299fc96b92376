import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { SealedColumn } from './reseal.ts'
import type { Vault } from './vault.ts'

/** By key, how many values nobody can open: a key was taken out too early, before the last replica sealed with another one. */
export async function findLostSeals(
  db: Db,
  vault: Vault,
  columns: readonly SealedColumn[],
): Promise<{ keyId: string; count: number }[]> {
  const seals = columns.map(
    ({ table, column }) => sql`
      select split_part(${sql.raw(column)}, '.', 2) as key_id from ${sql.raw(table)} where ${sql.raw(column)} is not null`,
  )
  const { rows } = await sql<{ keyId: string; count: number }>`
    select key_id, count(*)::int as count from (${sql.join(seals, sql` union all `)}) seals
    where key_id <> all(${vault.keyIds}::text[]) group by key_id order by key_id`.execute(db)
  return rows
}

export function explainLostSeals({ keyId, count }: { keyId: string; count: number }): string {
  const secrets = count === 1 ? 'One secret was' : `${count} secrets were`
  return (
    `${secrets} sealed with key ${keyId}, which is not configured, and cannot be opened. Put that key back ` +
    '(ENCRYPTION_KEY=<new>,<former>) and run: npm run bellhop -- rotate-encryption-key. If it is gone, enter those secrets again.'
  )
}
