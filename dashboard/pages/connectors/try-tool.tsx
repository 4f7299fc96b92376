import { Button, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { ApiProblem, call } from '../../api.ts'
import type { SentRequest, Tool, ToolCall } from '../../contract.ts'
import { CodeEditor } from '../../ui/code-editor.tsx'
import { Failed } from '../../ui/failed.tsx'
import { Fence } from '../../ui/fence.tsx'
import { Loading } from '../../ui/loading.tsx'
import { RawView } from '../../ui/raw-view.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { useMay } from '../accounts/use-me.ts'
import { RequestView } from '../tools/sent-request.tsx'

const SchemaForm = lazy(() => import('../../ui/schema-form.tsx'))

type Attempt = {
  request: SentRequest | null
  response: ToolCall['response']
  error: ToolCall['error']
}

/** The real call, by hand. What changes something is sent only after an admin has seen the request. */
export function TryTool({ tool }: { tool: Tool }) {
  const admin = useMay('admin')
  const [mode, setMode] = useState('form')
  const [input, setInput] = useState<unknown>({})
  const [text, setText] = useState('{}')
  const attempt = useMutation({
    mutationFn: (confirm: boolean) => {
      const value: unknown = mode === 'json' ? JSON.parse(text) : input
      return call<Attempt>('POST', `/tools/${tool.id}/try`, { input: value, ...(confirm ? { confirm } : {}) })
    },
  })
  if (tool.capability !== 'read' && !admin) {
    return <Text c="dimmed">An admin tries tools that change something.</Text>
  }
  const wantsYes = attempt.error instanceof ApiProblem && attempt.error.type === 'confirmation-required'
  return (
    <Stack>
      <SegmentedControl
        size="xs"
        w={160}
        aria-label="How to fill in the input"
        value={mode}
        onChange={(next) => {
          if (next === 'json') setText(JSON.stringify(input, null, 2))
          setMode(next)
        }}
        data={[
          { value: 'form', label: 'Form' },
          { value: 'json', label: 'JSON' },
        ]}
      />
      {mode === 'form' ? (
        <Fence
          fallback={
            <Text c="dimmed">
              This schema does not fit a form. Use JSON instead; the server checks it all the same.
            </Text>
          }
        >
          <Suspense fallback={<Loading rows={3} />}>
            <SchemaForm schema={tool.inputSchema} value={input} onChange={setInput} />
          </Suspense>
        </Fence>
      ) : (
        <CodeEditor label="Input" value={text} onChange={setText} minHeight={120} />
      )}
      {attempt.error && !wantsYes && <Failed error={attempt.error} />}
      <Group>
        <Button variant="default" loading={attempt.isPending} onClick={() => attempt.mutate(false)}>
          {tool.capability === 'read' ? 'Send' : 'Show the request'}
        </Button>
        {wantsYes && (
          <Button color="red.9" loading={attempt.isPending} onClick={() => attempt.mutate(true)}>
            Send it now
          </Button>
        )}
      </Group>
      {wantsYes && <Text size="sm">{attempt.error?.message}</Text>}
      {attempt.data && <AttemptView attempt={attempt.data} />}
    </Stack>
  )
}

function AttemptView({ attempt: { request, response, error } }: { attempt: Attempt }) {
  return (
    <Stack gap={8}>
      {request && <RequestView request={request} />}
      {error && (
        <Failed error={Object.assign(new Error(error.message), { title: error.code.replaceAll('_', ' ') })} />
      )}
      {response && (
        <>
          <Group>
            <StatusBadge tone={response.status < 400 ? 'good' : 'bad'} word={`HTTP ${response.status}`} />
          </Group>
          <RawView
            what={`Answer${response.contentType ? ` (${response.contentType})` : ''}`}
            text={response.body}
            json
          />
        </>
      )}
    </Stack>
  )
}
