import { Text } from '@mantine/core'
import type { Column } from '../../../ui/table/data-table.tsx'
import { formatNumber } from '../../../ui/text/format-number.ts'
import { formatSeconds } from '../../status/format-seconds.ts'
import { CallBars } from './call-bars.tsx'
import type { Health } from './use-tool-health.ts'

type Row = { id: string }

/** Calls, errors and times of the last 48 hours. Without any call there is nothing to compare. */
export function healthColumns(healthOf: ReadonlyMap<string, Health>): Column<Row>[] {
  if (healthOf.size === 0) return []
  const of = ({ id }: Row) => healthOf.get(id)
  return [
    {
      name: 'Calls',
      numeric: true,
      narrow: 'hide',
      sort: (row) => of(row)?.calls ?? 0,
      cell: (row) => (of(row) ? formatNumber(of(row)?.calls ?? 0) : '–'),
    },
    {
      name: 'Errors',
      numeric: true,
      narrow: 'hide',
      sort: (row) => shareOfErrors(of(row)),
      cell: (row) => <Errors health={of(row)} />,
    },
    {
      name: 'p95',
      numeric: true,
      narrow: 'wide-only',
      sort: (row) => of(row)?.seconds.p95,
      cell: (row) => (
        <span title={`Median ${formatSeconds(of(row)?.seconds.p50 ?? null)}`}>
          {formatSeconds(of(row)?.seconds.p95 ?? null)}
        </span>
      ),
    },
    {
      name: '48 hours',
      narrow: 'wide-only',
      cell: (row) => {
        const health = of(row)
        return health ? <CallBars health={health} width={72} /> : '–'
      },
    },
  ]
}

/** From 0 to 1; null if the tool was not called. */
export function shareOfErrors(health: Health | undefined): number | null {
  return health && health.calls > 0 ? health.errors / health.calls : null
}

function Errors({ health }: { health: Health | undefined }) {
  const share = shareOfErrors(health)
  if (!health || share === null) return '–'
  if (health.errors === 0) return '0'
  return (
    <Text span size="sm" fw={500} c={share > 0.2 ? 'var(--bad)' : 'var(--waiting)'}>
      {formatNumber(health.errors)} ({Math.max(1, Math.round(share * 100))}%)
    </Text>
  )
}
