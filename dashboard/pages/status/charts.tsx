import { Group, SegmentedControl, SimpleGrid, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { withQuery } from '../../api.ts'
import type { Stats } from '../../contract.ts'
import { useUrlChoice } from '../../hooks/use-filter.ts'
import { BarChart, type Series } from '../../ui/charts/bar-chart.tsx'
import { formatNumber } from '../../ui/text/format-number.ts'
import { useHasRole } from '../accounts/use-me.ts'
import classes from './charts.module.css'
import { countWithoutRun, eventSeries } from './event-series.ts'
import { formatCost, formatDollars } from './format-dollars.ts'
import { formatSeconds } from './format-seconds.ts'
import { outcomeSeries } from './outcome-series.ts'
import { labelOf, rangeOf, type Slot, slotsOf } from './slots.ts'
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

/** A few small charts, each with its total in words and the change since the span before. A bar leads to the list that it counts. */
export function Charts({ stats, budgetPerDay = null }: Props) {
  const operator = useHasRole('operator')
  const [split, setSplit] = useUrlChoice('split', operator ? ['webhook', 'model'] : ['model'])
  const { totals, previous, slotHours } = stats
  const { runs, tokens } = totals
  const slots = slotsOf(stats)
  const label = labelOf(stats)
  const per = slotHours > 1 ? 'per day' : 'per hour'
  const plot = (
    title: string,
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
      {...signs}
    />
  )
  const withoutRun = countWithoutRun(totals)
  const ended = runs.succeeded + runs.failed
  const unpriced = stats.byModel.filter(
    ({ cost, tokens: used }) => cost === 0 && used.input + used.output > 0,
  )
  const budget =
    budgetPerDay === null ? undefined : { value: budgetPerDay, label: formatDollars(budgetPerDay) }
  return (
    <SimpleGrid
      className={classes.figures ?? ''}
      cols={{ base: 1, xs: 2, md: 3 }}
      spacing={{ base: 8, xs: 'md' }}
    >
      <Figure
        title="Events"
        value={formatNumber(totals.events)}
        note={withoutRun === 0 ? undefined : `${formatNumber(withoutRun)} without a run`}
        change={changeOf(totals.events, previous?.events)}
        caption={`Accepted ${per}`}
      >
        {plot(
          'Events',
          withoutRun === 0 ? eventSeries.slice(0, 1) : eventSeries,
          operator ? { path: '/events' } : undefined,
        )}
      </Figure>
      <Figure
        title="Runs"
        value={formatNumber(countOf(runs))}
        change={changeOf(countOf(runs), previous && countOf(previous.runs))}
        caption={runs.active > 0 ? `By outcome ${per}, ${runs.active} still active` : `By outcome ${per}`}
      >
        {plot('Runs', outcomeSeries, { path: '/runs' })}
      </Figure>
      <Figure
        title="Failures"
        value={runs.failed === 0 ? 'None' : formatNumber(runs.failed)}
        note={runs.failed === 0 ? undefined : `${percent(runs.failed / ended)} of finished runs`}
        change={changeOf(runs.failed, previous?.runs.failed)}
        caption={`Failed runs ${per}`}
      >
        {plot('Failed runs', failures, { path: '/runs', status: 'failed' })}
      </Figure>
      <Figure
        title="Time to reply"
        value={formatSeconds(totals.seconds.median)}
        note={totals.seconds.p95 === null ? undefined : `p95 ${formatSeconds(totals.seconds.p95)}`}
        change={changeOf(totals.seconds.median ?? 0, previous?.seconds.median ?? 0)}
        caption={`Median and p95 ${per}`}
      >
        {plot('Time to reply', times, { path: '/runs', status: 'succeeded' }, { unit: ' s' })}
      </Figure>
      <Figure
        title="Tokens"
        value={formatNumber(tokens.input + tokens.output)}
        note={`${formatNumber(tokens.output)} output`}
        change={changeOf(
          tokens.input + tokens.output,
          previous && previous.tokens.input + previous.tokens.output,
        )}
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
        {plot('Tokens', splitSeries(stats, split, 'tokens', formatNumber), { path: '/runs' })}
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
        change={changeOf(totals.cost, previous?.cost)}
        caption={`Estimated from your price list, by ${split} ${per}`}
      >
        {plot(
          'Cost',
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
  )
}

export function countOf(runs: Stats['totals']['runs']): number {
  return runs.succeeded + runs.failed + runs.cancelled + runs.active
}

const monthHours = 720

function costPerMonth({ totals, hours, slotHours }: Stats): number {
  return (totals.cost / (hours.length * slotHours)) * monthHours
}

type FigureProps = {
  title: string
  value: string
  /** Puts the value into proportion. */
  note?: string | undefined
  change: string | null
  caption: string
  action?: ReactNode
  children: ReactNode
}

function Figure({ title, value, note, change, caption, action, children }: FigureProps) {
  return (
    <figure className={classes.figure}>
      <figcaption>
        <Stack gap={0}>
          <Group justify="space-between" h="1.5rem" wrap="nowrap">
            <Text size="xs" c="dimmed">
              {title}
            </Text>
            {action}
          </Group>
          <Group gap="0 0.5rem" align="baseline">
            <Text fz={20} fw={600} lh={1.4}>
              {value}
            </Text>
            {change && (
              <Text size="xs" c="dimmed" title="Compared with the previous period">
                {change}
              </Text>
            )}
            {note && (
              <Text size="xs" c="dimmed">
                {note}
              </Text>
            )}
          </Group>
        </Stack>
      </figcaption>
      {children}
      <Text size="xs" c="dimmed">
        {caption}
      </Text>
    </figure>
  )
}

/** "▲ 12%" against the span before; nothing can be said against none. */
function changeOf(now: number, before: number | null | undefined): string | null {
  if (!before) return null
  const share = now / before - 1
  if (Math.abs(share) < 0.005) return 'no change'
  const sign = share > 0 ? '▲' : '▼'
  return share > 9.99 ? `${sign} over 10 times` : `${sign} ${percent(Math.abs(share))}`
}

function percent(share: number): string {
  const rounded = Math.round(share * 100)
  return rounded === 0 ? 'under 1%' : `${rounded}%`
}
