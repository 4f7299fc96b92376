import type { RunRow } from '../../contract.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { triggerWords } from '../runs/run-headline.ts'
import { useWebhookNames } from '../webhooks/use-webhooks.ts'
import { median, secondsOf } from './summarise-runs.ts'

type Row = { key: string; name: string; runs: RunRow[] }

/** Where the work comes from. */
export function ByWebhook({ runs }: { runs: RunRow[] }) {
  const webhookName = useWebhookNames()
  const groups = Map.groupBy(runs, (run) => run.webhookId ?? run.trigger)
  const rows = [...groups]
    .map(([key, own]): Row => {
      const { webhookId = null, trigger = 'chat' } = own[0] ?? {}
      return {
        key,
        name: webhookName(webhookId) ?? triggerWords[trigger],
        runs: own,
      }
    })
    .toSorted((a, b) => b.runs.length - a.runs.length)
    .slice(0, 8)
  return <DataTable label="By webhook" rows={rows} columns={columns} rowKey={({ key }) => key} />
}

const columns: Column<Row>[] = [
  { name: 'From', grow: true, cell: (row) => row.name },
  { name: 'Runs', numeric: true, cell: ({ runs }) => runs.length },
  {
    name: 'Failed',
    numeric: true,
    cell: ({ runs }) => runs.filter(({ status }) => status === 'failed').length,
  },
  {
    name: 'Median time',
    numeric: true,
    cell: ({ runs }) => {
      const seconds = median(runs.flatMap((run) => secondsOf(run) ?? []))
      return seconds === null ? '–' : `${seconds.toFixed(1)} s`
    },
  },
  {
    name: 'Tokens',
    numeric: true,
    narrow: 'hide',
    cell: ({ runs }) =>
      runs.reduce((sum, { usage }) => sum + usage.inputTokens + usage.outputTokens, 0).toLocaleString(),
  },
]
