import { SegmentedControl, SimpleGrid, Text } from '@mantine/core'
import { withQuery } from '../../api.ts'
import type { Stats } from '../../contract.ts'
import { useUrlChoice } from '../../hooks/use-filter.ts'
import { BarChart, type Series } from '../../ui/charts/bar-chart.tsx'
import { formatNumber } from '../../ui/text/format-number.ts'
import { useHasRole } from '../accounts/use-me.ts'
import classes from './charts.module.css'
import { countWithoutRun, eventSeries } from './event-series.ts'
import { changeOf, Figure, type Measure, percent } from './figure.tsx'
import { formatCost, formatDollars } from './format-dollars.ts'
import { formatSeconds } from './format-seconds.ts'
import { outcomeSeries } from './outcome-series.ts'
import { labelOf, rangeOf, type Slot, slotsOf } from './slots.ts'
import { spanWords } from './spans.ts'
import { splitSeries } from './split-series.ts'

const failures = outcomeSeries.slice(0, 1)
const times: Series<Slot>[] = [
  {
    name: 'Median',
    colour: 'var(--busy)',
    of: (slot) => slot.seconds.median ?? 0,
    text: (slot) => formatSeconds(slot.seconds.median),
  },
  {
    name: 'p95',
    colour: 'var(--line-strong)',
    // Stacked on the median, so that the bar ends at the 95th percentile.
    of: (slot) => (slot.seconds.p95 ?? 0) - (slot.seconds.median ?? 0),
    text: (slot) => formatSeconds(slot.seconds.p95),
  },
]

type Props = {
  stats: Stats
  /** What all webhooks together may cost a day. */
  budgetPerDay?: number | null
}

const measures = {
  events: { of: ({ events }) => events, text: formatNumber },
  runs: { of: ({ runs }) => countOf(runs), text: formatNumber },
  failures: { of: ({ runs }) => runs.failed, text: formatNumber, lessIsBetter: true },
  time: {
    of: ({ seconds }) => seconds.median,
    text: (value) => formatSeconds(value || null),
    lessIsBetter: true,
  },
  tokens: { of: ({ tokens }) => tokens.input + tokens.output, text: formatNumber },
  cost: { of: ({ cost }) => cost, text: formatDollars },
} satisfies Record<string, Measure>

