import { Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { call } from '../../api.ts'
import type { Question } from '../../contract.ts'
import { useOne } from '../../hooks/use-api.ts'
import { useParam } from '../../hooks/use-filter.ts'
import { ErrorAlert } from '../../ui/feedback/error-alert.tsx'
import { QueryView } from '../../ui/feedback/query-view.tsx'
import { SchemaInput, useSchemaInput } from '../../ui/forms/schema-input.tsx'
import { Card } from '../../ui/layout/card.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { RelativeTime } from '../../ui/text/relative-time.tsx'

/** What an MCP server asks the person who wrote to the agent, in the middle of a call. */
export default function QuestionPage() {
  const question = useOne<Question>(`/questions/${useParam('questionId')}`)
  const { data } = question
  return (
    <Page title={data ? `${data.connectorName} has a question for you` : 'Question'}>
      <QueryView query={question}>
        {(value) => (
          <Card label="Question" edge={value.state === 'pending' ? 'waiting' : 'idle'}>
            <Stack gap={16} maw={640}>
              <Text size="sm" c="dimmed">
                The MCP server {value.connectorName} needs an answer to continue a call in{' '}
                <Anchor inherit renderRoot={(props) => <Link {...props} to={`/runs/${value.runId}`} />}>
                  your run
                </Anchor>
                . The text below comes from the server. Your answer is sent to the server and not stored.
              </Text>
              <Text component="blockquote" m={0} style={{ whiteSpace: 'pre-wrap' }}>
                <bdi>{value.message}</bdi>
              </Text>
              {value.state === 'pending' ? <Answer question={value} /> : <Text>{endings[value.state]}</Text>}
            </Stack>
          </Card>
        )}
      </QueryView>
    </Page>
  )
}

const endings = {
  accepted: 'Answered. The call continues.',
  declined: 'You declined to answer. The call continues without an answer.',
  expired: 'Nobody answered in time. Ask the agent again if the call is still needed.',
  ended: 'The call ended before there was an answer. Ask the agent again if the call is still needed.',
}

function Answer({ question: { id, schema, url, expiresAt } }: { question: Question }) {
  const queries = useQueryClient()
  const given = useSchemaInput(() => ({ mode: 'form', input: {}, text: '' }))
  const send = useMutation({
    mutationFn: (action: 'accept' | 'decline') =>
      call<Question>('POST', `/questions/${id}/answer`, {
        action,
        ...(action === 'accept' && schema ? { input: given.read() } : {}),
      }),
    onSuccess: (answered) => queries.setQueryData([`/questions/${id}`], answered),
    onError: () => void queries.invalidateQueries({ queryKey: [`/questions/${id}`] }),
  })
  return (
    <>
      {schema && <SchemaInput of={given} schema={schema} error={send.error} />}
      {url && (
        <Text size="sm">
          The server asks you to open a page at <strong>{URL.parse(url)?.host}</strong>:{' '}
          <span style={{ overflowWrap: 'anywhere' }}>{url}</span>
        </Text>
      )}
      {send.error && <ErrorAlert error={send.error} />}
      <Group gap={8}>
        {url ? (
          <Button
            component="a"
            href={url}
            target="_blank"
            rel="noreferrer noopener"
            onClick={() => send.mutate('accept')}
          >
            Open the page
          </Button>
        ) : (
          <Button
            loading={send.isPending && send.variables === 'accept'}
            disabled={given.unfinished}
            onClick={() => send.mutate('accept')}
          >
            Send answer
          </Button>
        )}
        <Button variant="default" disabled={send.isPending} onClick={() => send.mutate('decline')}>
          Decline
        </Button>
        <Text size="xs" c="dimmed">
          Expires <RelativeTime at={expiresAt} />
        </Text>
      </Group>
    </>
  )
}
