import { Text } from '@mantine/core'
import type { RunRow } from '../../contract.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { formatNumber } from '../../ui/format-number.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { formatCost } from '../status/format-dollars.ts'
import { formatDuration } from './format-duration.ts'
import { outcomeOf, triggerLabels } from './run-headline.ts'
import { RunStatusBadge } from './run-status.tsx'
import { TimeStrip } from './time-strip.tsx'

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
        {outcomeOf(run)}
      </Text>
    ),
  },
  { name: 'Channel', narrow: 'wide-only', cell: (run) => run.channelName ?? '–' },
  { name: 'When', cell: (run) => <RelativeTime at={run.createdAt} /> },
  { name: 'Time', narrow: 'wide-only', cell: (run) => <TimeStrip run={run} thin /> },
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
    cell: (run) => formatNumber(tokensOf(run)),
  },
  {
    name: 'Cost',
    narrow: 'wide-only',
    numeric: true,
    cell: (run) => (tokensOf(run) === 0 ? '–' : formatCost(run.cost, tokensOf(run))),
  },
]

export function RunsTable({ runs }: { runs: RunRow[] }) {
  return <DataTable label="Runs" rows={runs} columns={columns} rowHref={(run) => `/runs/${run.id}`} />
}

const tokensOf = ({ usage }: RunRow) => usage.inputTokens + usage.outputTokens
