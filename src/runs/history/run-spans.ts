import { type RawBuilder, sql } from 'kysely'

/** A run may make hundreds of calls; nobody can tell so many apart in a bar. */
const maxSpans = 200

/**
 * What the time of a run went to, as a column for a `select`; `runs` is the name of the table there. In milliseconds since the run
 * started; the length is null while it lasts.
 */
export function runSpans(runs: RawBuilder<unknown>): RawBuilder<unknown> {
  const since = (at: string) =>
    sql`round(extract(epoch from ${sql.raw(at)} - coalesce(${runs}.started_at, ${runs}.asked_at)) * 1000)::float8`
  return sql`(
    select coalesce(json_agg(json_build_object('kind', kind, 'atMs', greatest(at_ms, 0), 'ms', to_ms - at_ms) order by at_ms), '[]')
    from (
      select 'model' as kind, ${since('started_at')} as at_ms, ${since('ended_at')} as to_ms
      from run_steps where run_id = ${runs}.id
      union all
      select 'tool', ${since('sent_at')}, ${since('ended_at')} from tool_calls
      where run_id = ${runs}.id and sent_at is not null
      union all
      select 'waiting', ${since('started_at')}, ${since('coalesce(sent_at, ended_at)')} from tool_calls
      where run_id = ${runs}.id and approval_id is not null
      union all
      select 'retry', ${since(`(attempt ->> 'startedAt')::timestamptz`)}, ${since(`(attempt ->> 'endedAt')::timestamptz`)}
      from json_array_elements(${runs}.model_attempts) attempt
      limit ${maxSpans}
    ) spans
  ) as spans`
}
