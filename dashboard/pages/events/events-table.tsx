import { Code, Group, Text } from '@mantine/core'
import type { LedgerEvent } from '../../contract.ts'
import { type Column, DataTable } from '../../ui/table/data-table.tsx'
import { formatBytes } from '../../ui/text/format-bytes.ts'
import { RelativeTime } from '../../ui/text/relative-time.tsx'
import { EventStatusBadge } from './event-status.tsx'
import { ReplaySeveral } from './replay-several.tsx'

type Props = {
  events: LedgerEvent[]
  /** All events are of one webhook, so its name is left out. */
  ofOne?: boolean
}

export function EventsTable({ events, ofOne = false }: Props) {
  const columns: Column<LedgerEvent>[] = [
    { name: 'Event', grow: true, sort: nameOf, cell: (event) => <What event={event} /> },
    ...(ofOne
      ? []
      : [
          {
            name: 'From',
            grow: true,
            narrow: 'below' as const,
            cell: (event: LedgerEvent) =>
              event.webhookName ?? event.scheduleName ?? `Deleted ${event.source.kind}`,
          },
        ]),
    {
      name: 'State',
      sort: ({ status }) => status,
      cell: (event) => <State event={event} />,
    },
    {
      name: 'Received',
      sort: ({ receivedAt }) => receivedAt,
      cell: (event) => <RelativeTime at={event.receivedAt} />,
    },
    {
      name: 'Delivery ID',
      narrow: 'wide-only',
      cell: (event) => (event.deliveryId ? <Code fz={12}>{event.deliveryId}</Code> : '–'),
    },
    {
      name: 'Size',
      numeric: true,
      narrow: 'hide',
      sort: ({ sizeBytes }) => sizeBytes,
      cell: (event) => formatBytes(event.sizeBytes),
    },
  ]
  return (
    <DataTable
      label="Events"
      rows={events}
      columns={columns}
      rowHref={(event) => `/events/${event.id}`}
      rowName={nameOf}
      bulk={(rows, clear) => (
        <ReplaySeveral
          eventIds={rows.filter(({ erased }) => !erased).map(({ id }) => id)}
          onReplayed={clear}
        />
      )}
    />
  )
}

const nameOf = ({ id, summary, deliveryId }: LedgerEvent) => summary ?? deliveryId ?? id

/** And the rule that decided, where that is the reason for the state. */
function State({ event: { status, rule } }: { event: LedgerEvent }) {
  const isByRule = rule !== null && (status === 'skipped' || status === 'notified')
  return (
    <Group gap={6} wrap="nowrap">
      <EventStatusBadge status={status} />
      {isByRule && (
        <Text size="xs" c="dimmed" title={rule.when}>
          Rule {rule.index + 1}
        </Text>
      )}
    </Group>
  )
}

/** A short description, or at least an id. */
function What({ event: { id, summary, deliveryId } }: { event: LedgerEvent }) {
  return summary === null ? <Code fz={12}>{deliveryId ?? id}</Code> : <bdi>{summary}</bdi>
}
