import { Code } from '@mantine/core'
import type { LedgerEvent } from '../../contract.ts'
import { bytes } from '../../ui/bytes.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { useWebhookNames } from '../webhooks/use-webhooks.ts'
import { EventStatusBadge } from './event-status.tsx'

type Props = {
  events: LedgerEvent[]
  /** All of one webhook, whose name then says nothing. */
  ofOne?: boolean
}

export function EventsTable({ events, ofOne = false }: Props) {
  const webhookName = useWebhookNames(events.map((event) => event.webhookId))
  const columns: Column<LedgerEvent>[] = [
    ofOne
      ? { name: 'Event', grow: true, cell: (event) => <Code fz={12}>{event.id}</Code> }
      : { name: 'Webhook', grow: true, cell: (event) => webhookName(event.webhookId) ?? 'A deleted webhook' },
    { name: 'State', cell: (event) => <EventStatusBadge status={event.status} /> },
    { name: 'Received', cell: (event) => <RelativeTime at={event.receivedAt} /> },
    {
      name: 'Delivery id',
      narrow: 'hide',
      cell: (event) => (event.deliveryId ? <Code fz={12}>{event.deliveryId}</Code> : '–'),
    },
    { name: 'Size', numeric: true, narrow: 'hide', cell: (event) => bytes(event.sizeBytes) },
  ]
  return (
    <DataTable
      label="Events"
      rows={events}
      columns={columns}
      rowKey={(event) => event.id}
      rowHref={(event) => `/events/${event.id}`}
    />
  )
}
