import { Group, SimpleGrid, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Stats } from '../../contract.ts'
import { BarChart, type Series } from '../../ui/charts/bar-chart.tsx'
import { formatNumber } from '../../ui/text/format-number.ts'
import classes from './charts.module.css'
import { formatDollars } from './format-dollars.ts'
import { formatSeconds } from './format-seconds.ts'

type Hour = Stats['hours'][number]

const events: Series<Hour>[] = [
  {
    name: 'events',
    colour: 'var(--accent)',
    of: (hour) => hour.events - countWithoutRun(hour),
    text: (hour) => formatNumber(hour.events),
  },
  { name: 'without a run', colour: 'var(--line-strong)', of: countWithoutRun },
]
const outcomes: Series<Hour>[] = [
  { name: 'succeeded', colour: 'var(--good)', of: ({ runs }) => runs.succeeded },
  { name: 'active', colour: 'var(--busy)', of: ({ runs }) => runs.active },
  { name: 'canceled', colour: 'var(--line-strong)', of: ({ runs }) => runs.cancelled },
]
const failures: Series<Hour>[] = [{ name: 'failed', colour: 'var(--bad)', of: ({ runs }) => runs.failed }]
const times: Series<Hour>[] = [
  {
    name: 'median',
    colour: 'var(--busy)',
    of: (hour) => hour.seconds.median ?? 0,
    text: (hour) => formatSeconds(hour.seconds.median),
  },
  {
    name: 'p95',
    colour: 'var(--line-strong)',
    // Stacked on the median, so that the bar ends at the 95th percentile.
    of: (hour) => (hour.seconds.p95 ?? 0) - (hour.seconds.median ?? 0),
    text: (hour) => formatSeconds(hour.seconds.p95),
  },
]
const tokens: Series<Hour>[] = [
  { name: 'input', colour: 'var(--accent)', of: (hour) => hour.tokens.input },
  { name: 'output', colour: 'var(--busy)', of: (hour) => hour.tokens.output },
]
const cost: Series<Hour>[] = [
  {
    name: 'cost',
    colour: 'var(--accent)',
    of: (hour) => hour.cost,
    text: (hour) => formatDollars(hour.cost),
  },
]

/** A few small charts, each with its total in words: events, outcomes, times and cost. */
export function Charts({ stats }: { stats: Stats }) {
  const { hours, totals } = stats
  const { runs } = totals
  const withoutRun = countWithoutRun(totals)
  const all = runs.succeeded + runs.failed + runs.cancelled + runs.active
  const ended = runs.succeeded + runs.failed
  const label = hours.length > 24 ? dayAndHour : hourOnly
  const plot = (series: Series<Hour>[], signs: { unit?: string; currency?: string } = {}) => (
    <BarChart slots={hours} label={label} series={series} {...signs} />
  )
  return (
    <SimpleGrid className={classes.figures ?? ''} cols={{ base: 2, md: 3 }} spacing={{ base: 8, xs: 'md' }}>
      <Figure
        title="Events"
        value={formatNumber(totals.events)}
        note={withoutRun === 0 ? undefined : `${formatNumber(withoutRun)} without a run`}
        caption="Accepted per hour"
      >
        {plot(events)}
      </Figure>
      <Figure
        title="Runs"
        value={formatNumber(all)}
        caption={runs.active > 0 ? `Per hour, ${runs.active} still active` : 'Per hour'}
      >
        {plot(outcomes)}
      </Figure>
      <Figure
        title="Failures"
        value={runs.failed === 0 ? 'None' : formatNumber(runs.failed)}
        note={runs.failed === 0 ? undefined : `${percent(runs.failed / ended)} of finished runs`}
        caption="Failed runs per hour"
      >
        {plot(failures)}
      </Figure>
      <Figure
        title="Time to reply"
        value={formatSeconds(totals.seconds.median)}
        note={totals.seconds.p95 === null ? undefined : `p95 ${formatSeconds(totals.seconds.p95)}`}
        caption="Median and p95 per hour"
      >
        {plot(times, { unit: ' s' })}
      </Figure>
      <Figure
        title="Tokens"
        value={formatNumber(totals.tokens.input + totals.tokens.output)}
        caption="Input and output per hour"
      >
        {plot(tokens)}
      </Figure>
      <Figure
        title="Cost"
        value={formatDollars(totals.cost)}
        caption="Estimated from your price list, per hour"
      >
        {plot(cost, { currency: '$' })}
      </Figure>
    </SimpleGrid>
  )
}

/** A rule skipped, notified or collected them, or their schedule was not due. */
export function countWithoutRun({ withoutRun }: Pick<Hour, 'withoutRun'>): number {
  return withoutRun.skipped + withoutRun.notified + withoutRun.joined + withoutRun.missed
}

function hourOnly({ at }: Hour): string {
  return new Date(at).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
}

function dayAndHour(hour: Hour): string {
  return `${new Date(hour.at).toLocaleDateString('en', { weekday: 'short' })} ${hourOnly(hour)}`
}

type FigureProps = {
  title: string
  value: string
  /** Puts the value into proportion. */
  note?: string | undefined
  caption: string
  children: ReactNode
}

function Figure({ title, value, note, caption, children }: FigureProps) {
  return (
    <figure className={classes.figure}>
      <figcaption>
        <Stack gap={0}>
          <Text size="xs" c="dimmed">
            {title}
          </Text>
          <Group gap="0 0.5rem" align="baseline">
            <Text fz={20} fw={600} lh={1.4}>
              {value}
            </Text>
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

function percent(share: number): string {
  const rounded = Math.round(share * 100)
  return rounded === 0 ? 'under 1%' : `${rounded}%`
}
