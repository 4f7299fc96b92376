import { Code, Group, Text } from '@mantine/core'
import type { LedgerEvent } from '../../contract.ts'
import { type Column, DataTable } from '../../ui/table/data-table.tsx'
import { formatBytes } from '../../ui/text/format-bytes.ts'
import { perLocale } from '../../ui/text/locale.ts'
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
    { name: 'Event', grow: true, cell: (event) => <What event={event} /> },
    { name: 'State', cell: (event) => <State event={event} /> },
    { name: 'Received', narrow: 'below', cell: (event) => <RelativeTime at={event.receivedAt} /> },
    ...(ofOne
      ? []
      : [
          {
            name: 'From',
            grow: 'little' as const,
            narrow: 'below' as const,
            cell: (event: LedgerEvent) =>
              event.webhookName ?? event.scheduleName ?? `Deleted ${event.source.kind}`,
          },
        ]),
    {
      name: 'Delivery ID',
      narrow: 'wide-only',
      cell: (event) => (event.deliveryId ? <Code fz={12}>{event.deliveryId}</Code> : '–'),
    },
    {
      name: 'Size',
      numeric: true,
      narrow: 'hide',
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
function State({ event: { status, waitsForApproval, rule } }: { event: LedgerEvent }) {
  const isByRule = rule !== null && (status === 'skipped' || status === 'notified')
  return (
    <Group gap={6} wrap="nowrap">
      <EventStatusBadge status={status} waitsForApproval={waitsForApproval} />
      {isByRule && (
        <Text size="xs" c="dimmed" title={rule.when}>
          Rule {rule.index + 1}
        </Text>
      )}
    </Group>
  )
}

/** A short description, or at least a time or an id. */
function What({ event: { id, summary, source, deliveryId } }: { event: LedgerEvent }) {
  if (summary !== null) return <bdi>{summary}</bdi>
  return source.kind === 'schedule' ? (
    <span>Due {dueTimes().format(new Date(source.dueAt))}</span>
  ) : (
    <Code fz={12}>{deliveryId ?? id}</Code>
  )
}

/** As on the page of the schedule. */
const dueTimes = perLocale(
  (tag) => new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' }),
)
