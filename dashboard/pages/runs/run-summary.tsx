import { Anchor, Group, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Run } from '../../contract.ts'
import { useFilter } from '../../hooks/use-filter.ts'
import { useNow } from '../../ui/feedback/use-now.ts'
import { Facts } from '../../ui/layout/facts.tsx'
import { formatNumber } from '../../ui/text/format-number.ts'
import { IdToCopy } from '../../ui/text/id-to-copy.tsx'
import { RelativeTime } from '../../ui/text/relative-time.tsx'
import { useHasRole } from '../accounts/use-me.ts'
import { RevisionLink } from '../revisions/revision-link.tsx'
import { ScheduleLink } from '../schedules/schedule-link.tsx'
import { formatCost } from '../status/format-dollars.ts'
import { WebhookLink } from '../webhooks/webhook-link.tsx'
import { formatMilliseconds } from './format-duration.ts'
import { outcomeOf, triggerLabels } from './run-headline.ts'
import { RunStatusBadge } from './run-status.tsx'
import { ThumbReasons, Thumbs } from './thumbs.tsx'
import { lengthOf, splitOf, TimeStrip } from './trace/time-strip.tsx'
import classes from './trace/trace.module.css'
import { currentSpan } from './trace/trace-rows.ts'
import { hasEnded } from './use-runs.ts'

/** State, outcome, what the time went to, tokens, cost and model. */
export function RunSummary({ run }: { run: Run }) {
  const operator = useHasRole('operator')
  const [rate] = useFilter('rate')
  useNow(!hasEnded(run))
  const current = currentSpan(run)
  const spans = current ? [...run.spans, current] : run.spans
  const split = splitOf({ ...run, spans })
  const waits = split.filter(({ kind }) => kind === 'waiting' || kind === 'pause')
  const working = waits.reduce((rest, { ms }) => rest - ms, lengthOf(run))
  const queuedMs = run.startedAt ? Date.parse(run.startedAt) - Date.parse(run.createdAt) : 0
  const { inputTokens, outputTokens } = run.usage
  const tokens = inputTokens + outputTokens
  return (
    <section className={classes.summary} aria-label="Summary">
      <Group gap={8} align="baseline">
        <RunStatusBadge status={run.status} />
        {/* A failure is explained below. */}
        {!run.error && (
          <Text size="sm" lineClamp={2} className={classes.outcome}>
            {outcomeOf(run)}
          </Text>
        )}
        <Group className={classes.id ?? ''} gap="0 0.75rem">
          <Text size="xs">
            Started <RelativeTime at={run.startedAt} none="not yet" />
          </Text>
          <IdToCopy id={run.id} />
        </Group>
      </Group>
      {spans.length > 0 && (
        <div>
          <TimeStrip run={{ ...run, spans }} />
          <div className={classes.legend}>
            {split.map(({ word, kind, ms }) => (
              <span key={kind}>
                <span className={classes.key}>
                  <span className={classes.bar} data-kind={kind} style={{ inset: 0 }} />
                </span>
                {word} <b>{formatMilliseconds(ms)}</b>
              </span>
            ))}
          </div>
        </div>
      )}
      <Facts
        strip
        of={{
          Queued: queuedMs > 0 && formatMilliseconds(queuedMs),
          [run.endedAt ? 'Duration' : 'So far']: run.startedAt
            ? `${formatMilliseconds(lengthOf(run))}${waits.length > 0 ? ` (${formatMilliseconds(working)} working)` : ''}`
            : null,
          Tokens: tokens > 0 ? `${formatNumber(inputTokens)} in, ${formatNumber(outputTokens)} out` : null,
          Cost: tokens > 0 ? formatCost(run.cost, tokens) : null,
          Model: run.model,
          Rating: run.thumbs ? (
            <Thumbs runId={run.id} thumbs={run.thumbs} eventId={caseOf(run)} asks={rate === 'down'} />
          ) : null,
          // A link to the webhook or schedule says it, too.
          Trigger:
            operator && (run.trigger === 'webhook' || run.trigger === 'schedule')
              ? null
              : triggerLabels[run.trigger],
          Schedule:
            run.scheduleId && operator ? <ScheduleLink id={run.scheduleId} name={run.scheduleName} /> : null,
          Webhook:
            run.webhookId && operator ? <WebhookLink id={run.webhookId} name={run.webhookName} /> : null,
          Revisions: operator && hasRevisions(run) ? <UsedRevisions run={run} /> : null,
          Event:
            run.eventId && operator ? (
              <Anchor component={Link} to={`/events/${run.eventId}`}>
                Open event
              </Anchor>
            ) : null,
          Channel: run.channelId ? <Place id={run.channelId} name={run.channelName} /> : null,
          // A webhook requests runs in its own name, which is shown above already.
          'Requested by':
            run.webhookId || run.scheduleId || run.watchedChannelId ? null : run.requestedBy?.name,
          'Dry run': run.dryRun ? 'Changed nothing and posted nothing.' : null,
        }}
      />
      {run.thumbs && <ThumbReasons thumbs={run.thumbs} eventId={caseOf(run)} />}
    </section>
  )
}

function hasRevisions({ revisions: { source, settings } }: Run): boolean {
  return source !== null || settings !== null
}

/** What it was started with. A deleted webhook or schedule has no history. */
function UsedRevisions({ run }: { run: Run }) {
  const admin = useHasRole('admin')
  const { source, settings } = run.revisions
  const [kind, id] = run.webhookName
    ? ['webhook', run.webhookId]
    : run.scheduleName
      ? ['schedule', run.scheduleId]
      : ['', null]
  return (
    <Group gap={12} component="span">
      {source !== null && id !== null && (
        <RevisionLink of={kind} history={`/${kind}s/${id}?tab=history`} n={source} />
      )}
      {settings !== null && admin && <RevisionLink of="settings" history="/settings/history" n={settings} />}
    </Group>
  )
}

/** The event that could be kept: watched channels have none. */
function caseOf({ eventId, webhookId, scheduleId, erased }: Run): string | null {
  return (webhookId || scheduleId) && !erased ? eventId : null
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
