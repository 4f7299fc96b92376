import { Group, SegmentedControl } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useFilter, useUrlChoice } from '../../hooks/use-filter.ts'
import { BarChart, type Series } from '../../ui/charts/bar-chart.tsx'
import { labelOf, rangeOf, type Slot, slotsOf } from './slots.ts'
import { spanHours, spans } from './spans.ts'
import { useStats } from './use-stats.ts'

/** Bars that count what is in one of these states. */
export type StateSeries = Series<Slot> & { states: readonly string[] }

type Props = {
  /** What the bars count, as in "Runs". */
  title: string
  series: StateSeries[]
  webhookId: string | undefined
  /** The state that the list is filtered by: only the bars that count it are shown. */
  state: string | undefined
  /** The states to filter by. */
  children: ReactNode
}

const plotHeight = 56

/** When there was how much; a click on a bar, or dragging over several, sets the dates of the list below. */
export function ActivityFilter({ title, series, webhookId, state, children }: Props) {
  const [span, setSpan] = useUrlChoice('span', ['week', 'day', 'month', 'quarter'])
  const [from] = useFilter('from')
  const [to] = useFilter('to')
  const navigate = useNavigate()
  const { data: stats } = useStats(spanHours[span], webhookId)
  const choose = (range: { from?: string; to?: string }) =>
    void navigate({
      to: '.',
      search: (old: Record<string, unknown>) => ({ ...old, from: undefined, to: undefined, ...range }),
      replace: true,
    })
  return (
    <div>
      <Group justify="space-between" gap={8} mb={8}>
        {children}
        <SegmentedControl size="xs" aria-label="Time range" value={span} onChange={setSpan} data={spans} />
      </Group>
      {stats ? (
        <BarChart
          title={`${title} ${stats.slotHours > 1 ? 'per day' : 'per hour'}`}
          hint="Select bars to filter by date"
          slots={slotsOf(stats)}
          label={labelOf(stats)}
          series={state === undefined ? series : series.filter(({ states }) => states.includes(state))}
          plotHeight={plotHeight}
          isSelected={(slot) => {
            const range = rangeOf(slot, slot, stats.slotHours)
            return (!from || range.to > from) && (!to || range.from < to)
          }}
          onRange={(first, last) => {
            const range = rangeOf(first, last, stats.slotHours)
            // The same again shows all.
            choose(range.from === from && range.to === to ? {} : range)
          }}
        />
      ) : (
        // Without figures the list works as well.
        <div style={{ height: plotHeight + 54 }} />
      )}
    </div>
  )
}
