import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { modelKey } from '../../shared/display-names.ts'
import { firstIdAt } from '../../shared/ids.ts'
import { bucketOf } from '../time-buckets.ts'

export const dayMs = 86_400_000

/** Counts the runs of a day that ended before this time, and the requests of their tools, in place of what was counted before. */
export async function countDay(tx: Db, day: number, before: Date): Promise<void> {
  const first = firstIdAt('run', new Date(day * dayMs))
  const next = firstIdAt('run', new Date((day + 1) * dayMs))
  await sql`delete from day_figures where day = ${day}`.execute(tx)
  await sql`
    with ran as (
      select coalesce(source_id, '') as source, coalesce(source_id || '#' || source_revision, '') as revision, ${modelKey} as model, coalesce(channel_id, '') as channel, status, dry, cost, a.*,
        case when status = 'succeeded' and not dry
          then ${bucketOf(sql`extract(epoch from ended_at - asked_at)::float8`)} end as time_class
      from runs r cross join lateral (${askedWhere(sql`a.run_id = r.id`)}) a
      where id >= ${first} and id < ${next} and ended_at < ${before} and rehearsal_id is null
    ), keyed as (
      select g.kind, g.key, null::text as name, (not dry)::int as calls, (status = 'failed' and not dry)::int as failed, cost,
        asked, denied, time_class
      from ran cross join lateral (values ('source', source), ('model', model), ('channel', channel), ('revision', revision)) g (kind, key)
      union all
      select 'tool', c.tool_id, c.name, (sent_at is not null)::int,
        (sent_at is not null and (error_code is not null or coalesce(response_status >= 400, false)))::int, 0, asked, denied,
        case when sent_at is not null then ${bucketOf(sql`extract(epoch from ended_at - sent_at)::float8`)} end
      from tool_calls c
        -- With limit 1 it stays a lookup by the primary key, whatever the planner estimates.
        cross join lateral (
          select id from runs r where r.id = c.run_id and r.ended_at < ${before} and r.rehearsal_id is null limit 1) r
        cross join lateral (${askedWhere(sql`a.call_id = c.id`)}) a
      where c.run_id >= ${first} and c.run_id < ${next} and c.tool_id is not null and c.ended_at is not null
    ), classed as (
      select kind, key, array_agg(time_class) as time_classes, array_agg(n) as time_counts
      from (
        select kind, key, time_class, count(*)::int as n from keyed where time_class is not null group by kind, key, time_class
      ) c group by kind, key
    )
    insert into day_figures (day, kind, key, name, calls, failed, cost, asked, denied, time_classes, time_counts)
    select ${day}, s.*, coalesce(time_classes, '{}'), coalesce(time_counts, '{}')
    from (
      select kind, key, max(name), sum(calls), sum(failed), sum(cost), sum(asked), sum(denied)
      from keyed where key <> '' group by kind, key
    ) s left join classed using (kind, key)`.execute(tx)
}

/** How often people were asked, and denied. One lookup in an index for each: a join would compare all with all where the planner expects few. */
function askedWhere(condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select count(*)::int as asked, (count(*) filter (where a.status = 'denied'))::int as denied from approvals a
    where ${condition} and a.decided_by ->> 'kind' is distinct from 'policy'`
}
