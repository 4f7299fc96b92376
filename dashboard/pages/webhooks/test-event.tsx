import { Button, Group, Stack, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { call } from '../../api.ts'
import type { Receipt, Webhook } from '../../contract.ts'
import { CodeEditor } from '../../ui/code/code-editor.tsx'
import { ErrorAlert } from '../../ui/feedback/error-alert.tsx'
import { useDraftText } from '../../ui/forms/use-draft-text.ts'
import { isJson } from '../../ui/text/is-json.ts'
import { parseExactly } from '../../ui/text/parse-exactly.ts'
import { LiveRun } from '../runs/live-run.tsx'

const exampleBody = '{\n  "event": "order.created",\n  "order": { "id": "A-1042", "total": 129.5 }\n}'

/** Sends an event of one's own, signed as configured, through the real endpoint. */
export function TestEvent({ webhook }: { webhook: Webhook }) {
  const [body, setBody] = useDraftText(`test-event:${webhook.id}`, exampleBody)
  const test = useMutation({
    // Numbers are sent as typed, however long, so that the agent reads exactly what is shown here.
    mutationFn: () => call<Receipt>('POST', `/webhooks/${webhook.id}/test`, { body: parseExactly(body) }),
  })
  const isValid = isJson(body)
  return (
    <Stack gap={8}>
      <Title order={2}>Test event</Title>
      <CodeEditor
        label="Body"
        description="Processed like a real delivery and signed as configured."
        value={body}
        onChange={setBody}
        minHeight={110}
        error={isValid ? null : 'Invalid JSON'}
      />
      {test.error && <ErrorAlert error={test.error} />}
      <Group>
        <Button variant="default" disabled={!isValid} loading={test.isPending} onClick={() => test.mutate()}>
          Send test event
        </Button>
        {test.data?.eventId && (
          <Button component={Link} to={`/events/${test.data.eventId}`} variant="subtle" color="gray">
            Open event
          </Button>
        )}
      </Group>
      {test.data?.runId && <LiveRun runId={test.data.runId} />}
    </Stack>
  )
}
