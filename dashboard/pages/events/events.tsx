import { Button, Group, Stack } from '@mantine/core'
import { IconInbox } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useFilter } from '../../hooks/use-filter.ts'
import { EmptyList } from '../../ui/feedback/empty-list.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { FilterChips } from '../../ui/table/filter-chips.tsx'
import { FilterSelect } from '../../ui/table/filter-select.tsx'
import { ListView } from '../../ui/table/list-view.tsx'
import { SearchField } from '../../ui/table/search-field.tsx'
import { SearchProgress } from '../../ui/table/search-progress.tsx'
import { SavedViews } from '../accounts/saved-views.tsx'
import { ActivityFilter } from '../status/activity-filter.tsx'
import { eventSeries } from '../status/event-series.ts'
import { WebhookFilter } from '../webhooks/webhook-filter.tsx'
import { DateRange } from './date-range.tsx'
import { eventStatuses } from './event-status.tsx'
import { EventsTable } from './events-table.tsx'
import { ReplayFailed } from './replay-failed.tsx'
import { useEvents, useEventTypes } from './use-events.ts'

export default function Events() {
  const [status, setStatus] = useFilter('status')
  const [webhookId, setWebhookId] = useFilter('webhookId')
  const [type, setType] = useFilter('type')
  const [text, setText] = useFilter('text')
  const [from] = useFilter('from')
  const [to] = useFilter('to')
  const filters = { status, webhookId, type, text, from, to }
  const types = useEventTypes(webhookId).data?.items ?? []
  const events = useEvents(filters)
  const filtered = Object.values(filters).some((value) => value !== undefined)
  return (
    <Page title="Events" wide>
      <Stack>
        <Group gap={8}>
          <SearchField label="Search event bodies" value={text} onChange={setText} />
          <WebhookFilter value={webhookId} onChange={setWebhookId} />
          <FilterSelect
            label="Type"
            all="All types"
            value={type}
            onChange={setType}
            options={[...new Set([...types, ...(type ? [type] : [])])]}
          />
          <DateRange />
          <SavedViews list="Events" />
        </Group>
        <ActivityFilter title="Events" series={eventSeries} webhookId={webhookId} state={status}>
          <FilterChips label="State" value={status} onChange={setStatus} options={eventStatuses} />
        </ActivityFilter>
        {status === 'failed' && <ReplayFailed webhookId={webhookId} from={from} />}
        {(text ?? type) !== undefined && <SearchProgress query={events} />}
        <ListView
          query={events}
          empty={
            <EmptyList
              what="events"
              to="/events"
              filtered={filtered}
              icon={<IconInbox size="1.75rem" stroke={1.5} aria-hidden />}
              purpose="Every accepted delivery is stored here, byte for byte."
              example="Each webhook page has a curl command to send one."
              action={
                <Button component={Link} to="/webhooks" variant="default" size="xs">
                  Go to webhooks
                </Button>
              }
            />
          }
        >
          {(items) => <EventsTable events={items} />}
        </ListView>
      </Stack>
    </Page>
  )
}
