import { Alert, Button, Group, Text } from '@mantine/core'
import { call } from '../../api.ts'
import type { Webhook } from '../../contract.ts'
import { useAction } from '../../hooks/use-action.ts'

/** Its budget is spent: events are kept until somebody resumes it. */
export function PausedWebhook({ webhook }: { webhook: Webhook }) {
  const path = `/webhooks/${webhook.id}`
  const resume = useAction(() => call('PATCH', path, { paused: false }), {
    words: 'Webhook resumed. Waiting events are being processed.',
    changes: [path],
  })
  return (
    <Alert color="yellow" variant="outline">
      <Group justify="space-between">
        <Text size="sm">
          This webhook is paused: {webhook.pauseReason ?? 'its budget is used up.'} New events are stored. You
          can raise the limit under Settings.
        </Text>
        <Button size="xs" variant="default" loading={resume.isPending} onClick={() => resume.mutate()}>
          Resume
        </Button>
      </Group>
    </Alert>
  )
}
