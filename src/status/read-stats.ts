import { sql } from 'kysely'
import type { Db } from '../platform/db/database.ts'
import { sourceName } from '../shared/display-names.ts'
import type { SourceId } from '../shared/ids.ts'
import { showSource } from '../shared/source-fields.ts'
import type { Figures, PerHour, Stats } from './contract.ts'
import { countHours, type HourFigures, hourMs, hourOf } from './count-hours.ts'
import { secondsAtQuantile } from './time-buckets.ts'

/** More rows than anybody reads; a single webhook or schedule is requested by its id. */
const busiest = 100

export type StatsContext = { db: Db; now: () => Date }
export type StatsQuery = { hours: number; sourceId?: SourceId | undefined }

/** The figures of the last hours, including the current one. */
export async function readStats(ctx: StatsContext, asked: StatsQuery): Promise<Stats> {
  const { db } = ctx
  const now = ctx.now()
  const slotHours = asked.hours > 168 ? 24 : 1
  const lastSlot = Math.floor(hourOf(now) / slotHours)
  const length = Math.ceil(asked.hours / slotHours)
  const slots = Array.from({ length }, (_, at) => lastSlot - length + 1 + at)
  const sourceId = asked.sourceId ?? null
  const span = { from: (slots[0] ?? lastSlot) * slotHours, to: hourOf(now) }
  const rows = await readFigures(db, { ...span, slotHours, sourceId })
  const refused = await readRefused(db, { from: span.from, slotHours, sourceId })
  const ofSource = Map.groupBy<string, SlotFigures>(rows, (row) => row.sourceId)
  // Some webhooks have refused everything.
  const byWebhook = [...new Set([...ofSource.keys(), ...refused.keys()])]
    .map((id) => ({ id, own: ofSource.get(id) ?? [] }))
    .map(({ id, own }) => ({ sourceId: (id || null) as SourceId | null, ...sumFigures(own), own })) // the keys are ids of sources
    .toSorted((a, b) => b.events - a.events || countOf(b) - countOf(a))
    .slice(0, busiest)
  const byModel = [...Map.groupBy(rows, ({ model }) => model)]
    .filter(([model]) => model !== '')
    .map(([model, own]) => ({ model, ...sumFigures(own), perHour: perSlot(slots, own) }))
    .toSorted((a, b) => tokensOf(b) - tokensOf(a))
    .slice(0, busiest)
  const names = await readNames(db, byWebhook)
  return {
    from: new Date(span.from * hourMs).toISOString(),
    to: now.toISOString(),
    slotHours,
    hours: showSlots(slots, slotHours, rows),
    totals: sumFigures(rows),
    previous: await readPrevious(db, slots, { ...span, slotHours, sourceId }),
    byWebhook: byWebhook.map(({ own, sourceId: id, ...figures }) => ({
      ...showSource(id, names.get(id) ?? null),
      ...figures,
      perHour: perSlot(slots, own),
      refusedPerHour: slots.map((slot) => refused.get(id ?? '')?.get(slot) ?? 0),
    })),
    byModel,
  }
}

/** Null if runs of that time were deleted or are not counted yet: half a span compares with nothing. */
async function readPrevious(
  db: Db,
  slots: readonly number[],
  { from, to, slotHours, sourceId }: Span,
): Promise<Stats['previous']> {
  // By whole slots, so that a day that has just begun is compared with as much of a day.
  const back = slots.length * slotHours
  const { rows: kept } = await sql<{ isKept: boolean }>`
    select last_hour >= first_hour and first_hour <= ${from - back} as is_kept from counted_hours`.execute(db)
  if (!kept[0]?.isKept) return null
  const rows = await readFigures(db, { from: from - back, to: to - back, slotHours, sourceId })
  const before = slots.map((slot) => slot - slots.length)
  return { hours: showSlots(before, slotHours, rows), ...sumFigures(rows) }
}

/** How many deliveries each webhook refused, by slot. */
async function readRefused(
  db: Db,
  { from, slotHours, sourceId }: Omit<Span, 'to'>,
): Promise<Map<string, Map<number, number>>> {
  const { rows } = await sql<{ webhookId: string; slot: number; refused: number }>`
    select webhook_id, floor(hour / ${slotHours}::float8)::float8 as slot, sum(refused)::float8 as refused
    from refused_hours where hour >= ${from} and (${sourceId}::text is null or webhook_id = ${sourceId})
    group by 1, 2`.execute(db)
  const ofWebhook = Map.groupBy(rows, ({ webhookId }) => webhookId)
  return new Map(
    [...ofWebhook].map(([id, own]) => [id, new Map(own.map(({ slot, refused }) => [slot, refused]))]),
  )
}

async function readNames(
  db: Db,
  of: readonly { sourceId: string | null }[],
): Promise<Map<string | null, string | null>> {
  const { rows } = await sql<{ id: string; name: string | null }>`
    select asked.id, ${sourceName(sql`asked.id`)} as name
    from unnest(${of.map(({ sourceId }) => sourceId)}::text[]) asked (id)`.execute(db)
  return new Map(rows.map(({ id, name }) => [id, name]))
}

