import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'

export async function keepToolSet(db: Db, digest: string, tools: string): Promise<void> {
  await sql`insert into tool_sets (digest, tools) values (${digest}, ${tools}) on conflict do nothing`.execute(
    db,
  )
}

export async function readToolSet(db: Db, digest: string): Promise<string> {
  const { rows } = await sql<{ tools: string }>`select tools from tool_sets where digest = ${digest}`.execute(
    db,
  )
  if (!rows[0]) throw new Error(`The tool set ${digest} of a run is missing.`)
  return rows[0].tools
}
