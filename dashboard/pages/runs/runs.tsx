import { Button, Group, Stack, Text } from '@mantine/core'
import { IconPlayerPlay } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useFilter } from '../../hooks/use-filter.ts'
import { EmptyList } from '../../ui/feedback/empty-list.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { FilterChips } from '../../ui/table/filter-chips.tsx'
import { FilterSelect } from '../../ui/table/filter-select.tsx'
import { isEmpty, ListView } from '../../ui/table/list-view.tsx'
import { SearchField } from '../../ui/table/search-field.tsx'
import { useSort } from '../../ui/table/use-sorted.ts'
import { SavedViews } from '../accounts/saved-views.tsx'
import { DateRange } from '../events/date-range.tsx'
import { ActivityFilter } from '../status/activity-filter.tsx'
import { outcomeSeries } from '../status/outcome-series.ts'
import { WebhookFilter } from '../webhooks/webhook-filter.tsx'
import { MissingPrices } from './missing-prices.tsx'
import { MoreFilters } from './more-filters.tsx'
import { triggerLabels } from './run-headline.ts'
import { runStatuses } from './run-status.tsx'
import { RunsTable } from './runs-table.tsx'
import { useRuns } from './use-runs.ts'

const triggers = Object.entries(triggerLabels).map(([value, label]) => ({ value, label }))

export default function Runs() {
  const [status, setStatus] = useFilter('status')
  const [webhookId, setWebhookId] = useFilter('webhookId')
  const [trigger, setTrigger] = useFilter('trigger')
  const [q, setQ] = useFilter('q')
  const [from] = useFilter('from')
  const [to] = useFilter('to')
  const [channelId] = useFilter('channelId')
  const [toolId] = useFilter('toolId')
  const [model] = useFilter('model')
  const [minCost] = useFilter('minCost')
  const [thumb] = useFilter('thumb')
  const filters = { status, webhookId, trigger, q, from, to, channelId, toolId, model, minCost, thumb }
  const sort = useSort()
  const runs = useRuns({ ...filters, sort })
  const filtered = Object.values(filters).some((value) => value !== undefined)
  // There is nothing to filter yet.
  const isUnused = !filtered && runs.isSuccess && isEmpty(runs)
  return (
    <Page title="Runs" wide>
      <Stack>
        {!isUnused && (
          <>
            <Group gap={8}>
              <SearchField label="Search replies and errors" value={q} onChange={setQ} />
              <WebhookFilter value={webhookId} onChange={setWebhookId} />
              <FilterSelect
                label="Trigger"
                all="All triggers"
                value={trigger}
                onChange={setTrigger}
                options={triggers}
              />
              <DateRange />
              <MoreFilters />
              <SavedViews list="Runs" />
            </Group>
            <ActivityFilter title="Runs" series={outcomeSeries} webhookId={webhookId} state={status}>
              <FilterChips label="State" value={status} onChange={setStatus} options={runStatuses} />
            </ActivityFilter>
          </>
        )}
        {sort !== undefined && (
          <Text size="xs" c="dimmed" role="status">
            Sorted by {sort.replace('-', '')}, the {sort.startsWith('-') ? 'highest' : 'lowest'} first. Active
            runs are left out.
          </Text>
        )}
        <ListView
          query={runs}
          empty={
            <EmptyList
              what="runs"
              to="/runs"
              filtered={filtered}
              icon={<IconPlayerPlay size="1.75rem" stroke={1.5} aria-hidden />}
              purpose="Each event and each question to the agent starts a run."
              example="A run shows what the agent read, which tools it called, and what it replied."
              action={
                <Button component={Link} to="/channels" variant="default" size="xs">
                  Ask the agent
                </Button>
              }
            />
          }
        >
          {(items) => (
            <>
              <MissingPrices runs={items} />
              <RunsTable runs={items} isList />
            </>
          )}
        </ListView>
      </Stack>
    </Page>
  )
}
