import { Button, Group, Stack, Text } from '@mantine/core'
import { IconWebhook } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { fineSuccess } from '../../../src/shared/fine-success.ts'
import { call } from '../../api.ts'
import type { ListedWebhook } from '../../contract.ts'
import { useBulk } from '../../hooks/use-bulk.ts'
import { useFilter } from '../../hooks/use-filter.ts'
import { EmptyList } from '../../ui/feedback/empty-list.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { BrandAvatar } from '../../ui/logos/brand-avatar.tsx'
import { BulkButton } from '../../ui/table/bulk-button.tsx'
import { type Column, DataTable } from '../../ui/table/data-table.tsx'
import { isEmpty, ListView } from '../../ui/table/list-view.tsx'
import { SearchField } from '../../ui/table/search-field.tsx'
import { useSort } from '../../ui/table/use-sorted.ts'
import { plural } from '../../ui/text/plural.ts'
import { RelativeTime } from '../../ui/text/relative-time.tsx'
import { SavedViews } from '../accounts/saved-views.tsx'
import { useHasRole } from '../accounts/use-me.ts'
import { OutcomeBars } from '../status/outcome-bars.tsx'
import { useStats } from '../status/use-stats.ts'
import { brandOfWebhook } from './sources/brand-of-webhook.ts'
import { useWebhooks } from './use-webhooks.ts'
import { WebhookState } from './webhook-state.tsx'

export default function Webhooks() {
  const operator = useHasRole('operator')
  const [q, setQ] = useFilter('q')
  const webhooks = useWebhooks({ q, sort: useSort() })
  const stats = useStats(24)
  const recent = new Map(stats.data?.byWebhook.map((figures) => [figures.webhookId, figures]))
  const create = (
    <Button component={Link} to="/webhooks/new" size="xs">
      New webhook
    </Button>
  )
  const columns: Column<ListedWebhook>[] = [
    {
      name: 'Name',
      grow: true,
      sort: 'name',
      cell: (webhook) => (
        <>
          <BrandAvatar brand={brandOfWebhook(webhook)} name={webhook.name} />
          {webhook.name}
        </>
      ),
    },
    { name: 'State', sort: 'state', cell: (webhook) => <WebhookState webhook={webhook} /> },
    {
      name: 'Last event',
      sort: '-lastEvent',
      cell: (webhook) => <RelativeTime at={webhook.lastEventAt} />,
    },
    {
      name: 'Channel',
      narrow: 'wide-only',
      sort: 'channel',
      cell: (webhook) => webhook.channelName ?? '–',
    },
    {
      name: 'Last 24 hours',
      narrow: 'hide',
      sort: '-events',
      cell: ({ id, last24Hours: { events } }) => {
        const figures = recent.get(id)
        if (figures) return <OutcomeBars row={figures} />
        // There are bars for the busiest webhooks only.
        return events === 0 ? '–' : plural(events, 'event')
      },
    },
    {
      name: 'Success rate',
      narrow: 'hide',
      numeric: true,
      sort: 'success',
      cell: (webhook) => <SuccessRate percent={successOf(webhook)} />,
    },
  ]
  return (
    <Page title="Webhooks" wide action={operator ? create : null}>
      <Stack>
        {(q !== undefined || !isEmpty(webhooks)) && (
          <Group gap={8}>
            <SearchField label="Search webhooks" value={q} onChange={setQ} />
            <SavedViews list="Webhooks" />
          </Group>
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
              rowName={({ name }) => name}
              bulk={operator ? (rows, clear) => <BulkActions webhooks={rows} onDone={clear} /> : undefined}
            />
          )}
        </ListView>
      </Stack>
    </Page>
  )
}

function successOf({ last24Hours: { succeeded, failed } }: ListedWebhook): number | null {
  return succeeded + failed === 0 ? null : Math.floor((100 * succeeded) / (succeeded + failed))
}

function SuccessRate({ percent }: { percent: number | null }) {
  if (percent === null) return '–'
  const colour = percent < 80 ? 'var(--bad)' : percent < fineSuccess ? 'var(--waiting)' : undefined
  return (
    <Text span size="sm" {...(colour ? { c: colour, fw: 600 } : {})}>
      {percent}%
    </Text>
  )
}

function BulkActions({ webhooks, onDone }: { webhooks: ListedWebhook[]; onDone: () => void }) {
  const active = webhooks.filter((webhook) => webhook.active)
  const inactive = webhooks.filter((webhook) => !webhook.active)
  const options = { what: 'webhook', changes: ['/webhooks'] }
  const set =
    (to: boolean) =>
    ({ id }: ListedWebhook) =>
      call('PATCH', `/webhooks/${id}`, { active: to })
  const pause = useBulk(set(false), { done: 'Deactivated', ...options })
  const resume = useBulk(set(true), { done: 'Activated', ...options })
  return (
    <>
      <BulkButton
        verb="Deactivate"
        rows={active}
        action={pause}
        onDone={onDone}
        ask={{
          question: `Deactivate ${plural(active.length, 'webhook')}?`,
          text: 'Senders are refused until the webhooks are active again. Nothing is deleted.',
        }}
      />
      <BulkButton verb="Activate" rows={inactive} action={resume} onDone={onDone} />
    </>
  )
}
