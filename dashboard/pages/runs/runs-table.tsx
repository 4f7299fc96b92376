import { Text } from '@mantine/core'
import type { RunRow } from '../../contract.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { useChannelNames } from '../channels/use-channels.ts'
import { useWebhookNames } from '../webhooks/use-webhooks.ts'
import { duration } from './duration.ts'
import { triggerWords } from './run-headline.ts'
import { RunStatusBadge } from './run-status.tsx'

export function RunsTable({ runs }: { runs: RunRow[] }) {
  const webhookName = useWebhookNames(runs.map((run) => run.webhookId))
  const channelName = useChannelNames(runs.map((run) => run.channelId))
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
      narrow: 'below',
      cell: (run) => (
        <Text span c="dimmed" size="sm">
          {run.error?.message ??
            firstLine(run.reply?.text) ??
            (run.status === 'waiting' ? 'Waits for an admin' : '–')}
        </Text>
      ),
    },
    { name: 'Channel', narrow: 'wide-only', cell: (run) => channelName(run.channelId) ?? '–' },
    { name: 'When', cell: (run) => <RelativeTime at={run.createdAt} /> },
    { name: 'Took', narrow: 'hide', numeric: true, cell: (run) => duration(run.startedAt, run.endedAt) },
    {
      name: 'Tokens',
      narrow: 'wide-only',
      numeric: true,
      cell: (run) => (run.usage.inputTokens + run.usage.outputTokens).toLocaleString(),
    },
  ]
  return <DataTable label="Runs" rows={runs} columns={columns} rowHref={(run) => `/runs/${run.id}`} />
}

/** Strips Markdown marks; an underscore inside a word belongs to a name. */
function firstLine(text: string | undefined): string | undefined {
  const line = text?.split('\n').find((candidate) => candidate.trim() !== '')
  return line?.replaceAll(/[*`#>]|(?<!\w)_+|_+(?!\w)/g, '').trim()
}
