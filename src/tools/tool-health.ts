import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../platform/db/database.ts'
import { firstIdAt } from '../shared/ids.ts'
import { type ConnectorHealth, healthHours, type ToolHealth } from './contract.ts'

type Row = {
  id: string
  calls: number
  errors: number
  p50: number | null
  p95: number | null
  lastCalledAt: Date
  answered: [slot: number, calls: number, errors: number][]
}

const hourMs = 3_600_000
/** A call may wait for an approval: its run began up to this long before. Runs are in the index, times of calls are not. */
const longestWaitMs = 14 * 24 * hourMs

/** What became of the requests of a connector's tools, by tool. The time is that of the request: nobody's decision is waited for in it. */
export async function readToolHealth(db: Db, connectorId: string, now: Date): Promise<ToolHealth> {
  const { from, to, runsFrom } = spanAt(now)
  const rows = await countCalls(db, sql`c.tool_id`, sql`t.connector_id = ${connectorId}`, now)
  const hosts = await listHosts(db, connectorId, runsFrom, from)
  const lastErrors = await findLastErrors(
    db,
    rows.filter(({ errors }) => errors > 0).map(({ id }) => id),
    runsFrom,
  )
  return {
    from: from.toISOString(),
    to: to.toISOString(),
    hosts,
    items: rows.map(({ id, ...row }) => ({ toolId: id, ...row, lastError: lastErrors.get(id) ?? null })),
  }
}

/** The same of all connectors, each as a whole. */
export async function readConnectorHealth(db: Db, now: Date): Promise<ConnectorHealth> {
  const rows = await countCalls(db, sql`t.connector_id`, sql`true`, now)
  return { items: rows.map(({ id, ...row }) => ({ connectorId: id, ...row })) }
}

function spanAt(now: Date) {
  const to = new Date(Math.ceil(now.getTime() / hourMs) * hourMs)
  const from = new Date(to.getTime() - healthHours * hourMs)
  return { from, to, runsFrom: firstIdAt('run', new Date(from.getTime() - longestWaitMs)) }
}

async function countCalls(db: Db, by: RawBuilder<unknown>, which: RawBuilder<unknown>, now: Date) {
  const { from, runsFrom } = spanAt(now)
  const { rows } = await sql<Row>`
    with sent as (
      select ${by} as id, c.sent_at, extract(epoch from c.ended_at - c.sent_at)::float8 as seconds,
        floor(extract(epoch from c.sent_at - ${from}) / 3600)::int as slot,
        (c.error_code is not null or c.response_status >= 400) as failed
      from tools t join tool_calls c on c.tool_id = t.id
      where ${which} and c.run_id >= ${runsFrom} and c.sent_at >= ${from} and c.ended_at is not null),
    hourly as (
      select id, slot, count(*)::int as calls, (count(*) filter (where failed))::int as errors from sent group by 1, 2)
    select id, count(*)::int as calls, (count(*) filter (where failed))::int as errors,
      percentile_cont(0.5) within group (order by seconds) as p50,
      percentile_cont(0.95) within group (order by seconds) as p95, max(sent_at) as last_called_at,
      (select json_agg(json_build_array(h.slot, h.calls, h.errors)) from hourly h where h.id = sent.id) as answered
    from sent group by id order by calls desc`.execute(db)
  return rows.map(({ answered, p50, p95, lastCalledAt, ...row }) => {
    const perHour = { ok: zeros(), failed: zeros() }
    for (const [slot, calls, errors] of answered) {
      perHour.ok[slot] = calls - errors
      perHour.failed[slot] = errors
    }
    return { ...row, seconds: { p50, p95 }, lastCalledAt: lastCalledAt.toISOString(), perHour }
  })
}

/** Where requests went, and where the egress let none through; those of erased runs name no host any more. */
async function listHosts(
  db: Db,
  connectorId: string,
  runsFrom: string,
  from: Date,
): Promise<ToolHealth['hosts']> {
  const { rows } = await sql<{ host: string; calls: number; refused: number }>`
    select substring(c.request::json ->> 'url' from '^[a-z]+://(?:[^/?#@]*@)?([^/?#]+)') as host,
      (count(*) filter (where c.error_code is distinct from 'blocked_address'))::int as calls,
      (count(*) filter (where c.error_code = 'blocked_address'))::int as refused
    from tools t join tool_calls c on c.tool_id = t.id
    where t.connector_id = ${connectorId} and c.run_id >= ${runsFrom} and c.sent_at >= ${from} and c.ended_at is not null
      and c.request like '%://%'
    group by 1 order by refused desc, calls desc limit 20`.execute(db)
  return rows
}

const zeros = () => Array.from({ length: healthHours }, () => 0)

async function findLastErrors(db: Db, toolIds: string[], runsFrom: string) {
  const { rows } = await sql<{
    toolId: string
    at: Date
    status: number | null
    code: string | null
    runId: string
  }>`
    select distinct on (tool_id) tool_id, ended_at as at, response_status as status, error_code as code, run_id
    from tool_calls
    where tool_id = any(${toolIds}) and run_id >= ${runsFrom} and sent_at is not null and ended_at is not null
      and (error_code is not null or response_status >= 400)
    order by tool_id, ended_at desc`.execute(db)
  return new Map(rows.map(({ toolId, at, ...error }) => [toolId, { ...error, at: at.toISOString() }]))
}
