import { SimpleGrid, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { RunRow } from '../../contract.ts'
import { BarChart, type Series } from '../../ui/bar-chart.tsx'
import classes from './charts.module.css'
import { type Slot, summarise } from './summarise-runs.ts'

const outcomes: Series<Slot>[] = [
  { name: 'succeeded', colour: 'var(--good)', of: (slot) => slot.succeeded },
  { name: 'failed', colour: 'var(--bad)', of: (slot) => slot.failed },
  { name: 'not ended', colour: 'var(--busy)', of: (slot) => slot.other },
]
const times: Series<Slot>[] = [{ name: 'median', colour: 'var(--busy)', of: (slot) => slot.seconds }]
const tokenCounts: Series<Slot>[] = [{ name: 'tokens', colour: 'var(--accent)', of: (slot) => slot.tokens }]

/** Few and small: outcomes, time and tokens of the last runs. */
export function Charts({ runs }: { runs: RunRow[] }) {
  const { slots, unit, total, failed, medianSeconds, tokens, cost } = summarise(runs, Date.now())
  const label = (slot: Slot) => slot.label
  return (
    <SimpleGrid cols={{ base: 1, md: 3 }} spacing="lg">
      <Figure
        title="Runs"
        value={`${total}, of which ${failed} failed`}
        caption={`Per ${unit}; the last ${runs.length} runs`}
      >
        <BarChart slots={slots} label={label} series={outcomes} />
      </Figure>
      <Figure
        title="Time to the reply"
        value={medianSeconds === null ? '–' : `${medianSeconds.toFixed(1)} s in the middle`}
        caption={`Median seconds per ${unit}`}
      >
        <BarChart slots={slots} label={label} series={times} unit=" s" />
      </Figure>
      <Figure
        title="Tokens"
        value={`${tokens.toLocaleString()}${cost >= 0.005 ? `, $${cost.toFixed(2)}` : ''}`}
        caption={`In and out, per ${unit}`}
      >
        <BarChart slots={slots} label={label} series={tokenCounts} />
      </Figure>
    </SimpleGrid>
  )
}

type FigureProps = { title: string; value: string; caption: string; children: ReactNode }

function Figure({ title, value, caption, children }: FigureProps) {
  return (
    <figure className={classes.figure}>
      <figcaption>
        <Stack gap={0}>
          <Text size="xs" c="dimmed">
            {title}
          </Text>
          <Text fw={500}>{value}</Text>
        </Stack>
      </figcaption>
      {children}
      <Text size="xs" c="dimmed">
        {caption}
      </Text>
    </figure>
  )
}
