import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { RehearsalId } from '../../shared/ids.ts'
import { toPolicy } from './backtest.ts'
import type { PolicyInput } from './contract.ts'
import type { Policy } from './policy.ts'
import type { BoundTool } from './store.ts'

/** The policies about a tool that a rehearsal tries, as if they were saved. */
export async function listTried(
  db: Db,
  rehearsalId: RehearsalId,
  tool: BoundTool & { name: string },
): Promise<Policy[]> {
  const { rows } = await sql<{ policies: PolicyInput[] }>`
    select coalesce(change -> 'policies', '[]') as policies from rehearsals where id = ${rehearsalId}`.execute(
    db,
  )
  const tried = rows.flatMap(({ policies }) => policies)
  return tried
    .filter((one) => one.tool === tool.name && one.state === 'active')
    .map((one) => ({ ...toPolicy(one, tool), name: one.name }))
}
