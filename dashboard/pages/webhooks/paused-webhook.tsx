import { Alert, Button, Group, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../api.ts'
import type { Webhook } from '../../contract.ts'
import { say, sayProblem } from '../../ui/say.ts'

/** Its budget is spent: events are kept, and go on when somebody says so. */
export function PausedWebhook({ webhook }: { webhook: Webhook }) {
  const queries = useQueryClient()
  const resume = useMutation({
    mutationFn: () => call('PATCH', `/webhooks/${webhook.id}`, { paused: false }),
    onSuccess: () => say('Resumed. The events that waited are worked on.'),
    onError: sayProblem,
    onSettled: () => queries.invalidateQueries({ queryKey: [`/webhooks/${webhook.id}`] }),
  })
  return (
    <Alert color="yellow" variant="outline">
      <Group justify="space-between">
        <Text size="sm">
          This webhook is paused: {webhook.pauseReason ?? 'its budget is spent.'} Events are kept meanwhile. A
          higher limit is set under Settings.
        </Text>
        <Button size="xs" variant="default" loading={resume.isPending} onClick={() => resume.mutate()}>
          Resume
        </Button>
      </Group>
    </Alert>
  )
}
