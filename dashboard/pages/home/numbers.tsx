import { Anchor, Group, SegmentedControl, Stack, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { itemsOf } from '../../hooks/use-api.ts'
import { useUrlChoice } from '../../hooks/use-filter.ts'
import { QueryView } from '../../ui/feedback/query-view.tsx'
import { useHasRole } from '../accounts/use-me.ts'
import { Charts } from '../status/charts.tsx'
import { spanHours, spans } from '../status/spans.ts'
import { StatsTable } from '../status/stats-table.tsx'
import { useStats } from '../status/use-stats.ts'
import { useWebhooks } from '../webhooks/use-webhooks.ts'
import { ByWebhook } from './by-webhook.tsx'
import classes from './numbers.module.css'

/** Figures over a day to a quarter; the children are shown between the charts and the table. */
export function Numbers({ children }: { children: ReactNode }) {
  const operator = useHasRole('operator')
  const [span, setSpan] = useUrlChoice('span', ['day', 'week', 'month', 'quarter'])
  const [view, setView] = useUrlChoice('view', ['charts', 'table'])
  const stats = useStats(spanHours[span])
  const budgets = itemsOf(useWebhooks({ enabled: operator })).flatMap(({ costPerDay }) => costPerDay ?? [])
  const budgetPerDay = budgets.length > 0 ? budgets.reduce((sum, budget) => sum + budget, 0) : null
  return (
    <Stack gap="xl">
      <Stack gap={8}>
        <Group justify="space-between" gap={8}>
          <Title order={2}>Activity</Title>
          <Group gap={8}>
            <SegmentedControl
              size="xs"
              aria-label="View"
              value={view}
              onChange={setView}
              data={[
                { value: 'charts', label: 'Charts' },
                { value: 'table', label: 'Table' },
              ]}
            />
            <SegmentedControl
              size="xs"
              aria-label="Time range"
              value={span}
              onChange={setSpan}
              data={spans}
            />
          </Group>
        </Group>
        <QueryView query={stats} loading={<div className={classes.loading} aria-busy />}>
          {(value) =>
            view === 'table' ? (
              <StatsTable stats={value} />
            ) : (
              <Charts stats={value} budgetPerDay={budgetPerDay} />
            )
          }
        </QueryView>
      </Stack>
      {/* Below what has its height: nothing moves when the figures arrive. */}
      {!stats.isPending && children}
      {stats.data && (
        <Stack gap={8}>
          <Group justify="space-between">
            <Title order={2}>By webhook</Title>
            {operator && (
              <Anchor component={Link} to="/figures" size="xs">
                All figures
              </Anchor>
            )}
          </Group>
          <ByWebhook stats={stats.data} />
        </Stack>
      )}
    </Stack>
  )
}
