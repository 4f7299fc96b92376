import { Stack, Text } from '@mantine/core'
import type { Refusal } from '../../contract.ts'
import { useList } from '../../hooks/use-api.ts'
import { useFilter } from '../../hooks/use-filter.ts'
import { RawView } from '../../ui/code/raw-view.tsx'
import { Empty } from '../../ui/feedback/empty.tsx'
import { StatusBadge } from '../../ui/feedback/status-badge.tsx'
import { Card } from '../../ui/layout/card.tsx'
import { Facts } from '../../ui/layout/facts.tsx'
import { type Column, DataTable } from '../../ui/table/data-table.tsx'
import { ListView } from '../../ui/table/list-view.tsx'
import { formatBytes } from '../../ui/text/format-bytes.ts'
import { RelativeTime } from '../../ui/text/relative-time.tsx'

/** Answers "Why does my webhook not fire?" */
export function Refusals({ webhookId }: { webhookId: string }) {
  const refusals = useList<Refusal>(`/webhooks/${webhookId}/refusals`, {}, { live: true })
  const [chosen] = useFilter('refusal')
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
        {(items) => (
          <Stack>
            <DataTable
              label="Refused deliveries"
              rows={items}
              columns={columns}
              rowHref={({ id }) => `/webhooks/${webhookId}?tab=refused&refusal=${id}`}
            />
            {items
              .filter(({ id }) => id === chosen)
              .map((refusal) => (
                <RefusedDelivery key={refusal.id} refusal={refusal} />
              ))}
          </Stack>
        )}
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

/** As far as it is kept: the body is not, and of credentials only the names. */
function RefusedDelivery({ refusal }: { refusal: Refusal }) {
  const { status, reason, source, at, contentType, sizeBytes, headers } = refusal
  return (
    <Card label="Refused delivery">
      <Stack gap={12}>
        <Text fw={600}>{reason}</Text>
        <Facts
          of={{
            Answered: `${status} ${refusal.problem}`,
            When: <RelativeTime at={at} />,
            From: source,
            'Content type': contentType ?? 'None',
            Size: sizeBytes === null ? 'Not read' : formatBytes(sizeBytes),
          }}
        />
        <RawView
          what="Headers"
          text={Object.entries(headers)
            .map(([name, value]) => `${name}: ${value}`)
            .join('\n')}
        />
        <Text size="xs" c="dimmed">
          The body of a refused delivery is not kept. Credentials and signatures are shown by name only.
        </Text>
      </Stack>
    </Card>
  )
}
