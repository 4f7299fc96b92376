import { Alert, Anchor, Button, Group, List, Loader, Stack, Text, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { call } from '../../api.ts'
import type { Receipt, Webhook } from '../../contract.ts'
import { itemsOf } from '../../hooks/use-api.ts'
import { RawView } from '../../ui/code/raw-view.tsx'
import { ErrorAlert } from '../../ui/feedback/error-alert.tsx'
import { QueryView } from '../../ui/feedback/query-view.tsx'
import { LocalAddress } from '../../ui/text/local-address.tsx'
import { useHasRole } from '../accounts/use-me.ts'
import { useEvents } from '../events/use-events.ts'
import { LiveRun } from '../runs/live-run.tsx'
import { useRun } from '../runs/use-runs.ts'
import { useEndpointUrl } from '../webhooks/use-endpoint-url.ts'
import { useWebhook } from '../webhooks/use-webhooks.ts'

const order = {
  event: 'order.created',
  order: { id: 'A-1042', total: 129.5, items: ['reception bell', 'brass polish'] },
}

type Props = {
  webhookId: string
  /** The reply is there. */
  onDone: () => void
}

/** Somebody who has not sent anything until then may need help. */
const lateMs = 30_000

export function FirstEvent({ webhookId, onDone }: Props) {
  const webhook = useWebhook(webhookId)
  return (
    <QueryView query={webhook}>{(value) => <SendFirstEvent webhook={value} onDone={onDone} />}</QueryView>
  )
}

/** Sends the first event, from here or from a terminal; the run appears by itself. */
function SendFirstEvent({ webhook, onDone }: { webhook: Webhook; onDone: () => void }) {
  const admin = useHasRole('admin')
  const [isLate, setIsLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsLate(true), lateMs)
    return () => clearTimeout(timer)
  }, [])
  const { fullUrl, shown, reveal } = useEndpointUrl(webhook)
  const events = useEvents({ webhookId: webhook.id })
  const newest = itemsOf(events)[0]
  const run = useRun(newest?.runId ?? null)
  const test = useMutation({
    mutationFn: () => call<Receipt>('POST', `/webhooks/${webhook.id}/test`, { body: order }),
    onSuccess: () => events.refetch(),
  })
  const isAnswered = run.data?.status === 'succeeded'
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the reply is there
  useEffect(() => {
    if (isAnswered) onDone()
  }, [isAnswered])
  const curl = `curl '${shown}' \\\n  -H 'Content-Type: application/json' \\\n  -d '${JSON.stringify(order)}'`
  return (
    <Stack gap="lg">
      <Stack gap={8}>
        <Title order={2}>Send your first event</Title>
        <Text c="dimmed">Run this in a terminal, or send the event from here.</Text>
        <RawView what="curl command" text={curl} masked={!fullUrl} />
        <Group>
          <Button
            variant={newest ? 'default' : 'filled'}
            loading={test.isPending}
            onClick={() => test.mutate()}
          >
            {newest ? 'Send another event' : 'Send test event'}
          </Button>
          {!fullUrl && (
            <Button variant="default" loading={reveal.isPending} onClick={() => reveal.mutate()}>
              Show full URL
            </Button>
          )}
        </Group>
        {test.error && <ErrorAlert error={test.error} />}
      </Stack>
      {newest ? (
        <Stack gap={8}>
          <Title order={2}>Event received</Title>
          <LiveRun runId={newest.runId} />
        </Stack>
      ) : (
        <Stack gap={8} role="status">
          <Group gap={8}>
            <Loader size={14} color="gray" aria-hidden />
            <Text c="dimmed">Waiting for the first event…</Text>
          </Group>
          {isLate && <NothingYet webhook={webhook} />}
        </Stack>
      )}
      {isAnswered && (
        <Stack gap={8}>
          <Title order={2}>You’re set up</Title>
          <Text c="dimmed">
            The reply is in the channel. Write in its thread to continue the conversation; the agent remembers
            the event.
          </Text>
          <Group>
            <Button component={Link} to={`/channels/${webhook.channelId}`}>
              See the reply
            </Button>
            <Button component={Link} to="/connectors/import" variant="default">
              Connect an API
            </Button>
            {admin && (
              <Button component={Link} to="/settings/users" variant="default">
                Invite a colleague
              </Button>
            )}
            {admin && (
              <Button component={Link} to="/settings/workspaces" variant="default">
                Connect Slack
              </Button>
            )}
            <Anchor component={Link} to={`/webhooks/${webhook.id}`}>
              Open webhook
            </Anchor>
          </Group>
        </Stack>
      )}
    </Stack>
  )
}

/** What usually keeps an event from arriving. */
function NothingYet({ webhook }: { webhook: Webhook }) {
  return (
    <Alert color="yellow" variant="outline" title="Nothing has arrived yet">
      <List size="sm">
        <List.Item>
          Send the test event above. If the event arrives, Bellhop works, and the sender is the place to look.
        </List.Item>
        <List.Item>
          Check that the sender reaches this address and uses the whole URL. A wrong URL returns 404.
        </List.Item>
        <List.Item>
          Deliveries that were refused are listed with the reason under{' '}
          <Anchor component={Link} to={`/webhooks/${webhook.id}?tab=refused`} size="sm">
            Refused
          </Anchor>
          .
        </List.Item>
      </List>
      <LocalAddress url={webhook.endpointUrl} />
    </Alert>
  )
}
