import { Button, Group, Stack } from '@mantine/core'
import { IconPlayerPlay } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { EmptyList } from '../../ui/empty-list.tsx'
import { FilterSelect } from '../../ui/filter-select.tsx'
import { ListView } from '../../ui/list-view.tsx'
import { Page } from '../../ui/page.tsx'
import { useFilter } from '../../use-filter.ts'
import { WebhookFilter } from '../webhooks/webhook-filter.tsx'
import { runStatuses } from './run-status.tsx'
import { RunsTable } from './runs-table.tsx'
import { useRuns } from './use-runs.ts'

export default function Runs() {
  const [status, setStatus] = useFilter('status')
  const [webhookId, setWebhookId] = useFilter('webhookId')
  const runs = useRuns({ status, webhookId })
  const filtered = status !== undefined || webhookId !== undefined
  return (
    <Page title="Runs" wide>
      <Stack>
        <Group gap={8} data-slash>
          <FilterSelect
            label="State"
            all="All states"
            value={status}
            onChange={setStatus}
            options={runStatuses}
          />
          <WebhookFilter value={webhookId} onChange={setWebhookId} />
        </Group>
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
          {(items) => <RunsTable runs={items} />}
        </ListView>
      </Stack>
    </Page>
  )
}
