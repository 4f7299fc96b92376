import { Stack, Text } from '@mantine/core'
import type { Refusal } from '../../contract.ts'
import { useList } from '../../hooks/use-api.ts'
import { Empty } from '../../ui/feedback/empty.tsx'
import { StatusBadge } from '../../ui/feedback/status-badge.tsx'
import { type Column, DataTable } from '../../ui/table/data-table.tsx'
import { ListView } from '../../ui/table/list-view.tsx'
import { RelativeTime } from '../../ui/text/relative-time.tsx'

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
