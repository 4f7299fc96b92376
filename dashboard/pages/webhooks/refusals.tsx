import { Stack, Text } from '@mantine/core'
import type { Refusal } from '../../contract.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { ListView } from '../../ui/list-view.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { useList } from '../../use-api.ts'

/** Answers "Why does my webhook not fire?" */
export function Refusals({ webhookId }: { webhookId: string }) {
  const refusals = useList<Refusal>(`/webhooks/${webhookId}/refusals`, {}, { live: true })
  return (
    <Stack>
      <Text c="dimmed">Recently refused deliveries, with the reason and how to fix it.</Text>
      <ListView
        query={refusals}
        empty={
          <Empty
            purpose="No refused deliveries"
            example="For example, a wrong signature is explained here."
          />
        }
      >
        {(items) => <DataTable label="Refused deliveries" rows={items} columns={columns} />}
      </ListView>
    </Stack>
  )
}

const columns: Column<Refusal>[] = [
  {
    name: 'Reason',
    grow: true,
    whole: true,
    cell: (refusal) => refusal.reason,
  },
  { name: 'Status', cell: (refusal) => <StatusBadge tone="bad" word={String(refusal.status)} /> },
  { name: 'When', narrow: 'below', cell: (refusal) => <RelativeTime at={refusal.at} /> },
  { name: 'From', narrow: 'below', cell: (refusal) => refusal.source },
]
