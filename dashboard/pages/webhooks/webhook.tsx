import { Alert, Button, Stack, Tabs, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Webhook } from '../../contract.ts'
import { useParam, useUrlChoice } from '../../hooks/use-filter.ts'
import { Empty } from '../../ui/feedback/empty.tsx'
import { notify } from '../../ui/feedback/notify.ts'
import { QueryView } from '../../ui/feedback/query-view.tsx'
import { BackTo } from '../../ui/layout/back-to.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { BrandAvatar } from '../../ui/logos/brand-avatar.tsx'
import { ListView } from '../../ui/table/list-view.tsx'
import { formatNumber } from '../../ui/text/format-number.ts'
import { EventsTable } from '../events/events-table.tsx'
import { useEvents } from '../events/use-events.ts'
import { Cases } from '../rehearsals/cases/cases.tsx'
import { DrillCard } from '../rehearsals/drill-card.tsx'
import { Nightly } from '../rehearsals/nightly.tsx'
import { History } from '../revisions/history.tsx'
import { ReachView } from '../tools/reach-view.tsx'
import { Endpoint, HowToSend } from './endpoint.tsx'
import { WebhookActivity } from './flow/webhook-activity.tsx'
import { WebhookForm } from './form/webhook-form.tsx'
import { PausedWebhook } from './paused-webhook.tsx'
import { Refusals } from './refusals.tsx'
import { brandOfWebhook } from './sources/brand-of-webhook.ts'
import { TestEvent } from './test-event.tsx'
import { useWebhook } from './use-webhooks.ts'
import { WebhookActions } from './webhook-actions.tsx'

export default function WebhookPage() {
  const webhook = useWebhook(useParam('webhookId'))
  const [tab, setTab] = useUrlChoice('tab', [
    'overview',
    'settings',
    'history',
    'reach',
    'cases',
    'events',
    'refused',
  ])
  return (
    <Page
      title={webhook.data?.name ?? 'Webhook'}
      picture={webhook.data && <BrandAvatar brand={brandOfWebhook(webhook.data)} name={webhook.data.name} />}
      back={<BackTo to="/webhooks" what="webhooks" />}
      action={webhook.data ? <WebhookActions webhook={webhook.data} /> : null}
    >
      <QueryView query={webhook}>
        {(value) => (
          <Tabs value={tab} onChange={setTab} keepMounted={false}>
            <Tabs.List mb="lg" aria-label="Webhook sections">
              <Tabs.Tab value="overview">Overview</Tabs.Tab>
              <Tabs.Tab value="events">Events</Tabs.Tab>
              <Tabs.Tab
                value="refused"
                rightSection={
                  value.refused > 0 && (
                    <Text size="xs" c="dimmed">
                      {formatNumber(value.refused)}
                    </Text>
                  )
                }
              >
                Refused
              </Tabs.Tab>
              <Tabs.Tab value="settings">Settings</Tabs.Tab>
              <Tabs.Tab value="reach">Reach</Tabs.Tab>
              <Tabs.Tab value="cases">Cases</Tabs.Tab>
              <Tabs.Tab value="history">History</Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value="overview">
              <Stack gap="lg">
                {value.paused && <PausedWebhook webhook={value} />}
                {value.concurrencyReached && (
                  <Alert color="yellow" variant="outline">
                    Events are waiting: this webhook handles{' '}
                    {value.concurrency === 1 ? 'one at a time' : `at most ${value.concurrency} at a time`}.
                    You can raise “Concurrent runs” under Settings.
                  </Alert>
                )}
                <Endpoint webhook={value} />
                <WebhookActivity webhook={value} />
                <HowToSend webhook={value} />
                <TestEvent webhook={value} />
              </Stack>
            </Tabs.Panel>
            <Tabs.Panel value="history">
              <History path={`/webhooks/${value.id}`} mayRestore shownIn={['/webhooks']} />
            </Tabs.Panel>
            <Tabs.Panel value="reach">
              <Stack gap="lg">
                <ReachView
                  path={`/webhooks/${value.id}`}
                  who={value.verification ? 'a verified sender' : 'anyone with the URL'}
                />
                <DrillCard webhookId={value.id} />
              </Stack>
            </Tabs.Panel>
            <Tabs.Panel value="cases">
              <Stack gap="lg">
                <Cases target={{ webhookId: value.id }} />
                <Nightly webhookId={value.id} />
              </Stack>
            </Tabs.Panel>
            <Tabs.Panel value="settings">
              <WebhookForm key={value.id} webhook={value} onSaved={() => notify('Webhook saved')} />
            </Tabs.Panel>
            <Tabs.Panel value="events">
              <WebhookEvents webhook={value} />
            </Tabs.Panel>
            <Tabs.Panel value="refused">
              <Refusals webhookId={value.id} total={value.refused} />
            </Tabs.Panel>
          </Tabs>
        )}
      </QueryView>
    </Page>
  )
}

function WebhookEvents({ webhook }: { webhook: Webhook }) {
  const events = useEvents({ webhookId: webhook.id })
  return (
    <ListView
      query={events}
      empty={
        <Empty
          purpose="No events yet"
          example="The Overview tab has a ready-to-use curl command and a test event."
          action={
            <Button component={Link} to={`/webhooks/${webhook.id}`} variant="default">
              Go to overview
            </Button>
          }
        />
      }
    >
      {(items) => <EventsTable events={items} ofOne />}
    </ListView>
  )
}
