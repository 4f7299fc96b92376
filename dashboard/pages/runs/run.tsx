import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { call } from '../../api.ts'
import type { Run } from '../../contract.ts'
import { askFirst } from '../../ui/ask-first.ts'
import { BackTo } from '../../ui/back-to.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Failed } from '../../ui/failed.tsx'
import { Page } from '../../ui/page.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { say, sayProblem } from '../../ui/say.ts'
import { Shown } from '../../ui/shown.tsx'
import { useParam } from '../../use-filter.ts'
import { useMay } from '../accounts/use-me.ts'
import { useChannelNames } from '../channels/use-channels.ts'
import { useWebhookNames } from '../webhooks/use-webhooks.ts'
import { duration } from './duration.ts'
import { runHeadline, triggerWords } from './run-headline.ts'
import { RunStatusBadge } from './run-status.tsx'
import { RunTimeline } from './run-timeline.tsx'
import { hasEnded, useRun } from './use-runs.ts'

export default function RunPage() {
  const run = useRun(useParam('runId'))
  const webhookName = useWebhookNames([run.data?.webhookId])
  const subject = run.data ? (webhookName(run.data.webhookId) ?? triggerWords[run.data.trigger]) : ''
  return (
    <Page
      title={run.data ? runHeadline(run.data, subject) : 'Run'}
      back={<BackTo to="/runs" what="runs" />}
      action={run.data ? <RunActions run={run.data} /> : null}
    >
      <Shown query={run}>
        {(value) => (
          <Stack gap="lg">
            <RunFacts run={value} />
            {value.error && <Ended run={value} {...value.error} />}
            <RunTimeline run={value} />
          </Stack>
        )}
      </Shown>
    </Page>
  )
}

const postFaults = ['reply_refused', 'reply_ambiguous']

function couldNotBePosted({ error, reply }: Run): boolean {
  return reply?.state === 'withheld' && reply.text !== '' && postFaults.includes(error?.code ?? '')
}

/** A failure is an alarm; that somebody cancelled it is not. */
function Ended({ run, code, message }: { run: Run; code: string; message: string }) {
  if (run.status === 'cancelled') {
    return (
      <Alert variant="default" title="The run was cancelled">
        {message}
      </Alert>
    )
  }
  const title = `The run failed: ${code.replaceAll(/[_-]/g, ' ')}`
  return <Failed error={Object.assign(new Error(message), { title })} />
}

function RunFacts({ run }: { run: Run }) {
  const operator = useMay('operator')
  const webhookName = useWebhookNames([run.webhookId])
  const channelName = useChannelNames([run.channelId])
  const tokens = `${run.usage.inputTokens.toLocaleString()} in, ${run.usage.outputTokens.toLocaleString()} out`
  return (
    <Facts
      pairs
      of={{
        State: <RunStatusBadge status={run.status} />,
        'Started by': triggerWords[run.trigger],
        Webhook:
          run.webhookId && operator ? (
            <Anchor component={Link} to={`/webhooks/${run.webhookId}`}>
              {webhookName(run.webhookId) ?? 'A deleted webhook'}
            </Anchor>
          ) : null,
        Event:
          run.eventId && operator ? (
            <Anchor component={Link} to={`/events/${run.eventId}`}>
              open the event
            </Anchor>
          ) : null,
        Channel: run.channelId ? (
          <Anchor component={Link} to={`/channels/${run.channelId}`}>
            {channelName(run.channelId) ?? 'another workspace'}
          </Anchor>
        ) : null,
        Started: <RelativeTime at={run.startedAt} none="not yet" />,
        [run.endedAt ? 'Took' : 'So far']: run.startedAt ? duration(run.startedAt, run.endedAt) : null,
        Model: run.model,
        // A webhook asks in its own name, which stands above already.
        'Asked by': run.webhookId ? null : run.requestedBy?.name,
        Cost: run.cost > 0 ? `$${run.cost.toFixed(4)}` : null,
        'Dry run': run.dryRun ? 'Changed nothing outside and was posted nowhere.' : null,
        Tokens: run.usage.inputTokens + run.usage.outputTokens > 0 ? tokens : null,
        Id: (
          <Group gap={4} wrap="nowrap">
            <Text ff="monospace" size="xs">
              {run.id}
            </Text>
            <CopyButton value={run.id} what="id" />
          </Group>
        ),
      }}
    />
  )
}

function RunActions({ run }: { run: Run }) {
  const operator = useMay('operator')
  const queries = useQueryClient()
  const cancel = useMutation({
    mutationFn: () => call('POST', `/runs/${run.id}/cancel`),
    onSuccess: () => say('Cancelled. What was sent already stays sent.'),
    onError: sayProblem,
    onSettled: () => queries.invalidateQueries({ queryKey: [`/runs/${run.id}`] }),
  })
  const retry = useMutation({
    mutationFn: () => call<Run>('POST', `/runs/${run.id}/retry-post`),
    onSuccess: (changed) => {
      queries.setQueryData([`/runs/${run.id}`], changed)
      say('The reply is on its way again.')
    },
    onError: sayProblem,
  })
  if (!operator) return null
  return (
    <>
      {couldNotBePosted(run) && (
        <Button
          size="xs"
          loading={retry.isPending}
          onClick={() =>
            run.error?.code === 'reply_ambiguous'
              ? askFirst({
                  title: 'Post the reply again?',
                  text: 'It may be in the channel already. Look there first: if it is, it stands there twice afterwards.',
                  action: 'Post again',
                  onYes: () => retry.mutate(),
                })
              : retry.mutate()
          }
        >
          Post the reply again
        </Button>
      )}
      {run.eventId && (
        <Button component={Link} to={`/events/${run.eventId}`} size="xs" variant="default">
          Replay
        </Button>
      )}
      {!hasEnded(run) && (
        <Button
          size="xs"
          variant="default"
          loading={cancel.isPending}
          onClick={() =>
            askFirst({
              title: 'Cancel this run?',
              text: 'The agent stops at once and its work so far is not posted. Requests that were sent stay sent.',
              action: 'Cancel run',
              onYes: () => cancel.mutate(),
            })
          }
        >
          Cancel
        </Button>
      )}
    </>
  )
}
