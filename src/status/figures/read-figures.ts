import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { channelName, modelKey, sourceName } from '../../shared/display-names.ts'
import { firstIdAt } from '../../shared/ids.ts'
import { secondsAtQuantile } from '../time-buckets.ts'
import type { Figure, Figures, Grouping } from './contract.ts'
import { dayMs } from './count-day.ts'

const busiest = 1_000

export type FiguresQuery = { by: Grouping; days: number }

type Row = {
  id: string
  name: string | null
  calls: number
  failed: number
  cost: number
  asked: number
  denied: number
  up: number
  down: number
  timeClasses: number[]
  timeCounts: number[]
}

/** The figures of the last days, today included, as they were counted last. */
export async function readFigures(db: Db, { by, days, now }: FiguresQuery & { now: Date }): Promise<Figures> {
  const first = Math.floor(now.getTime() / dayMs) - days + 1
  const isSource = by === 'webhook' || by === 'schedule'
  const prefix = { webhook: 'hook_', schedule: 'sched_', tool: '', model: '', channel: '', revision: '' }[by]
  const where = sql`kind = ${isSource ? 'source' : by} and day >= ${first} and starts_with(key, ${prefix})`
  const { rows } = await sql<Row>`
    with sums as (
      select key, max(name) as name, sum(calls)::float8 as calls, sum(failed)::float8 as failed, sum(cost) as cost,
        sum(asked)::float8 as asked, sum(denied)::float8 as denied
      from day_figures where ${where} group by key order by sum(calls) desc, key limit ${busiest}
    ), classed as (
      select key, array_agg(time_class) as time_classes, array_agg(n) as time_counts
      from (
        select key, time_class, sum(n)::int as n from day_figures cross join lateral unnest(time_classes, time_counts) c (time_class, n)
        where ${where} and key in (select key from sums) group by key, time_class
      ) c group by key
    ), rated as (
      select ${rated[by]} as key, count(*) filter (where thumb = 'up')::int as up, count(*) filter (where thumb = 'down')::int as down
      from thumbs t
        -- With limit 1 it stays a lookup by the primary key, whatever the planner estimates.
        cross join lateral (
          select id, source_id, source_revision, ${modelKey} as model, channel_id from runs where id = t.run_id limit 1) r
        ${by === 'tool' ? calledTools : sql``}
      where t.run_id >= ${firstIdAt('run', new Date(first * dayMs))} group by 1
    )
    select s.key as id, ${names[by]} as name, s.calls, s.failed, s.cost, s.asked, s.denied, coalesce(r.up, 0) as up,
      coalesce(r.down, 0) as down, coalesce(c.time_classes, '{}') as time_classes, coalesce(c.time_counts, '{}') as time_counts
    from sums s left join classed c using (key) left join rated r using (key)
    order by s.calls desc, s.key`.execute(db)
  return {
    from: new Date(first * dayMs).toISOString(),
    to: now.toISOString(),
    items: rows.map((row) => show(row, by)),
  }
}

const rated: Record<Grouping, RawBuilder<unknown>> = {
  webhook: sql`r.source_id`,
  schedule: sql`r.source_id`,
  tool: sql`called.tool_id`,
  model: sql`r.model`,
  channel: sql`r.channel_id`,
  revision: sql`r.source_id || '#' || r.source_revision`,
}

/** Each tool once, however often the run called it. */
const calledTools = sql`
  cross join lateral (select distinct tool_id from tool_calls where run_id = r.id and tool_id is not null) called`

const names: Record<Grouping, RawBuilder<unknown>> = {
  webhook: sourceName(sql`s.key`),
  schedule: sourceName(sql`s.key`),
  tool: sql`s.name`,
  model: sql`case s.key when 'offline' then 'offline (no language model)' else s.key end`,
  channel: channelName(sql`s.key`, { seesPrivate: true }),
  revision: sql`${sourceName(sql`split_part(s.key, '#', 1)`)} || ', revision ' || split_part(s.key, '#', 2)`,
}

function show({ up, down, asked, denied, timeClasses, timeCounts, ...row }: Row, by: Grouping): Figure {
  const classes = new Map(timeClasses.map((one, at) => [one, timeCounts[at] ?? 0]))
  return {
    ...row,
    cost: by === 'tool' ? null : row.cost,
    p95Seconds: secondsAtQuantile(0.95, classes),
    approvals: { asked, denied },
    thumbs: { up, down },
  }
}
