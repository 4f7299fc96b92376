import { type RawBuilder, sql } from 'kysely'
import { firstIdAt, type SourceId } from '../shared/ids.ts'
import { bucketOf } from './time-buckets.ts'

export const hourMs = 3_600_000

/** The figures of one webhook or schedule with one model in one hour; an empty id stands for neither. */
export type HourFigures = {
  /** Hours since 1970, UTC. */
  hour: number
  sourceId: SourceId | ''
  /** That the runs were started with; empty for events. */
  model: string
  events: number
  succeeded: number
  failed: number
  cancelled: number
  active: number
  skipped: number
  notified: number
  joined: number
  missed: number
  inputTokens: number
  outputTokens: number
  cost: number
  timeClasses: number[]
  timeCounts: number[]
}

export const hourOf = (time: Date) => Math.floor(time.getTime() / hourMs)

/** The hours as rows, each with the first and last ids of its runs and events: ids begin with their time. */
function spanOf(hours: readonly number[]) {
  const starts = (thing: 'run' | 'event', after: number) =>
    hours.map((hour) => firstIdAt(thing, new Date((hour + after) * hourMs)))
  return sql`unnest(${hours}::bigint[], ${starts('run', 0)}::text[], ${starts('run', 1)}::text[],
    ${starts('event', 0)}::text[], ${starts('event', 1)}::text[]) as h (hour, first_run, next_run, first_event, next_event)`
}

/** A rehearsal tells its own figures: its runs are no work for anybody. */
const isCounted = sql`rehearsal_id is null`

/**
 * A query that counts these hours, each a range of an index. Of hours that are stored already, it reads the active runs and those
 * that ended since (both have their own index). One statement sees one snapshot, so a run that ends meanwhile is counted once.
 * With `endedBefore` it counts what is to be stored.
 */
export function countHours(
  hours: readonly number[],
  { sourceId = null, endedBefore = null }: { sourceId?: SourceId | null; endedBefore?: Date | null } = {},
) {
  const ofSource = sourceId === null ? sql`true` : sql`source_id = ${sourceId}`
  const columns = sql`source_id, model_name, status, dry, input_tokens, output_tokens, cost, asked_at, ended_at`
  const isStored = endedBefore ? sql`false` : sql`h.hour between c.first_hour and c.last_hour`
  return sql`
    with span as (
      select h.*, ${isStored} as stored from ${spanOf(hours)} cross join counted_hours c
    ), since as (
      select ${hourOfId} as hour, ${columns} from runs
      where ended_at >= (select counted_until from counted_hours) and ${isCounted} and exists (select from span where stored) and ${ofSource}
      union all
      select ${hourOfId} as hour, ${columns} from runs
      where status in ('queued', 'running', 'waiting') and ${isCounted} and exists (select from span where stored) and ${ofSource}
    ), asked as (
      select hour, coalesce(source_id, '') as source_id, model_name as model, status, dry, input_tokens, output_tokens, cost,
        case when status = 'succeeded' and not dry
          then ${bucketOf(sql`extract(epoch from ended_at - asked_at)::float8`)} end as time_class
      from (
        select s.hour, r.* from span s cross join lateral (
          select ${columns} from runs where id >= s.first_run and id < s.next_run and ${isCounted} and ${ofSource}
        ) r where not s.stored
        union all
        select since.* from since join span using (hour) where stored
      ) r
      where ${endedBefore ? sql`ended_at < ${endedBefore}` : sql`true`}
    ), ran as (
      select hour, source_id, model,
        count(*) filter (where status = 'succeeded' and not dry)::int as succeeded,
        count(*) filter (where status = 'failed' and not dry)::int as failed,
        count(*) filter (where status = 'cancelled' and not dry)::int as cancelled,
        count(*) filter (where status in ('queued', 'running', 'waiting') and not dry)::int as active,
        sum(input_tokens)::bigint as input_tokens, sum(output_tokens)::bigint as output_tokens, sum(cost) as cost
      from asked group by hour, source_id, model
    ), classed as (
      select hour, source_id, model, array_agg(time_class order by time_class) as time_classes,
        array_agg(n order by time_class) as time_counts
      from (select hour, source_id, model, time_class, count(*)::int as n from asked where time_class is not null
            group by hour, source_id, model, time_class) c
      group by hour, source_id, model
    ), arrived as (
      select s.hour, e.source_id, '' as model, count(*)::int as events
      from span s join (${eventsOf(sourceId)}) e on e.id >= s.first_event and e.id < s.next_event
      where not s.stored group by s.hour, e.source_id
    ), unrun as (
      select hour, source_id, '' as model, count(*) filter (where status = 'skipped')::int as skipped,
        count(*) filter (where status = 'notified')::int as notified, count(*) filter (where status = 'joined')::int as joined,
        count(*) filter (where status = 'missed')::int as missed
      from (${withoutRun(ofSource, endedBefore)}) e group by hour, source_id
    )
    select hour, source_id, model, coalesce(events, 0) as events, coalesce(succeeded, 0) as succeeded,
      coalesce(failed, 0) as failed, coalesce(cancelled, 0) as cancelled, coalesce(active, 0) as active, coalesce(skipped, 0) as skipped,
      coalesce(notified, 0) as notified, coalesce(joined, 0) as joined, coalesce(missed, 0) as missed,
      coalesce(input_tokens, 0) as input_tokens, coalesce(output_tokens, 0) as output_tokens, coalesce(cost, 0) as cost,
      coalesce(time_classes, '{}') as time_classes, coalesce(time_counts, '{}') as time_counts
    from ran full join arrived using (hour, source_id, model) full join unrun using (hour, source_id, model)
      left join classed using (hour, source_id, model)`
}

/** Events that settled without a run of their own; of hours that are stored already, those that settled since. */
function withoutRun(ofSource: RawBuilder<unknown>, endedBefore: Date | null) {
  const unrun = sql`status in ('skipped', 'notified', 'joined', 'missed') and ${ofSource}`
  return sql`
    select s.hour, e.source_id, e.status from span s join events e on e.id >= s.first_event and e.id < s.next_event
    where not s.stored and ${unrun} and ${endedBefore ? sql`e.settled_at < ${endedBefore}` : sql`true`}
    union all
    select hour, e.source_id, e.status from (
      select ${hourOfId} as hour, source_id, status from events
      where settled_at >= (select counted_until from counted_hours) and exists (select from span where stored) and ${unrun}
    ) e join span using (hour)
    where stored`
}

/** Ids begin with their time, so the few runs and events that changed since find their hour without a search for it. */
export const hourOfId = sql`('x0000' || substr(id, 5, 8) || substr(id, 14, 4))::bit(64)::bigint / ${sql.lit(hourMs)}`

/** The events of a webhook or schedule are in two indexes: those that wait, and all others. */
function eventsOf(sourceId: SourceId | null) {
  const events = sql`select id, source_id from events`
  if (sourceId === null) return events
  return sql`
    ${events} where source_id = ${sourceId} and status = 'accepted'
    union all ${events} where source_id = ${sourceId} and status <> 'accepted'`
}
