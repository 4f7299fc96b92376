import { Text } from '@mantine/core'
import type { RunRow } from '../../contract.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { formatNumber } from '../../ui/format-number.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { formatDuration } from './format-duration.ts'
import { triggerLabels } from './run-headline.ts'
import { RunStatusBadge } from './run-status.tsx'

const unfinished: Partial<Record<RunRow['status'], string>> = {
  queued: 'Waiting to start',
  running: 'In progress',
  waiting: 'Waiting for approval',
}

const columns: Column<RunRow>[] = [
  {
    name: 'Source',
    grow: true,
    cell: (run) => run.webhookName ?? run.scheduleName ?? triggerLabels[run.trigger],
  },
  { name: 'State', cell: (run) => <RunStatusBadge status={run.status} /> },
  {
    name: 'Outcome',
    grow: true,
    narrow: 'below',
    cell: (run) => (
      <Text span c="dimmed" size="sm">
        {run.error?.message ?? firstLine(run.reply?.text) ?? unfinished[run.status] ?? '–'}
      </Text>
    ),
  },
  { name: 'Channel', narrow: 'wide-only', cell: (run) => run.channelName ?? '–' },
  { name: 'When', cell: (run) => <RelativeTime at={run.createdAt} /> },
  {
    name: 'Duration',
    narrow: 'hide',
    numeric: true,
    cell: (run) => formatDuration(run.startedAt, run.endedAt),
  },
  {
    name: 'Tokens',
    narrow: 'wide-only',
    numeric: true,
    cell: (run) => formatNumber(run.usage.inputTokens + run.usage.outputTokens),
  },
]

export function RunsTable({ runs }: { runs: RunRow[] }) {
  return <DataTable label="Runs" rows={runs} columns={columns} rowHref={(run) => `/runs/${run.id}`} />
}

/** Strips Markdown marks; an underscore inside a word belongs to a name. */
function firstLine(text: string | undefined): string | undefined {
  const line = text?.split('\n').find((candidate) => candidate.trim() !== '')
  return line?.replaceAll(/[*`#>]|(?<!\w)_+|_+(?!\w)/g, '').trim()
}
