import { type RawBuilder, sql } from 'kysely'

/** A run may make hundreds of calls; nobody can tell so many apart in a bar. */
const maxSpans = 200

/**
 * What the time of a run went to, as a column for a `select`; `runs` is the name of the table there. In milliseconds since the run
 * started; the length is null while it lasts.
 */
export function runSpans(runs: RawBuilder<unknown>): RawBuilder<unknown> {
  const since = (at: RawBuilder<unknown>) =>
    sql`round(extract(epoch from ${at} - coalesce(${runs}.started_at, ${runs}.asked_at)) * 1000)::float8`
  // Where the model was down for long, no time for the next attempt was known.
  const answeredAt = sql`(select min(s.started_at) from run_steps s where s.run_id = ${runs}.id and s.seq >= attempt.seq)`
  return sql`(
    select coalesce(json_agg(json_build_object('kind', kind, 'atMs', greatest(at_ms, 0), 'ms', to_ms - at_ms) order by at_ms), '[]')
    from (
      select 'model' as kind, ${since(sql`started_at`)} as at_ms, ${since(sql`ended_at`)} as to_ms
      from run_steps where run_id = ${runs}.id
      union all
      select 'tool', ${since(sql`sent_at`)}, ${since(sql`ended_at`)} from tool_calls
      where run_id = ${runs}.id and sent_at is not null
      union all
      select 'waiting', ${since(sql`started_at`)}, ${since(sql`coalesce(sent_at, ended_at)`)} from tool_calls
      where run_id = ${runs}.id and approval_id is not null
      union all
      select kind, ${since(sql`from_time`)}, ${since(sql`to_time`)}
      from json_to_recordset(${runs}.model_attempts) as attempt
        (seq int, "startedAt" timestamptz, "endedAt" timestamptz, "retryAt" timestamptz),
      lateral (values
        ('retry', "startedAt", "endedAt"),
        ('pause', "endedAt", least(coalesce("retryAt", ${answeredAt}), ${runs}.ended_at))) parts (kind, from_time, to_time)
      where kind = 'retry' or "retryAt" is not null or ${runs}.ended_at is null or ${answeredAt} is not null
      union all
      select 'posting', ${since(sql`created_at`)}, ${since(sql`least(posted_at, ${runs}.ended_at)`)} from replies
      where run_id = ${runs}.id and (state <> 'withheld' or tries > 0)
        and created_at < coalesce(${runs}.ended_at, 'infinity')
      limit ${maxSpans}
    ) spans
  ) as spans`
}
