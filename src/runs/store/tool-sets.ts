import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'

/** A tool set in use is marked at least this often; one that was not marked for longer can be deleted. */
export const touchEveryMs = 3_600_000

export async function storeToolSet(db: Db, digest: string, tools: string): Promise<void> {
  await sql`
    insert into tool_sets (digest, tools) values (${digest}, ${tools})
    on conflict (digest) do update set used_at = now()`.execute(db)
}

export async function readToolSet(db: Db, digest: string): Promise<string> {
  const { rows } = await sql<{ tools: string }>`select tools from tool_sets where digest = ${digest}`.execute(
    db,
  )
  if (!rows[0]) throw new Error(`The tool set ${digest} of a run is missing.`)
  return rows[0].tools
}

/** Tool sets that no run has, and that no process has used since. */
export async function deleteToolSets(db: Db, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from tool_sets where digest in (
      select digest from tool_sets s
      where used_at < ${before} and used_at < now() - ${2 * touchEveryMs} * interval '1 millisecond'
        and not exists (select from runs r where r.tool_set = s.digest)
      limit ${limit})`.execute(db)
  return Number(numAffectedRows ?? 0)
}
