import { sql } from 'kysely'
import { type Page, readPlace, toPage, toSortedPage } from '../../http/paging.ts'
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
  const { q, toolId, model, minCost, thumb, unresolved } = filter
  if (filter.sort) return await listSorted(db, actor, filter)
  const isOfBegun = q || toolId || model || minCost || thumb || unresolved
  const waits = (filter.status === undefined || filter.status === 'queued') && !isOfBegun
  // In this order: a run that starts in between is found twice rather than never.
  const queued = waits ? await listQueued(db, actor, filter) : []
  const runs = (await selectRuns(db, actor, filter)).map(showFound)
  const begun = new Set(runs.map(({ id }) => id))
  const all = [...runs, ...queued.filter(({ id }) => !begun.has(id)).map(showQueued)]
  return toPage(
    all.sort((a, b) => (a.id < b.id ? 1 : -1)),
    filter.limit,
  )
}

async function listSorted(db: Db, actor: Actor, filter: RunFilter): Promise<Page<RunSummary>> {
  const found = await selectRuns(db, actor, filter)
  const { items, nextCursor } = toSortedPage(found, filter.limit, ({ place }) => place ?? 0)
  return { items: items.map(showFound), nextCursor }
}

/**
 * The order of a list, and which runs are in it from a cursor on. `-cost`: the highest first. The columns have a value, and an entry
 * in an index, once the run has ended.
 */
function orderOf({ sort, cursor }: RunFilter) {
  if (!sort)
    return { order: sql`id desc`, isIn: cursor ? sql`id < ${cursor}` : sql`true`, place: sql`null::float8` }
  const isCost = sort.endsWith('cost')
  const column = isCost ? sql`final_cost` : sql`took`
  const place = isCost ? column : sql`extract(epoch from took)::float8`
  const [direction, beyond] = sort.startsWith('-') ? [sql`desc`, sql`<`] : [sql`asc`, sql`>`]
  const last = cursor === undefined ? null : readPlace(cursor)
  // Within what PostgreSQL takes as an interval, whoever made the cursor.
  const at = Math.max(-1e9, Math.min(last?.place ?? 0, 1e9))
  const value = isCost ? sql`${at}::float8` : sql`make_interval(secs => ${at})`
  const isAfter = last ? sql`(${column}, id) ${beyond} (${value}, ${last.id})` : sql`${!cursor}::boolean`
  return {
    order: sql`${column} ${direction}, id ${direction}`,
    isIn: sql`${column} is not null and ${isAfter}`,
    place,
  }
}

/** A dry run changes nothing, so nobody needs to look after it. */
const isUnresolved = sql`status = 'failed' and not dry and not exists (
  select from runs later where later.event_id = runs.event_id and later.id > runs.id
    and not later.dry and later.rehearsal_id is null and later.status not in ('failed', 'cancelled'))`

type Found = Run & RunNames & { reply: ShownReply | null; place: number | null }

function showFound({ reply, ...run }: Found): RunSummary {
  return showRun(run, run, reply)
}

async function selectRuns(db: Db, actor: Actor, of: RunFilter): Promise<Found[]> {
  const { order, isIn, place } = orderOf(of)
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
    of.unresolved ? isUnresolved : null,
  ]
  const { rows } = await sql<Found>`
    select page.*, ${place} as place, ${runNames(actor, sql`page`)}, case when p.run_id is not null then json_build_object('kind', p.kind, 'text', p.text, 'state', p.state,
      'messageId', p.message_id, 'permalink', p.permalink) end as reply
    from (select ${runColumns}, final_cost, took from runs where ${allOf(conditions)} order by ${order} limit ${of.limit + 1}) page
    left join replies p on p.run_id = page.id
    order by ${order}`.execute(db)
  return rows
}
