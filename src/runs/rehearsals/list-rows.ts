import { type RawBuilder, sql } from 'kysely'
import { allOf } from '../../platform/db/all-of.ts'
import type { Db } from '../../platform/db/database.ts'
import { sourceName } from '../../shared/display-names.ts'
import type { RehearsalId, SourceId } from '../../shared/ids.ts'
import type { SourceFields } from '../../shared/source-fields.ts'
import type { RehearsalSummary } from './contract.ts'
import { outcomes } from './contract.ts'

type Row = Omit<RehearsalSummary, keyof SourceFields | 'createdBy' | 'verdict'> & {
  id: RehearsalId
  sourceId: SourceId
  currentName: string | null
  createdBy: { name: string }
}

type Filter = {
  id?: RehearsalId
  sourceId?: string | undefined
  isDrill?: boolean | undefined
  cursor?: string | undefined
  limit: number
}

/** The newest `limit + 1`. */
export async function listRows(db: Db, of: Filter): Promise<RehearsalRow[]> {
  const where: RawBuilder<unknown> = allOf([
    of.id && sql`h.id = ${of.id}`,
    of.sourceId && sql`h.source_id = ${of.sourceId}`,
    of.isDrill === undefined ? null : sql`h.is_drill = ${of.isDrill}`,
    of.cursor && sql`h.id < ${of.cursor}`,
  ])
  const { rows } = await sql<RehearsalRow>`
    select h.id, h.status, h.source_id, ${sourceName(sql`h.source_id`)} as current_name, h.source_name as name, h.change, h.reads, h.budget,
      h.problem, h.created_by, h.created_at, h.started_at, h.ended_at, h.is_drill, o.total, o.compared, o.counts,
      json_build_object('passed', j.passed, 'failed', j.failed) as checks,
      coalesce((select sum(cost) from runs where rehearsal_id = h.id), 0) as spent,
      json_build_object('before', f.cost_before, 'after', f.cost_after) as cost,
      json_build_object('before', f.ms_before, 'after', f.ms_after) as p95_ms
    from rehearsals h cross join lateral (
      select count(*)::int as total, count(outcome)::int as compared, json_build_object(${sql.join(
        outcomes.flatMap((one) => [
          sql`${sql.lit(one)}`,
          sql`count(*) filter (where outcome = ${sql.lit(one)})::int`,
        ]),
      )}) as counts
      from rehearsed_events where rehearsal_id = h.id
    ) o cross join lateral (
      select count(*) filter (where judged ->> 'passed' = 'true')::int as passed,
        count(*) filter (where judged ->> 'passed' = 'false')::int as failed
      from rehearsed_events cross join lateral json_array_elements(checks) judged
      where rehearsal_id = h.id and checks is not null
    ) j cross join lateral (
      select coalesce(sum(b.cost), 0) as cost_before, coalesce(sum(a.cost), 0) as cost_after,
        coalesce(percentile_disc(0.95) within group (order by b.work_ms), 0)::float8 as ms_before,
        coalesce(percentile_disc(0.95) within group (order by a.work_ms), 0)::float8 as ms_after
      from rehearsed_events p join runs b on b.id = p.before_run_id join runs a on a.id = p.run_id
      where p.rehearsal_id = h.id and p.outcome is not null
    ) f
    where ${where} order by h.id desc limit ${of.limit + 1}`.execute(db)
  return rows
}

export type RehearsalRow = Omit<Row, 'createdAt' | 'startedAt' | 'endedAt'> & {
  createdAt: Date
  startedAt: Date | null
  endedAt: Date | null
}
