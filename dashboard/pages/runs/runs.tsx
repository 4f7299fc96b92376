import { Group, Stack, Text } from '@mantine/core'
import { IconPlayerPlay } from '@tabler/icons-react'
import type { RunRow } from '../../contract.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { FilterSelect } from '../../ui/filter-select.tsx'
import { ListView } from '../../ui/list-view.tsx'
import { Page } from '../../ui/page.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { useFilter } from '../../use-filter.ts'
import { useChannelNames } from '../channels/use-channels.ts'
import { useWebhookNames, useWebhookOptions } from '../webhooks/use-webhooks.ts'
import { duration } from './duration.ts'
import { triggerWords } from './run-headline.ts'
import { RunStatusBadge, runStatuses } from './run-status.tsx'
import { useRuns } from './use-runs.ts'

export default function Runs() {
  const [status, setStatus] = useFilter('status')
  const [webhookId, setWebhookId] = useFilter('webhookId')
  const webhooks = useWebhookOptions()
  const runs = useRuns({ status, webhookId })
  const filtered = status !== undefined || webhookId !== undefined
  return (
    <Page title="Runs" wide>
      <Stack>
        <Group gap={8}>
          <FilterSelect
            label="State"
            all="All states"
            value={status}
            onChange={setStatus}
            options={runStatuses.map((value) => ({ value, label: value }))}
          />
          {webhooks.length > 0 && (
            <FilterSelect
              label="Webhook"
              all="All webhooks"
              value={webhookId}
              onChange={setWebhookId}
              options={webhooks}
            />
          )}
        </Group>
        <ListView
          query={runs}
          empty={
            <Empty
              icon={<IconPlayerPlay size={28} stroke={1.5} />}
              purpose={
                filtered
                  ? 'No run matches these filters.'
                  : 'Each event and each question to the agent makes one run.'
              }
              example="A run shows what the agent read, which tools it called, and what it replied."
            />
          }
        >
          {(items) => <RunsTable runs={items} />}
        </ListView>
      </Stack>
    </Page>
  )
}

export function RunsTable({ runs }: { runs: RunRow[] }) {
  const webhookName = useWebhookNames()
  const channelName = useChannelNames()
  const columns: Column<RunRow>[] = [
    {
      name: 'What',
      grow: true,
      cell: (run) => webhookName(run.webhookId) ?? triggerWords[run.trigger],
    },
    { name: 'State', cell: (run) => <RunStatusBadge status={run.status} /> },
    {
      name: 'Outcome',
      grow: true,
      narrow: 'hide',
      cell: (run) => (
        <Text span c="dimmed" size="sm">
          {run.error?.message ?? firstLine(run.reply?.text) ?? '–'}
        </Text>
      ),
    },
    { name: 'Channel', narrow: 'hide', cell: (run) => channelName(run.channelId) ?? '–' },
    { name: 'When', cell: (run) => <RelativeTime at={run.createdAt} /> },
    { name: 'Took', narrow: 'hide', numeric: true, cell: (run) => duration(run.startedAt, run.endedAt) },
    {
      name: 'Tokens',
      narrow: 'hide',
      numeric: true,
      cell: (run) => (run.usage.inputTokens + run.usage.outputTokens).toLocaleString(),
    },
  ]
  return (
    <DataTable
      label="Runs"
      rows={runs}
      columns={columns}
      rowKey={(run) => run.id}
      rowHref={(run) => `/runs/${run.id}`}
    />
  )
}

/** Markdown signs say nothing in a table. */
function firstLine(text: string | undefined): string | undefined {
  const line = text?.split('\n').find((candidate) => candidate.trim() !== '')
  return line?.replaceAll(/[*_`#>]/g, '').trim()
}
