import { Button, Stack } from '@mantine/core'
import { IconWebhook } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { Webhook } from '../../contract.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyList } from '../../ui/empty-list.tsx'
import { isEmpty, ListView } from '../../ui/list-view.tsx'
import { Page } from '../../ui/page.tsx'
import { plural } from '../../ui/plural.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { Sparkline } from '../../ui/sparkline.tsx'
import { useFilter } from '../../use-filter.ts'
import { useHasRole } from '../accounts/use-me.ts'
import { useStats } from '../status/use-stats.ts'
import { useWebhooks } from './use-webhooks.ts'
import { WebhookState } from './webhook-state.tsx'

export default function Webhooks() {
  const operator = useHasRole('operator')
  const [q, setQ] = useFilter('q')
  const webhooks = useWebhooks(q)
  const stats = useStats(24)
  const recent = new Map(stats.data?.byWebhook.map((figures) => [figures.webhookId, figures]))
  const create = (
    <Button component={Link} to="/webhooks/new" size="xs">
      New webhook
    </Button>
  )
  const columns: Column<Webhook>[] = [
    { name: 'Name', grow: true, cell: (webhook) => webhook.name },
    { name: 'State', cell: (webhook) => <WebhookState webhook={webhook} /> },
    { name: 'Last event', cell: (webhook) => <RelativeTime at={webhook.lastEventAt} /> },
    { name: 'Channel', narrow: 'hide', cell: (webhook) => webhook.channelName ?? '–' },
    {
      name: 'Last 24 hours',
      narrow: 'hide',
      cell: ({ id, lastEventAt }) => {
        const { events, eventsPerHour } = recent.get(id) ?? { events: 0, eventsPerHour: [] }
        // The figures cover only the busiest webhooks.
        const some = stats.data && lastEventAt && lastEventAt >= stats.data.from
        return events === 0 ? (
          some ? (
            'A few'
          ) : (
            '–'
          )
        ) : (
          <Sparkline values={eventsPerHour} label={`${plural(events, 'event')} in the last 24 hours`} />
        )
      },
    },
    {
      name: 'Success rate',
      narrow: 'hide',
      numeric: true,
      cell: ({ id }) => {
        const { succeeded, failed } = recent.get(id)?.runs ?? { succeeded: 0, failed: 0 }
        const ended = succeeded + failed
        return ended === 0 ? '–' : `${Math.floor((100 * succeeded) / ended)}%`
      },
    },
  ]
  return (
    <Page title="Webhooks" wide action={operator ? create : null}>
      <Stack>
        {(q !== undefined || !isEmpty(webhooks)) && (
          <SearchField label="Search webhooks" value={q} onChange={setQ} />
        )}
        <ListView
          query={webhooks}
          empty={
            <EmptyList
              what="webhooks"
              to="/webhooks"
              filtered={q !== undefined}
              searched="Search covers names and prompts."
              icon={<IconWebhook size="1.75rem" stroke={1.5} aria-hidden />}
              purpose="A webhook is a secret URL. The agent reads every event posted to it, follows your prompt and replies in a channel."
              example="“Summarize each new order for #orders, and look up the customer when the total is over 500.”"
              action={create}
            />
          }
        >
          {(items) => (
            <DataTable
              label="Webhooks"
              rows={items}
              columns={columns}
              rowHref={(webhook) => `/webhooks/${webhook.id}`}
            />
          )}
        </ListView>
      </Stack>
    </Page>
  )
}
