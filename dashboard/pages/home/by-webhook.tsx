import { Text } from '@mantine/core'
import type { Stats } from '../../contract.ts'
import { type Column, DataTable } from '../../ui/table/data-table.tsx'
import { formatNumber } from '../../ui/text/format-number.ts'
import { useHasRole } from '../accounts/use-me.ts'
import { Cost } from '../status/cost.tsx'
import { countWithoutRun } from '../status/event-series.ts'
import { formatSeconds } from '../status/format-seconds.ts'
import { sourceLabel } from '../status/source-label.ts'

type Row = Stats['byWebhook'][number] & { id: string }

const shown = 8

/** Where the work comes from, and what it cost. */
export function ByWebhook({ stats }: { stats: Stats }) {
  const operator = useHasRole('operator')
  // What fails comes first; then what is busiest.
  const rows = stats.byWebhook
    .toSorted((a, b) => b.runs.failed - a.runs.failed)
    .slice(0, shown)
    .map((row) => ({ ...row, id: row.webhookId ?? row.scheduleId ?? row.watchedChannelId ?? 'none' }))
  if (rows.length === 0) return <Text c="dimmed">No activity in this period</Text>
  return (
    <DataTable
      label="By webhook"
      rows={rows}
      columns={[{ name: 'Source', grow: true, cell: (row) => sourceLabel(row, operator) }, ...columns]}
      rowHref={({ webhookId, webhookName, scheduleId, scheduleName, watchedChannelId }) => {
        if (operator && watchedChannelId !== null) return `/channels/${watchedChannelId}`
        if (operator && scheduleName !== null) return `/schedules/${scheduleId}`
        return operator && webhookName !== null ? `/webhooks/${webhookId}` : undefined
      }}
    />
  )
}

const columns: Column<Row>[] = [
  { name: 'Events', numeric: true, cell: ({ events }) => formatNumber(events) },
  {
    name: 'Runs',
    numeric: true,
    narrow: 'hide',
    cell: ({ runs }) => formatNumber(runs.succeeded + runs.failed + runs.cancelled + runs.active),
  },
  {
    name: 'Failed',
    numeric: true,
    cell: ({ runs }) => (
      <Text span size="sm" {...(runs.failed > 0 ? { c: 'var(--bad)', fw: 600 } : {})}>
        {formatNumber(runs.failed)}
      </Text>
    ),
  },
  {
    name: 'Without a run',
    numeric: true,
    narrow: 'wide-only',
    optional: true,
    cell: (row) => formatNumber(countWithoutRun(row)),
  },
  { name: 'Median time', numeric: true, narrow: 'hide', cell: (row) => formatSeconds(row.seconds.median) },
  { name: 'p95', numeric: true, narrow: 'wide-only', cell: (row) => formatSeconds(row.seconds.p95) },
  {
    name: 'Tokens',
    numeric: true,
    narrow: 'hide',
    cell: ({ tokens }) => formatNumber(tokens.input + tokens.output),
  },
  {
    name: 'Cost',
    numeric: true,
    narrow: 'hide',
    cell: ({ cost, tokens }) => <Cost cost={cost} tokens={tokens.input + tokens.output} />,
  },
]