/** A few small charts, each with its total in words, compared with the span before. A bar leads to the list that it counts. */
export function Charts({ stats, budgetPerDay = null }: Props) {
  const operator = useHasRole('operator')
  const [split, setSplit] = useUrlChoice('split', operator ? ['webhook', 'model'] : ['model'])
  const { totals, slotHours } = stats
  const { runs, tokens } = totals
  const slots = slotsOf(stats)
  const label = labelOf(stats)
  const per = slotHours > 1 ? 'per day' : 'per hour'
  const span = spanWords(stats.hours.length * slotHours)
  const previous = stats.previous && hasAny(stats.previous) ? stats.previous : null
  const before = `Previous ${span}`
  const plot = (
    title: string,
    { of, text }: Measure,
    series: Series<Slot>[],
    list?: { path: string; status?: string },
    signs: { unit?: string; currency?: string; line?: { value: number; label: string } | undefined } = {},
  ) => (
    <BarChart<Slot>
      title={`${title} ${per}`}
      slots={slots}
      label={label}
      series={series}
      href={
        list && ((slot) => withQuery(list.path, { status: list.status, ...rangeOf(slot, slot, slotHours) }))
      }
      before={
        previous
          ? { short: 'Previous', name: before, values: previous.hours.map((hour) => of(hour) ?? 0), text }
          : undefined
      }
      {...signs}
    />
  )
  const change = ({ of, ...measure }: Measure) =>
    previous && changeOf(of(totals), of(previous), { ...measure, words: before })
  const withoutRun = countWithoutRun(totals)
  const ended = runs.succeeded + runs.failed
  const unpriced = stats.byModel.filter(
    ({ cost, tokens: used }) => cost === 0 && used.input + used.output > 0,
  )
  const budget =
    budgetPerDay === null ? undefined : { value: budgetPerDay, label: formatDollars(budgetPerDay) }
  return (
    <>
      <Text size="xs" c="dimmed">
        {previous && `Compared with the previous ${span}`}
        {!previous && stats.previous && `Nothing happened in the previous ${span} to compare with`}
        {stats.previous === null && `No comparison: runs of the previous ${span} are not all kept`}
      </Text>
      <SimpleGrid
        className={classes.figures ?? ''}
        cols={{ base: 1, xs: 2, md: 3 }}
        spacing={{ base: 8, xs: 'md' }}
      >
        <Figure
          title="Events"
          value={formatNumber(totals.events)}
          note={withoutRun === 0 ? undefined : `${formatNumber(withoutRun)} without a run`}
          change={change(measures.events)}
          caption={`Accepted ${per}`}
        >
          {plot(
            'Events',
            measures.events,
            withoutRun === 0 ? eventSeries.slice(0, 1) : eventSeries,
            operator ? { path: '/events' } : undefined,
          )}
        </Figure>
        <Figure
          title="Runs"
          value={formatNumber(countOf(runs))}
          change={change(measures.runs)}
          caption={runs.active > 0 ? `By outcome ${per}, ${runs.active} still active` : `By outcome ${per}`}
        >
          {plot('Runs', measures.runs, outcomeSeries, { path: '/runs' })}
        </Figure>
        <Figure
          title="Failures"
          value={runs.failed === 0 ? 'None' : formatNumber(runs.failed)}
          note={runs.failed === 0 ? undefined : `${percent(runs.failed / ended)} of finished runs`}
          change={change(measures.failures)}
          caption={`Failed runs ${per}`}
        >
          {plot('Failed runs', measures.failures, failures, { path: '/runs', status: 'failed' })}
        </Figure>
        <Figure
          title="Time to reply"
          value={formatSeconds(totals.seconds.median)}
          note={totals.seconds.p95 === null ? undefined : `p95 ${formatSeconds(totals.seconds.p95)}`}
          change={change(measures.time)}
          caption={`Median and p95 ${per}`}
        >
          {plot(
            'Time to reply',
            measures.time,
            times,
            { path: '/runs', status: 'succeeded' },
            { unit: ' s' },
          )}
        </Figure>
        <Figure
          title="Tokens"
          value={formatNumber(tokens.input + tokens.output)}
          note={`${formatNumber(tokens.output)} output`}
          change={change(measures.tokens)}
          caption={`By ${split} ${per}`}
          action={
            operator && (
              <SegmentedControl
                size="xs"
                aria-label="Split tokens and cost"
                value={split}
                onChange={setSplit}
                data={[
                  { value: 'webhook', label: 'Webhook' },
                  { value: 'model', label: 'Model' },
                ]}
              />
            )
          }
        >
          {plot('Tokens', measures.tokens, splitSeries(stats, split, 'tokens', formatNumber), {
            path: '/runs',
          })}
        </Figure>
        <Figure
          title="Cost"
          value={formatCost(totals.cost, tokens.input + tokens.output)}
          note={
            unpriced.length > 0 && totals.cost > 0
              ? `without ${unpriced.map(({ model }) => model).join(', ')}: no price set`
              : [
                  budgetPerDay === null ? null : `daily budgets ${formatDollars(budgetPerDay)}`,
                  totals.cost > 0 ? `${formatDollars(costPerMonth(stats))} a month at this rate` : null,
                ]
                  .filter((part) => part !== null)
                  .join(' · ')
          }
          change={change(measures.cost)}
          caption={`Estimated from your price list, by ${split} ${per}`}
        >
          {plot(
            'Cost',
            measures.cost,
            splitSeries(stats, split, 'cost', formatDollars),
            { path: '/runs' },
            {
              currency: '$',
              // A line for a day says nothing about an hour.
              line: slotHours > 1 ? budget : undefined,
            },
          )}
        </Figure>
      </SimpleGrid>
    </>
  )
}

const hasAny = ({ events, runs }: Stats['totals']) => events + countOf(runs) > 0

export function countOf(runs: Stats['totals']['runs']): number {
  return runs.succeeded + runs.failed + runs.cancelled + runs.active
}

const monthHours = 720

function costPerMonth({ totals, hours, slotHours }: Stats): number {
  return (totals.cost / (hours.length * slotHours)) * monthHours
}