type SlotFigures = Omit<HourFigures, 'hour'> & { slot: number }
type Span = { from: number; to: number; slotHours: number; sourceId: SourceId | null }

/** Takes stored hours from the table and counts the rest now; added up by slot, source and model. */
async function readFigures(db: Db, { from, to, slotHours, sourceId }: Span): Promise<SlotFigures[]> {
  const hours = Array.from({ length: to - from + 1 }, (_, at) => from + at)
  const columns = sql`hour, source_id, model, events, succeeded, failed, cancelled, skipped, notified, joined, missed`
  const { rows } = await sql<SlotFigures>`
    with figures as (
      select floor(hour / ${slotHours}::float8)::float8 as slot, f.* from (
        select ${columns}, active, input_tokens, output_tokens, cost, time_classes, time_counts
        from (${countHours(hours, { sourceId })}) counted
        union all
        select ${columns}, 0, input_tokens, output_tokens, cost, time_classes, time_counts
        from hour_figures
        where hour between ${from} and ${to} and (${sourceId}::text is null or source_id = ${sourceId})
      ) f
    ), sums as (
      select slot, source_id, model, sum(events)::float8 as events, sum(succeeded)::float8 as succeeded,
        sum(failed)::float8 as failed, sum(cancelled)::float8 as cancelled, sum(active)::float8 as active,
        sum(skipped)::float8 as skipped, sum(notified)::float8 as notified, sum(joined)::float8 as joined,
        sum(missed)::float8 as missed,
        sum(input_tokens)::float8 as input_tokens, sum(output_tokens)::float8 as output_tokens, sum(cost) as cost
      from figures group by slot, source_id, model
    ), classed as (
      select slot, source_id, model, array_agg(time_class) as time_classes, array_agg(n) as time_counts
      from (
        select slot, source_id, model, time_class, sum(n)::float8 as n
        from figures, unnest(time_classes, time_counts) c (time_class, n) group by slot, source_id, model, time_class
      ) c group by slot, source_id, model
    )
    select sums.*, coalesce(time_classes, '{}') as time_classes, coalesce(time_counts, '{}') as time_counts
    from sums left join classed using (slot, source_id, model)
    order by slot, source_id, model`.execute(db)
  return rows
}

function showSlots(
  slots: readonly number[],
  slotHours: number,
  rows: readonly SlotFigures[],
): Stats['hours'] {
  const ofSlot = Map.groupBy(rows, ({ slot }) => slot)
  return slots.map((slot) => ({
    at: new Date(slot * slotHours * hourMs).toISOString(),
    ...sumFigures(ofSlot.get(slot) ?? []),
  }))
}

function sumOf(rows: readonly SlotFigures[], figure: (row: SlotFigures) => number): number {
  return rows.reduce((total, row) => total + figure(row), 0)
}

function sumFigures(rows: readonly SlotFigures[]): Figures {
  const sum = (figure: (row: SlotFigures) => number) => sumOf(rows, figure)
  const classes = new Map<number, number>()
  for (const { timeClasses, timeCounts } of rows) {
    for (const [at, timeClass] of timeClasses.entries()) {
      classes.set(timeClass, (classes.get(timeClass) ?? 0) + (timeCounts[at] ?? 0))
    }
  }
  return {
    events: sum(({ events }) => events),
    runs: {
      succeeded: sum(({ succeeded }) => succeeded),
      failed: sum(({ failed }) => failed),
      cancelled: sum(({ cancelled }) => cancelled),
      active: sum(({ active }) => active),
    },
    withoutRun: {
      skipped: sum(({ skipped }) => skipped),
      notified: sum(({ notified }) => notified),
      joined: sum(({ joined }) => joined),
      missed: sum(({ missed }) => missed),
    },
    seconds: { median: secondsAtQuantile(0.5, classes), p95: secondsAtQuantile(0.95, classes) },
    tokens: { input: sum(({ inputTokens }) => inputTokens), output: sum(({ outputTokens }) => outputTokens) },
    cost: sum(({ cost }) => cost),
  }
}

function countOf({ runs }: Figures): number {
  return runs.succeeded + runs.failed + runs.cancelled + runs.active
}

function tokensOf({ tokens }: Figures): number {
  return tokens.input + tokens.output
}

/** The counts of each slot. */
function perSlot(slots: readonly number[], rows: readonly SlotFigures[]): PerHour {
  const ofSlot = Map.groupBy(rows, ({ slot }) => slot)
  const each = (figure: (row: SlotFigures) => number) =>
    slots.map((slot) => sumOf(ofSlot.get(slot) ?? [], figure))
  return {
    events: each(({ events }) => events),
    succeeded: each(({ succeeded }) => succeeded),
    failed: each(({ failed }) => failed),
    cancelled: each(({ cancelled }) => cancelled),
    active: each(({ active }) => active),
    tokens: each(({ inputTokens, outputTokens }) => inputTokens + outputTokens),
    cost: each(({ cost }) => cost),
  }
}
