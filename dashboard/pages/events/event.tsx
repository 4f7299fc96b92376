import { Anchor, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { LedgerEvent } from '../../contract.ts'
import { useParam } from '../../hooks/use-filter.ts'
import { headerLines } from '../../ui/code/header-lines.ts'
import { Markdown } from '../../ui/code/markdown.tsx'
import { RawView } from '../../ui/code/raw-view.tsx'
import { QueryView } from '../../ui/feedback/query-view.tsx'
import { BackTo } from '../../ui/layout/back-to.tsx'
import { Collapsible } from '../../ui/layout/collapsible.tsx'
import { Facts } from '../../ui/layout/facts.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { formatBytes } from '../../ui/text/format-bytes.ts'
import { IdToCopy } from '../../ui/text/id-to-copy.tsx'
import { RelativeTime } from '../../ui/text/relative-time.tsx'
import { ScheduleLink } from '../schedules/schedule-link.tsx'
import { WebhookLink } from '../webhooks/webhook-link.tsx'
import { BodyView } from './body-view.tsx'
import { EventActions, hasNoRun, isFailedNotice } from './event-actions.tsx'
import { EventStatusBadge } from './event-status.tsx'
import { ReplayLab } from './replay-lab.tsx'
import { RuleFaults, RuleInWords } from './rule-outcome.tsx'
import { useEvent } from './use-events.ts'

const outcomes: Record<LedgerEvent['status'], string> = {
  accepted: 'Waiting for a run',
  dispatched: 'Processing',
  done: 'Answered',
  failed: 'Run failed',
  dead: 'Gave up after five attempts',
  skipped: 'Skipped',
  missed: 'Missed',
  notified: 'Notice posted by a rule',
  joined: 'Handled together with another event',
  ignored: 'Stored without a run',
}

function outcomeOf(event: LedgerEvent): string {
  return isFailedNotice(event) ? 'Notice could not be posted' : outcomes[event.status]
}

export default function EventPage() {
  const event = useEvent(useParam('eventId'))
  const subject = event.data ? (event.data.webhookName ?? event.data.scheduleName ?? 'Event') : ''
  return (
    <Page
      title={event.data ? `${subject} · ${outcomeOf(event.data)}` : 'Event'}
      back={<BackTo to="/events" what="events" />}
      action={event.data ? <EventActions event={event.data} /> : null}
    >
      <QueryView query={event}>
        {(value) => (
          <Stack>
            <EventFacts event={value} />
            <RuleFaults faults={value.ruleFaults} />
            {value.erased ? (
              <Text c="dimmed">The body, headers and reply were erased. See the audit log for details.</Text>
            ) : (
              <Collapsible title="Body" summary={formatBytes(value.sizeBytes)} open>
                <BodyView eventId={value.id} />
              </Collapsible>
            )}
            {value.reply && !value.erased && (
              <Collapsible title="Reply" open>
                <Markdown text={value.reply.text} />
              </Collapsible>
            )}
            {!value.erased && (
              <>
                <Collapsible title="Headers" summary="Credentials are hidden">
                  <RawView what="Headers" text={headerLines(value.headers)} />
                </Collapsible>
                <ReplayLab event={value} />
              </>
            )}
          </Stack>
        )}
      </QueryView>
    </Page>
  )
}

const verificationLabels: Record<LedgerEvent['verification'], string> = {
  off: 'Off: anyone with the URL can send events',
  verified: 'Signature verified',
  test: 'Test event sent from Bellhop',
}

function EventFacts({ event }: { event: LedgerEvent }) {
  return (
    <Facts
      strip
      of={{
        Summary: event.summary && <bdi>{event.summary}</bdi>,
        State: <EventStatusBadge {...event} />,
        Received: <RelativeTime at={event.receivedAt} />,
        Due: event.source.kind === 'schedule' && <RelativeTime at={event.source.dueAt} />,
        Schedule: event.scheduleId && <ScheduleLink id={event.scheduleId} name={event.scheduleName} />,
        Webhook: event.webhookId && <WebhookLink id={event.webhookId} name={event.webhookName} />,
        Channel: event.watchedChannelId && (
          <WatchedChannel id={event.watchedChannelId} name={event.watchedChannelName} />
        ),
        Run: hasNoRun(event) ? null : (
          <Anchor component={Link} to={`/runs/${event.runId}`}>
            Open run
          </Anchor>
        ),
        'Decided by': event.rule && <RuleInWords rule={event.rule} />,
        'Handled with': event.joinedTo && (
          <Anchor component={Link} to={`/events/${event.joinedTo}`}>
            Open that event
          </Anchor>
        ),
        'Collects until': event.collectsUntil && <RelativeTime at={event.collectsUntil} />,
        'Thread key': event.threadKey ?? event.threadKeyFault,
        Source: event.source.kind === 'webhook' && event.source.address,
        Verification: event.webhookId && verificationLabels[event.verification],
        Note: event.note,
        'Delivery ID': event.deliveryId,
        ID: <IdToCopy id={event.id} />,
      }}
    />
  )
}

function WatchedChannel({ id, name }: { id: string; name: string | null }) {
  return (
    <Anchor component={Link} to={`/channels/${id}`}>
      {name ?? 'No longer watched'}
    </Anchor>
  )
}
