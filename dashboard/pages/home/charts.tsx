import { SimpleGrid, Stack, Text } from '@mantine/core'
import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts'
import type { RunRow } from '../../contract.ts'
import classes from './charts.module.css'
import { type Slot, summarise } from './summarise-runs.ts'

/** Few and small: outcomes, time and tokens of the last runs. */
export default function Charts({ runs }: { runs: RunRow[] }) {
  const { slots, unit, total, failed, medianSeconds, tokens, cost } = summarise(runs, Date.now())
  return (
    <SimpleGrid cols={{ base: 1, md: 3 }} spacing="lg">
      <Figure
        title="Runs"
        value={`${total} in sight, ${failed} failed`}
        caption={`Per ${unit}, the last ${runs.length} runs`}
      >
        <Plot slots={slots}>
          <Bar
            dataKey="succeeded"
            name="succeeded"
            stackId="runs"
            fill="var(--good)"
            isAnimationActive={false}
          />
          <Bar dataKey="failed" name="failed" stackId="runs" fill="var(--bad)" isAnimationActive={false} />
          <Bar dataKey="other" name="not ended" stackId="runs" fill="var(--busy)" isAnimationActive={false} />
        </Plot>
      </Figure>
      <Figure
        title="Time to the reply"
        value={medianSeconds === null ? '–' : `${medianSeconds.toFixed(1)} s, half are faster`}
        caption={`Median seconds per ${unit}`}
      >
        <Plot slots={slots} unit=" s">
          <Bar dataKey="seconds" name="median seconds" fill="var(--busy)" isAnimationActive={false} />
        </Plot>
      </Figure>
      <Figure
        title="Tokens"
        value={`${tokens.toLocaleString()}${cost > 0 ? `, $${cost.toFixed(2)}` : ''}`}
        caption={`In and out, per ${unit}`}
      >
        <Plot slots={slots}>
          <Bar dataKey="tokens" name="tokens" fill="var(--accent)" isAnimationActive={false} />
        </Plot>
      </Figure>
    </SimpleGrid>
  )
}

type FigureProps = { title: string; value: string; caption: string; children: React.ReactNode }

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

function Plot({ slots, unit = '', children }: { slots: Slot[]; unit?: string; children: React.ReactNode }) {
  return (
    // The numbers stand in words above; the picture adds only their shape.
    <div className={classes.plot} aria-hidden>
      <ResponsiveContainer width="100%" height={130}>
        <BarChart data={slots} margin={{ top: 8, right: 4, bottom: 0, left: -18 }} accessibilityLayer={false}>
          <CartesianGrid vertical={false} stroke="var(--line)" />
          <XAxis
            dataKey="label"
            tickLine={false}
            axisLine={false}
            fontSize={11}
            interval="preserveStartEnd"
            minTickGap={24}
          />
          <YAxis
            tickLine={false}
            axisLine={false}
            fontSize={11}
            allowDecimals={false}
            width={52}
            unit={unit}
          />
          <Tooltip
            cursor={{ fill: 'var(--surface-2)' }}
            contentStyle={{
              background: 'var(--mantine-color-body)',
              border: '1px solid var(--line)',
              borderRadius: 6,
              fontSize: 12,
            }}
          />
          {children}
        </BarChart>
      </ResponsiveContainer>
    </div>
  )
}
