import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
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
      select id, coalesce(source_id, '') as source, model_name as model, coalesce(channel_id, '') as channel, status, dry, cost,
        case when status = 'succeeded' and not dry
          then ${bucketOf(sql`extract(epoch from ended_at - asked_at)::float8`)} end as time_class
      from runs where id >= ${first} and id < ${next} and ended_at < ${before} and rehearsal_id is null
    ), called as (
      select c.tool_id as key, c.name, c.id, c.run_id, c.error_code is not null or c.response_status >= 400 as failed, c.sent_at,
        case when c.sent_at is not null then ${bucketOf(sql`extract(epoch from c.ended_at - c.sent_at)::float8`)} end as time_class
      from tool_calls c join ran on ran.id = c.run_id
      where c.run_id >= ${first} and c.run_id < ${next} and c.tool_id is not null and c.ended_at is not null
    ), asked as (
      select a.run_id, a.call_id, a.status = 'denied' as denied from approvals a
      where a.run_id >= ${first} and a.run_id < ${next} and a.decided_by ->> 'kind' is distinct from 'policy'
    ), asked_of_run as (
      select run_id, count(*) as asked, count(*) filter (where denied) as denied from asked group by run_id
    ), keyed as (
      select g.kind, g.key, null::text as name, (not dry)::int as calls, (status = 'failed' and not dry)::int as failed, cost,
        coalesce(a.asked, 0) as asked, coalesce(a.denied, 0) as denied, time_class
      from ran left join asked_of_run a on a.run_id = ran.id
        cross join lateral (values ('source', source), ('model', model), ('channel', channel)) g (kind, key)
      union all
      select 'tool', key, name, (sent_at is not null)::int, (sent_at is not null and failed)::int, 0, (a.call_id is not null)::int,
        coalesce(a.denied, false)::int, time_class
      from called left join asked a on a.call_id = called.id
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
