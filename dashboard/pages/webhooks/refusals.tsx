import { Anchor, Button, CloseButton, Grid, Group, Stack, Text } from '@mantine/core'
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
import { formatNumber } from '../../ui/text/format-number.ts'
import { RelativeTime } from '../../ui/text/relative-time.tsx'

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
                ` Details of ${items.length} of ${formatNumber(total)} are kept: the latest, and a few of each second.`}
            </Text>
            <Grid gap="lg">
              {shown && (
                <Grid.Col span={{ base: 12, lg: 5 }} order={{ base: 1, lg: 2 }}>
                  <RefusedDelivery
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

/** As far as it is kept: the body is not, and of credentials only the names. */
function RefusedDelivery({
  alike,
  at,
  choose,
}: {
  /** The latest first. */
  alike: Refusal[]
  at: number
  choose: (id: string | null) => void
}) {
  const refusal = alike[at]
  if (!refusal) return null
  const { status, reason, source, contentType, sizeBytes, headers } = refusal
  const other = (label: string, step: 1 | -1) => {
    const to = alike[at + step]
    return (
      <Button size="compact-xs" variant="default" disabled={!to} onClick={() => to && choose(to.id)}>
        {label}
      </Button>
    )
  }
  return (
    <Card label="Refused delivery">
      <Stack gap={12}>
        <Group gap={8} wrap="nowrap" align="flex-start" justify="space-between">
          <Text fw={500}>{reason}</Text>
          <CloseButton aria-label="Close" onClick={() => choose(null)} />
        </Group>
        {alike.length > 1 && (
          <Group gap={8} fz="xs" c="dimmed">
            {other('Newer', -1)}
            {at + 1} of {alike.length}
            {other('Older', 1)}
          </Group>
        )}
        <Facts
          of={{
            Answered: `${status} ${refusal.problem}`,
            When: <RelativeTime at={refusal.at} />,
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
