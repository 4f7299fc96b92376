import { Grid, Stack, Text } from '@mantine/core'
import type { Refusal } from '../../contract.ts'
import { useList } from '../../hooks/use-api.ts'
import { useFilter } from '../../hooks/use-filter.ts'
import { Empty } from '../../ui/feedback/empty.tsx'
import { StatusBadge } from '../../ui/feedback/status-badge.tsx'
import { type Column, DataTable } from '../../ui/table/data-table.tsx'
import { ListView } from '../../ui/table/list-view.tsx'
import { formatNumber } from '../../ui/text/format-number.ts'
import { RelativeTime } from '../../ui/text/relative-time.tsx'
import { RefusedDelivery } from './refused-delivery.tsx'

type Folded = Refusal & { alike: Refusal[] }

/** Who sends again after a refusal is refused for the same reason: one row, the latest of them. */
function fold(refusals: Refusal[]): Folded[] {
  const groups = Map.groupBy(refusals, ({ status, reason }) => `${status} ${reason}`)
  return [...groups.values()].flatMap((alike) => alike.slice(0, 1).map((latest) => ({ ...latest, alike })))
}

/** Answers "Why does my webhook not fire?" `total` counts also those of which nothing is kept. */
export function Refusals({ webhookId, total }: { webhookId: string; total: number }) {
  // All that are kept.
  const refusals = useList<Refusal>(`/webhooks/${webhookId}/refusals`, { limit: '100' }, { live: true })
  const [chosen, choose] = useFilter('refusal')
  return (
    <ListView
      query={refusals}
      empty={
        <Empty
          purpose="No refused deliveries"
          example="If one is refused, the reason and how to fix it are shown here."
        />
      }
    >
      {(items) => {
        const rows = fold(items)
        const shown = rows.find(({ alike }) => alike.some(({ id }) => id === chosen))
        return (
          <Stack>
            <Text c="dimmed">
              Recently refused deliveries, with the reason and how to fix it.
              {total > items.length &&
                ` Details of ${items.length} of ${formatNumber(total)} are kept: at most 5 per second, and the latest 100 in all.`}
            </Text>
            <Grid gap="lg">
              {shown && (
                <Grid.Col span={{ base: 12, lg: 5 }} order={{ base: 1, lg: 2 }}>
                  <RefusedDelivery
                    webhookId={webhookId}
                    alike={shown.alike}
                    at={shown.alike.findIndex(({ id }) => id === chosen)}
                    choose={choose}
                  />
                </Grid.Col>
              )}
              <Grid.Col span={{ base: 12, lg: shown ? 7 : 12 }} order={{ base: 2, lg: 1 }}>
                <DataTable
                  label="Refused deliveries"
                  rows={rows}
                  columns={columns}
                  rowHref={({ id }) => `/webhooks/${webhookId}?tab=refused&refusal=${id}`}
                />
              </Grid.Col>
            </Grid>
          </Stack>
        )
      }}
    </ListView>
  )
}

const columns: Column<Folded>[] = [
  {
    name: 'Reason',
    grow: true,
    whole: true,
    cell: (refusal) => refusal.reason,
  },
  {
    name: 'Times',
    numeric: true,
    sort: ({ alike }) => alike.length,
    cell: ({ alike }) => formatNumber(alike.length),
  },
  {
    name: 'Status',
    sort: ({ status }) => status,
    cell: (refusal) => <StatusBadge tone="bad" word={String(refusal.status)} />,
  },
  {
    name: 'Last',
    narrow: 'below',
    sort: ({ at }) => at,
    cell: (refusal) => <RelativeTime at={refusal.at} />,
  },
  {
    name: 'From',
    narrow: 'wide-only',
    sort: ({ source }) => source,
    cell: ({ alike }) => [...new Set(alike.map(({ source }) => source))].join(', '),
  },
]
