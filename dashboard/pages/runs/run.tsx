import { Alert, Anchor, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Run } from '../../contract.ts'
import { BackTo } from '../../ui/back-to.tsx'
import { ErrorAlert } from '../../ui/error-alert.tsx'
import { Facts } from '../../ui/facts.tsx'
import { formatNumber } from '../../ui/format-number.ts'
import { IdToCopy } from '../../ui/id-to-copy.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { useParam } from '../../use-filter.ts'
import { useHasRole } from '../accounts/use-me.ts'
import { ScheduleLink } from '../schedules/schedule-link.tsx'
import { formatDollars } from '../status/format-dollars.ts'
import { WebhookLink } from '../webhooks/webhook-link.tsx'
import { formatDuration } from './format-duration.ts'
import { RunActions } from './run-actions.tsx'
import { runHeadline, triggerLabels } from './run-headline.ts'
import { RunRemedy } from './run-remedy.tsx'
import { RunStatusBadge } from './run-status.tsx'
import { RunTimeline } from './run-timeline.tsx'
import { useRun } from './use-runs.ts'

export default function RunPage() {
  const run = useRun(useParam('runId'))
  const subject = run.data
    ? (run.data.webhookName ?? run.data.scheduleName ?? triggerLabels[run.data.trigger])
    : ''
  return (
    <Page
      title={run.data ? runHeadline(run.data, subject) : 'Run'}
      back={<BackTo to="/runs" what="runs" />}
      action={run.data ? <RunActions run={run.data} /> : null}
    >
      <QueryView query={run}>
        {(value) => (
          <Stack gap="lg">
            <RunFacts run={value} />
            {value.error && <Ended run={value} {...value.error} />}
            {value.erased ? (
              <Text c="dimmed">
                The content of this run was erased with its event. See the audit log for details.
              </Text>
            ) : (
              <RunTimeline run={value} />
            )}
          </Stack>
        )}
      </QueryView>
    </Page>
  )
}

/** A failure is shown as an alert; a cancellation is not. */
function Ended({ run, code, message }: { run: Run; code: string; message: string }) {
  if (run.status === 'cancelled') {
    return (
      <Alert variant="default" title="Run canceled">
        {message}
      </Alert>
    )
  }
  const title = `Run failed: ${code.replaceAll(/[_-]/g, ' ')}`
  return (
    <ErrorAlert error={Object.assign(new Error(message), { title })}>
      <RunRemedy code={code} replayable={run.eventId !== null && !run.erased} />
    </ErrorAlert>
  )
}

function RunFacts({ run }: { run: Run }) {
  const operator = useHasRole('operator')
  const tokens = `${formatNumber(run.usage.inputTokens)} in, ${formatNumber(run.usage.outputTokens)} out`
  return (
    <Facts
      pairs
      of={{
        State: <RunStatusBadge status={run.status} />,
        Trigger: triggerLabels[run.trigger],
        Schedule:
          run.scheduleId && operator ? <ScheduleLink id={run.scheduleId} name={run.scheduleName} /> : null,
        Webhook: run.webhookId && operator ? <WebhookLink id={run.webhookId} name={run.webhookName} /> : null,
        Event:
          run.eventId && operator ? (
            <Anchor component={Link} to={`/events/${run.eventId}`}>
              Open event
            </Anchor>
          ) : null,
        Channel: run.channelId ? <Place id={run.channelId} name={run.channelName} /> : null,
        Started: <RelativeTime at={run.startedAt} none="not yet" />,
        [run.endedAt ? 'Duration' : 'So far']: run.startedAt
          ? formatDuration(run.startedAt, run.endedAt)
          : null,
        Model: run.model,
        // A webhook requests runs in its own name, which is shown above already.
        'Requested by': run.webhookId || run.scheduleId ? null : run.requestedBy?.name,
        Cost: run.cost > 0 ? formatDollars(run.cost) : null,
        'Dry run': run.dryRun ? 'Changed nothing and posted nothing.' : null,
        Tokens: run.usage.inputTokens + run.usage.outputTokens > 0 ? tokens : null,
        ID: <IdToCopy id={run.id} />,
      }}
    />
  )
}

/** A direct conversation has no page here. */
function Place({ id, name }: { id: string; name: string | null }) {
  if (name === null) return 'Direct conversation or deleted channel'
  return (
    <Anchor component={Link} to={`/channels/${id}`}>
      {name}
    </Anchor>
  )
}
