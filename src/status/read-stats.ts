import { sql } from 'kysely'
import { firstIdAt, type WebhookId } from '../ids.ts'
import type { Db } from '../platform/db/database.ts'
import type { Figures, Stats } from './contract.ts'

export type AskedStats = { hours: number; webhookId?: WebhookId | undefined }
type Span = { from: Date; hours: Date[]; webhookId: WebhookId | null }

const hourMs = 3_600_000
/** More rows than anybody reads; one webhook is asked for by its id. */
const busiest = 100

/**
 * What happened in the last hours, the one under way among them. Ids begin with their time, so every question is a range of an
 * index, and what is older than the span is not touched however much of it is kept.
 */
export async function readStats(ctx: { db: Db; now: () => Date }, asked: AskedStats): Promise<Stats> {
  const now = ctx.now()
  const first = Math.floor(now.getTime() / hourMs) * hourMs - (asked.hours - 1) * hourMs
  const hours = Array.from({ length: asked.hours }, (_, at) => new Date(first + at * hourMs))
  const span = { from: new Date(first), hours, webhookId: asked.webhookId ?? null }
  const [events, runs] = await Promise.all([countEvents(ctx.db, span), countRuns(ctx.db, span)])

  const perHour = hours.map((at, hour) => ({
    at: at.toISOString(),
    ...figuresOf(
      runs.find((row) => row.hour === hour),
      total(events.filter((row) => row.hour === hour)),
    ),
  }))
  // By id, as there may be ten thousand of them.
  const eventsOf = Map.groupBy(events, ({ webhookId }): WebhookId | null => webhookId)
  const runsOf = new Map(runs.filter(({ of }) => of === 'webhook').map((row) => [row.webhookId, row]))
  const byWebhook = [...new Set([...eventsOf.keys(), ...runsOf.keys()])].map((webhookId) => {
    const own = eventsOf.get(webhookId) ?? []
    return { webhookId, ...figuresOf(runsOf.get(webhookId), total(own)), own }
  })
  return {
    from: span.from.toISOString(),
    to: now.toISOString(),
    hours: perHour,
    totals: figuresOf(
      runs.find(({ of }) => of === 'all'),
      total(events),
    ),
    byWebhook: byWebhook
      .toSorted((a, b) => b.events - a.events || countOf(b) - countOf(a))
      .slice(0, busiest)
      .map(({ own, ...figures }) => ({
        ...figures,
        eventsPerHour: hours.map((_, hour) => own.find((row) => row.hour === hour)?.events ?? 0),
      })),
  }
}

type EventRow = { webhookId: WebhookId; hour: number; events: number }

/** Only webhooks that were rung in the span, and of those the index alone. */
async function countEvents(db: Db, { from, hours, webhookId }: Span): Promise<EventRow[]> {
  const starts = hours.map((at) => firstIdAt('event', at))
  const end = firstIdAt('event', new Date(from.getTime() + (hours.length + 1) * hourMs))
  const { rows } = await sql<EventRow>`
    select t.webhook_id, c.hour, c.events
    from webhook_traffic t
    cross join lateral (
      select width_bucket(e.id, ${starts}::text[]) - 1 as hour, count(*)::int as events from events e
      where e.webhook_id = t.webhook_id and e.id >= ${starts[0]} and e.id < ${end} group by 1
    ) c
    where t.last_event_at >= ${from} and (${webhookId}::text is null or t.webhook_id = ${webhookId})
  `.execute(db)
  return rows
}

type RunRow = {
  of: 'all' | 'hour' | 'webhook'
  hour: number | null
  webhookId: WebhookId | null
  succeeded: number
  failed: number
  cancelled: number
  active: number
  median: number | null
  p95: number | null
  input: number
  output: number
  cost: number
}

async function countRuns(db: Db, { from, hours, webhookId }: Span): Promise<RunRow[]> {
  const starts = hours.map((at) => firstIdAt('run', at))
  const { rows } = await sql<RunRow>`
    with asked as (
      select width_bucket(id, ${starts}::text[]) - 1 as hour, webhook_id, status, dry, input_tokens, output_tokens, cost,
        case when status = 'succeeded' and not dry then extract(epoch from ended_at - asked_at)::float8 end as seconds
      from runs
      where id >= ${firstIdAt('run', from)} and ${webhookId === null ? sql`true` : sql`webhook_id = ${webhookId}`}
    )
    select case when grouping(hour) = 0 then 'hour' when grouping(webhook_id) = 0 then 'webhook' else 'all' end as of,
      hour, webhook_id,
      count(*) filter (where status = 'succeeded' and not dry)::int as succeeded,
      count(*) filter (where status = 'failed' and not dry)::int as failed,
      count(*) filter (where status = 'cancelled' and not dry)::int as cancelled,
      count(*) filter (where status in ('queued', 'running', 'waiting') and not dry)::int as active,
      percentile_cont(0.5) within group (order by seconds) as median,
      percentile_cont(0.95) within group (order by seconds) as p95,
      coalesce(sum(input_tokens), 0)::float8 as input, coalesce(sum(output_tokens), 0)::float8 as output,
      coalesce(sum(cost), 0) as cost
    from asked
    group by grouping sets ((hour), (webhook_id), ())`.execute(db)
  return rows
}

function figuresOf(row: RunRow | undefined, events: number): Figures {
  return {
    events,
    runs: {
      succeeded: row?.succeeded ?? 0,
      failed: row?.failed ?? 0,
      cancelled: row?.cancelled ?? 0,
      active: row?.active ?? 0,
    },
    seconds: { median: row?.median ?? null, p95: row?.p95 ?? null },
    tokens: { input: row?.input ?? 0, output: row?.output ?? 0 },
    cost: row?.cost ?? 0,
  }
}

function total(rows: readonly EventRow[]): number {
  return rows.reduce((sum, { events }) => sum + events, 0)
}

function countOf({ runs }: Figures): number {
  return runs.succeeded + runs.failed + runs.cancelled + runs.active
}
