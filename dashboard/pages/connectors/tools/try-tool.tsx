import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useEffect } from 'react'
import { call } from '../../../api.ts'
import type { Tool, Trial } from '../../../contract.ts'
import { Elapsed } from '../../../ui/feedback/elapsed.tsx'
import { ErrorAlert } from '../../../ui/feedback/error-alert.tsx'
import { StatusBadge } from '../../../ui/feedback/status-badge.tsx'
import { SchemaInput, useSchemaInput } from '../../../ui/forms/schema-input.tsx'
import { useDraftText } from '../../../ui/forms/use-draft-text.ts'
import { isJson } from '../../../ui/text/is-json.ts'
import { parseExactly } from '../../../ui/text/parse-exactly.ts'
import { useHasRole } from '../../accounts/use-me.ts'
import { formatSeconds } from '../../status/format-seconds.ts'
import { AnswerView } from '../../tools/answer-view.tsx'
import { RequestView } from '../../tools/request-view.tsx'

/** Makes the real call by hand. A call that changes something is sent only after an admin has seen exactly that request. */
export function TryTool({ tool }: { tool: Tool }) {
  const admin = useHasRole('admin')
  const [kept, keep] = useDraftText(`try:${tool.id}`, '{}')
  const typed = useSchemaInput(() =>
    isJson(kept)
      ? { mode: 'form', input: parseExactly(kept), text: kept }
      : { mode: 'json', input: {}, text: kept },
  )
  const { mode, input, text } = typed.draft
  const keeping = mode === 'json' ? text : JSON.stringify(input)
  useEffect(() => keep(keeping), [keep, keeping])
  const attempt = useMutation({
    mutationFn: (how: { dryRun: true } | { confirm: string } | Record<string, never>) =>
      call<Trial>('POST', `/tools/${tool.id}/try`, { input: typed.read(), ...how }),
  })
  // What was shown was a request of the tool as it was; what was typed is still of use.
  // biome-ignore lint/correctness/useExhaustiveDependencies: exactly when the tool is another one
  useEffect(() => attempt.reset(), [tool.version])
  const looks = tool.capability === 'read'
  if (!looks && !admin) return <Text c="dimmed">Only admins can try tools that change something.</Text>
  const seen = !looks && attempt.data && attempt.data.response === null && attempt.data.error === null
  return (
    <Stack>
      <SchemaInput of={typed} schema={tool.inputSchema} error={attempt.error} />
      {attempt.error && <ErrorAlert error={attempt.error} />}
      <Group>
        <Button
          variant="default"
          loading={attempt.isPending}
          disabled={typed.unfinished}
          onClick={() => attempt.mutate(looks ? {} : { dryRun: true })}
        >
          {looks ? 'Send' : 'Show request'}
        </Button>
      </Group>
      {attempt.isPending && (
        <Elapsed
          since={attempt.submittedAt}
          doing="Waiting"
          hint="The request ends at the time limit of the tool."
        />
      )}
      {attempt.data && <AttemptView attempt={attempt.data} />}
      {seen && attempt.data && (
        <Group>
          <Button
            color="red.9"
            loading={attempt.isPending}
            onClick={() => attempt.mutate({ confirm: attempt.data.digest })}
          >
            Send this request
          </Button>
          <Text size="xs" c="dimmed">
            Nothing has been sent yet.
          </Text>
        </Group>
      )}
    </Stack>
  )
}

function AttemptView({ attempt: { request, response, error, warnings, timeMs } }: { attempt: Trial }) {
  const took = timeMs !== null && (
    <Text size="xs" c="dimmed" title="From sending the request until the whole answer was read">
      {formatSeconds(timeMs / 1000)}
    </Text>
  )
  return (
    <Stack gap={8}>
      <RequestView request={request} />
      {warnings.map((warning) => (
        <Text key={warning} size="xs" c="var(--waiting)">
          {warning}
        </Text>
      ))}
      {error && (
        <>
          <ErrorAlert
            error={Object.assign(new Error(error.message), { title: error.code.replaceAll('_', ' ') })}
          />
          {!response && took}
        </>
      )}
      {response && (
        <>
          <Group gap={8}>
            <StatusBadge tone={response.status < 400 ? 'good' : 'bad'} word={`HTTP ${response.status}`} />
            {took}
          </Group>
          <AnswerView answer={response} />
        </>
      )}
    </Stack>
  )
}
