import { withQuery } from '../../api.ts'
import type { Stats } from '../../contract.ts'
import { DataTable } from '../../ui/table/data-table.tsx'
import { formatNumber } from '../../ui/text/format-number.ts'
import { countOf } from './charts.tsx'
import { Cost } from './cost.tsx'
import { formatSeconds } from './format-seconds.ts'
import { labelOf, rangeOf, slotsOf } from './slots.ts'

/** The same figures as the charts, as numbers, newest first. */
export function StatsTable({ stats }: { stats: Stats }) {
  const label = labelOf(stats)
  return (
    <DataTable
      label="Activity"
      rows={slotsOf(stats)
        .toReversed()
        .map((slot) => ({ ...slot, id: slot.at }))}
      rowHref={(slot) => withQuery('/runs', rangeOf(slot, slot, stats.slotHours))}
      columns={[
        { name: stats.slotHours > 1 ? 'Day' : 'Hour', cell: label },
        { name: 'Events', numeric: true, cell: ({ events }) => formatNumber(events) },
        { name: 'Runs', numeric: true, cell: ({ runs }) => formatNumber(countOf(runs)) },
        { name: 'Failed', numeric: true, cell: ({ runs }) => formatNumber(runs.failed) },
        {
          name: 'Median time',
          numeric: true,
          narrow: 'hide',
          cell: ({ seconds }) => formatSeconds(seconds.median),
        },
        { name: 'p95', numeric: true, narrow: 'hide', cell: ({ seconds }) => formatSeconds(seconds.p95) },
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
      ]}
    />
  )
}
