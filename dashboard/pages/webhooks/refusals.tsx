import { Anchor, CloseButton, Grid, Group, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
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
  const [chosen, choose] = useFilter('refusal')
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
        {(items) => {
          const shown = items.find(({ id }) => id === chosen)
          return (
            <Grid gap="lg">
              {shown && (
                <Grid.Col span={{ base: 12, lg: 5 }} order={{ base: 1, lg: 2 }}>
                  <RefusedDelivery refusal={shown} onClose={() => choose(null)} />
                </Grid.Col>
              )}
              <Grid.Col span={{ base: 12, lg: shown ? 7 : 12 }} order={{ base: 2, lg: 1 }}>
                <DataTable
                  label="Refused deliveries"
                  rows={items}
                  columns={columns}
                  rowHref={({ id }) => `/webhooks/${webhookId}?tab=refused&refusal=${id}`}
                />
              </Grid.Col>
            </Grid>
          )
        }}
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
  {
    name: 'Status',
    sort: ({ status }) => status,
    cell: (refusal) => <StatusBadge tone="bad" word={String(refusal.status)} />,
  },
  {
    name: 'When',
    narrow: 'below',
    sort: ({ at }) => at,
    cell: (refusal) => <RelativeTime at={refusal.at} />,
  },
  { name: 'From', narrow: 'wide-only', sort: ({ source }) => source, cell: (refusal) => refusal.source },
]

/** As far as it is kept: the body is not, and of credentials only the names. */
function RefusedDelivery({ refusal, onClose }: { refusal: Refusal; onClose: () => void }) {
  const { status, reason, source, at, contentType, sizeBytes, headers } = refusal
  return (
    <Card label="Refused delivery">
      <Stack gap={12}>
        <Group gap={8} wrap="nowrap" align="flex-start" justify="space-between">
          <Text fw={500}>{reason}</Text>
          <CloseButton aria-label="Close" onClick={onClose} />
        </Group>
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
          The body of a refused delivery is not kept. Credentials and signatures are shown by name only. After
          a change under{' '}
          <Anchor component={Link} to="." search={{ tab: 'settings' } as never} size="xs">
            Settings
          </Anchor>
          , let the sender deliver again.
        </Text>
      </Stack>
    </Card>
  )
}
