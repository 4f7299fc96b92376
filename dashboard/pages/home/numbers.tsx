import { Group, SegmentedControl, Stack, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { useUrlChoice } from '../../hooks/use-filter.ts'
import { QueryView } from '../../ui/feedback/query-view.tsx'
import { Charts } from '../status/charts.tsx'
import { useStats } from '../status/use-stats.ts'
import { ByWebhook } from './by-webhook.tsx'

/** Figures over a day or a week; the children are shown between the charts and the table. */
export function Numbers({ children }: { children: ReactNode }) {
  const [span, setSpan] = useUrlChoice('span', ['day', 'week'])
  const stats = useStats(span === 'week' ? 168 : 24)
  return (
    <Stack gap="xl">
      <Stack gap={8}>
        <Group justify="space-between">
          <Title order={2}>Activity</Title>
          <SegmentedControl
            size="xs"
            aria-label="Time range"
            value={span}
            onChange={setSpan}
            data={[
              { value: 'day', label: '24 hours' },
              { value: 'week', label: '7 days' },
            ]}
          />
        </Group>
        {/* As high as two rows of charts. */}
        <QueryView query={stats} rows={13}>
          {(value) => <Charts stats={value} />}
        </QueryView>
      </Stack>
      {children}
      <Stack gap={8}>
        <Title order={2}>By webhook</Title>
        <QueryView query={stats}>{(value) => <ByWebhook stats={value} />}</QueryView>
      </Stack>
    </Stack>
  )
}
