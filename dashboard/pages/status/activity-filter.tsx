import { Group, SegmentedControl, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useFilter, useUrlChoice } from '../../hooks/use-filter.ts'
import { BarChart, type Series } from '../../ui/charts/bar-chart.tsx'
import { labelOf, rangeOf, type Slot, slotsOf } from './slots.ts'
import { spanHours, spans } from './spans.ts'
import { useStats } from './use-stats.ts'

type Props = {
  /** What the bars count, as in "Runs". */
  title: string
  series: Series<Slot>[]
  webhookId: string | undefined
}

/** When there was how much; a click on a bar, or dragging over several, sets the dates of the list below. */
export function ActivityFilter({ title, series, webhookId }: Props) {
  const [span, setSpan] = useUrlChoice('span', ['week', 'day', 'month', 'quarter'])
  const [from] = useFilter('from')
  const [to] = useFilter('to')
  const navigate = useNavigate()
  const { data: stats } = useStats(spanHours[span], webhookId)
  // Without figures the list works as well.
  if (!stats) return <div style={{ height: '8.25rem' }} />
  const choose = (range: { from?: string; to?: string }) =>
    void navigate({
      to: '.',
      search: (old: Record<string, unknown>) => ({ ...old, from: undefined, to: undefined, ...range }),
      replace: true,
    })
  const isSelected = (slot: Slot) => {
    const range = rangeOf(slot, slot, stats.slotHours)
    return (!from || range.to > from) && (!to || range.from < to)
  }
  return (
    <div>
      <Group justify="space-between" gap={8} mb={4}>
        <Text size="xs" c="dimmed">
          {title} {stats.slotHours > 1 ? 'per day' : 'per hour'}. Select bars to filter by date.
        </Text>
        <SegmentedControl size="xs" aria-label="Time range" value={span} onChange={setSpan} data={spans} />
      </Group>
      <BarChart
        title={`${title} ${stats.slotHours > 1 ? 'per day' : 'per hour'}`}
        slots={slotsOf(stats)}
        label={labelOf(stats)}
        series={series}
        plotHeight={56}
        isSelected={isSelected}
        onRange={(first, last) => {
          const range = rangeOf(first, last, stats.slotHours)
          // The same again shows all.
          choose(range.from === from && range.to === to ? {} : range)
        }}
      />
    </div>
  )
}
