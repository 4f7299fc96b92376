import { sql } from 'kysely'
import type { Db } from '../platform/db/database.ts'
import { sourceName } from '../shared/display-names.ts'
import type { SourceId } from '../shared/ids.ts'
import { showSource } from '../shared/source-fields.ts'
import type { Figures, Stats } from './contract.ts'
import { countHours, type HourFigures, hourMs, hourOf } from './count-hours.ts'
import { secondsAtQuantile } from './time-buckets.ts'

/** More rows than anybody reads; a single webhook or schedule is requested by its id. */
const busiest = 100

export type StatsContext = { db: Db; now: () => Date }
export type StatsQuery = { hours: number; sourceId?: SourceId | undefined }

/** The figures of the last hours, including the current one. */
export async function readStats(ctx: StatsContext, asked: StatsQuery): Promise<Stats> {
  const now = ctx.now()
  const last = hourOf(now)
  const hours = Array.from({ length: asked.hours }, (_, at) => last - asked.hours + 1 + at)
  const rows = await readFigures(ctx.db, hours, asked.sourceId ?? null)
  const ofHour = Map.groupBy(rows, ({ hour }) => hour)
  const byWebhook = [...Map.groupBy(rows, ({ sourceId }) => sourceId)]
    .map(([sourceId, own]) => ({ sourceId: sourceId || null, ...sumFigures(own), own }))
    .toSorted((a, b) => b.events - a.events || countOf(b) - countOf(a))
    .slice(0, busiest)
  const names = await readNames(ctx.db, byWebhook)
  return {
    from: new Date((hours[0] ?? last) * hourMs).toISOString(),
    to: now.toISOString(),
    hours: hours.map((hour) => ({
      at: new Date(hour * hourMs).toISOString(),
      ...sumFigures(ofHour.get(hour) ?? []),
    })),
    totals: sumFigures(rows),
    byWebhook: byWebhook.map(({ own, sourceId, ...figures }) => {
      const events = Map.groupBy(own, ({ hour }) => hour)
      const eventsPerHour = hours.map((hour) => sumOf(events.get(hour) ?? [], (row) => row.events))
      return { ...showSource(sourceId, names.get(sourceId) ?? null), ...figures, eventsPerHour }
    }),
  }
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

/** Takes stored hours from the table and counts the rest now. */
async function readFigures(
  db: Db,
  hours: readonly number[],
  sourceId: SourceId | null,
): Promise<HourFigures[]> {
  const { rows } = await sql<HourFigures>`
    select hour::float8, source_id, events, succeeded, failed, cancelled, active, skipped, notified, joined, missed,
      input_tokens::float8, output_tokens::float8, cost, time_classes, time_counts
    from (${countHours(hours, { sourceId })}) counted
    union all
    select f.hour::float8, source_id, events, succeeded, failed, cancelled, 0, skipped, notified, joined, missed,
      input_tokens::float8, output_tokens::float8, cost, time_classes, time_counts
    from hour_figures f
    where f.hour = any(${hours}::bigint[]) and (${sourceId}::text is null or source_id = ${sourceId})`.execute(
    db,
  )
  return rows
}

function sumOf(rows: readonly HourFigures[], figure: (row: HourFigures) => number): number {
  return rows.reduce((total, row) => total + figure(row), 0)
}

function sumFigures(rows: readonly HourFigures[]): Figures {
  const sum = (figure: (row: HourFigures) => number) => sumOf(rows, figure)
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
