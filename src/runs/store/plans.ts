import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { ChannelId, RunId } from '../../shared/ids.ts'
import type { RunStatus } from '../loop/run.ts'

/** Written before the message is posted: whoever finds the run over seals what may be there. False if it is over, or not ours to show. */
export async function openPlan(db: Db, runId: RunId): Promise<boolean> {
  const { rows } = await sql`
    update runs r set plan = 'open' from channels c join workspaces w on w.id = c.workspace_id
    where r.id = ${runId} and r.status in ('queued', 'running', 'waiting') and r.erased_at is null
      and c.id = r.channel_id and w.platform <> 'built-in'
    returning r.id`.execute(db)
  return rows.length > 0
}

export async function markSealed(db: Db, runId: RunId): Promise<void> {
  await sql`update runs set plan = 'sealed' where id = ${runId}`.execute(db)
}

export type OpenPlan = {
  id: RunId
  channelId: ChannelId
  status: RunStatus
  /** Without the time that it waited for people. */
  workMs: number
  erased: boolean
}

const columns = sql`id, channel_id, status, work_ms::float8, erased_at is not null as erased`

/** Plans whose run is over: somebody cancelled it, or the process that worked on it died. */
export async function listOpenPlans(db: Db, limit: number): Promise<OpenPlan[]> {
  const { rows } = await sql<OpenPlan>`
    select ${columns} from runs
    where plan = 'open' and status in ('succeeded', 'failed', 'cancelled') order by id limit ${limit}`.execute(
    db,
  )
  return rows
}

export async function findOpenPlan(db: Db, runId: RunId): Promise<OpenPlan | null> {
  const { rows } = await sql<OpenPlan>`
    select ${columns} from runs where id = ${runId} and plan = 'open'`.execute(db)
  return rows[0] ?? null
}

type PlannedCall = { name: string; state: string; errorCode: string | null; responseStatus: number | null }

export async function listPlannedCalls(db: Db, runId: RunId): Promise<PlannedCall[]> {
  const { rows } = await sql<PlannedCall>`
    select name, state, error_code, response_status from tool_calls where run_id = ${runId} order by id`.execute(
    db,
  )
  return rows
}
