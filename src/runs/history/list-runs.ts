import { sql } from 'kysely'
import { type Page, toPage } from '../../http/paging.ts'
import { allOf } from '../../platform/db/all-of.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Actor } from '../../shared/actor.ts'
import { modelKey } from '../../shared/display-names.ts'
import { firstIdAt } from '../../shared/ids.ts'
import type { RunSummary } from '../contract.ts'
import { listQueued, type RunFilter } from '../store/queued-runs.ts'
import { type Run, runColumns } from '../store/run-rows.ts'
import { runNames } from './run-names.ts'
import { runVisibleTo } from './run-visible-to.ts'
import { type RunNames, type ShownReply, showQueued, showRun } from './show-run.ts'

/** Newest first unless sorted, without steps. Events that wait in the inbox are listed as queued runs. */
export async function listRuns(
  { db }: { db: Db },
  actor: Actor,
  filter: RunFilter,
): Promise<Page<RunSummary>> {
  // What has not begun has called nothing and cost nothing.
  const { q, toolId, model, minCost, thumb, sort } = filter
  const isOfBegun = q || toolId || model || minCost || thumb || sort
  const waits = (filter.status === undefined || filter.status === 'queued') && !isOfBegun
  // In this order: a run that starts in between is found twice rather than never.
  const queued = waits ? await listQueued(db, actor, filter) : []
  const runs = await selectRuns(db, actor, filter)
  const begun = new Set(runs.map(({ id }) => id))
  const all = [...runs, ...queued.filter(({ id }) => !begun.has(id)).map(showQueued)]
  return toPage(sort ? all : all.sort((a, b) => (a.id < b.id ? 1 : -1)), filter.limit)
}

/**
 * The order of a list, and which runs are in it from a cursor on. `-cost`: the highest first. The columns have a value, and an entry
 * in an index, once the run has ended.
 */
function orderOf({ sort, cursor }: RunFilter) {
  if (!sort) return { order: sql`id desc`, isIn: cursor ? sql`id < ${cursor}` : sql`true` }
  const column = sort.endsWith('cost') ? sql`final_cost` : sql`took`
  const [direction, beyond] = sort.startsWith('-') ? [sql`desc`, sql`<`] : [sql`asc`, sql`>`]
  const isAfter = sql`(${column}, id) ${beyond} (select ${column}, id from runs where id = ${cursor})`
  return {
    order: sql`${column} ${direction}, id ${direction}`,
    isIn: sql`${column} is not null and ${cursor ? isAfter : sql`true`}`,
  }
}

async function selectRuns(db: Db, actor: Actor, of: RunFilter): Promise<RunSummary[]> {
  const { order, isIn } = orderOf(of)
  const conditions = [
    runVisibleTo(actor),
    isIn,
    sql`rehearsal_id is null`,
    of.status && sql`status = ${of.status}`,
    of.sourceId && sql`source_id = ${of.sourceId}`,
    of.channelId && sql`channel_id = ${of.channelId}`,
    of.runId && sql`id = ${of.runId}`,
    of.eventId && sql`event_id = ${of.eventId}`,
    of.trigger && sql`trigger = ${of.trigger}`,
    of.from && sql`id >= ${firstIdAt('run', of.from)}`,
    of.to && sql`id < ${firstIdAt('run', of.to)}`,
    of.q &&
      sql`(position(lower(${of.q}) in lower(error_message)) > 0 or exists (
        select from replies where run_id = runs.id and position(lower(${of.q}) in lower(text)) > 0))`,
    of.toolId && sql`id in (select run_id from tool_calls where tool_id = ${of.toolId})`,
    of.model && sql`${modelKey} = ${of.model}`,
    of.minCost === undefined ? null : sql`cost >= ${of.minCost}`,
    of.thumb && sql`id in (select run_id from thumbs where thumb = ${of.thumb})`,
  ]
  const { rows } = await sql<Run & RunNames & { reply: ShownReply | null }>`
    select page.*, ${runNames(actor, sql`page`)}, case when p.run_id is not null then json_build_object('kind', p.kind, 'text', p.text, 'state', p.state,
      'messageId', p.message_id, 'permalink', p.permalink) end as reply
    from (select ${runColumns}, final_cost, took from runs where ${allOf(conditions)} order by ${order} limit ${of.limit + 1}) page
    left join replies p on p.run_id = page.id
    order by ${order}`.execute(db)
  return rows.map(({ reply, ...run }) => showRun(run, run, reply))
}
