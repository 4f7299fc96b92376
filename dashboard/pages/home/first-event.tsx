import { Anchor, Button, Group, Loader, Stack, Text, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { call } from '../../api.ts'
import type { Receipt, Webhook } from '../../contract.ts'
import { itemsOf } from '../../hooks/use-api.ts'
import { RawView } from '../../ui/code/raw-view.tsx'
import { ErrorAlert } from '../../ui/feedback/error-alert.tsx'
import { QueryView } from '../../ui/feedback/query-view.tsx'
import { useEvents } from '../events/use-events.ts'
import { LiveRun } from '../runs/live-run.tsx'
import { useRun } from '../runs/use-runs.ts'
import { useEndpointUrl } from '../webhooks/use-endpoint-url.ts'
import { useWebhook } from '../webhooks/use-webhooks.ts'

const order = {
  event: 'order.created',
  order: { id: 'A-1042', total: 129.5, items: ['reception bell', 'brass polish'] },
}

export function FirstEvent({ webhookId }: { webhookId: string }) {
  const webhook = useWebhook(webhookId)
  return <QueryView query={webhook}>{(value) => <SendFirstEvent webhook={value} />}</QueryView>
}

/** Sends the first event, from here or from a terminal; the run appears by itself. */
function SendFirstEvent({ webhook }: { webhook: Webhook }) {
  const { fullUrl, shown, reveal } = useEndpointUrl(webhook)
  const events = useEvents({ webhookId: webhook.id })
  const newest = itemsOf(events)[0]
  const run = useRun(newest?.runId ?? null)
  const test = useMutation({
    mutationFn: () => call<Receipt>('POST', `/webhooks/${webhook.id}/test`, { body: order }),
    onSuccess: () => events.refetch(),
  })
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
        <Group gap={8} role="status">
          <Loader size={14} color="gray" aria-hidden />
          <Text c="dimmed">Waiting for the first event…</Text>
        </Group>
      )}
      {run.data?.status === 'succeeded' && (
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
            <Anchor component={Link} to={`/webhooks/${webhook.id}`}>
              Open webhook
            </Anchor>
          </Group>
        </Stack>
      )}
    </Stack>
  )
}
