import { Button, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { call } from '../../api.ts'
import type { Approval, EditForm } from '../../contract.ts'
import { useOne } from '../../hooks/use-api.ts'
import { CodeEditor } from '../../ui/code/code-editor.tsx'
import { ErrorAlert } from '../../ui/feedback/error-alert.tsx'
import { ErrorBoundary } from '../../ui/feedback/error-boundary.tsx'
import { Loading } from '../../ui/feedback/loading.tsx'
import { notify } from '../../ui/feedback/notify.ts'
import { QueryView } from '../../ui/feedback/query-view.tsx'
import { isJson } from '../../ui/text/is-json.ts'
import { parseExactly } from '../../ui/text/parse-exactly.ts'

const SchemaForm = lazy(() => import('../../ui/forms/schema-form.tsx'))

type Props = { approval: Approval; onClose: () => void }

/** An approver corrects what the agent asked for. Saving approves nothing: the new request is read and approved as a whole. */
export function EditApproval({ approval, onClose }: Props) {
  const form = useOne<EditForm>(`/approvals/${approval.id}/edit`)
  return (
    <QueryView query={form}>
      {(value) => <Fields key={value.digest} approval={approval} form={value} onClose={onClose} />}
    </QueryView>
  )
}

function Fields({ approval, form, onClose }: Props & { form: EditForm }) {
  const queries = useQueryClient()
  const [mode, setMode] = useState('form')
  const [input, setInput] = useState<unknown>(form.input)
  const [text, setText] = useState('')
  const unfinished = mode === 'json' && !isJson(text)
  const save = useMutation({
    mutationFn: () => {
      const edited: unknown = mode === 'json' ? parseExactly(text) : input
      const options = { ifMatch: form.digest }
      return call<Approval>('POST', `/approvals/${approval.id}/edit`, { input: edited }, options)
    },
    onSuccess: ({ digest }) => {
      notify(digest === form.digest ? 'Nothing changed' : 'Edited. The new request needs approval.')
      onClose()
    },
    onSettled: () => {
      void queries.invalidateQueries({ queryKey: ['/approvals'] })
      void queries.invalidateQueries({ queryKey: [`/approvals/${approval.id}`] })
    },
  })
  return (
    <Stack gap={12} maw={600} component="section" aria-label="Edit input">
      <SegmentedControl
        size="xs"
        w={160}
        aria-label="Input mode"
        value={mode}
        onChange={(next) => {
          if (next === 'json') setText(JSON.stringify(input, null, 2))
          else setInput(parseExactly(text))
          setMode(next)
        }}
        data={[
          { value: 'form', label: 'Form', disabled: unfinished },
          { value: 'json', label: 'JSON' },
        ]}
      />
      {mode === 'form' ? (
        <ErrorBoundary
          fallback={<Text c="dimmed">This schema cannot be shown as a form. Use JSON instead.</Text>}
        >
          <Suspense fallback={<Loading rows={3} />}>
            <SchemaForm
              schema={form.inputSchema}
              value={input}
              onChange={setInput}
              error={save.error}
              below="input"
            />
          </Suspense>
        </ErrorBoundary>
      ) : (
        <CodeEditor
          label="Input"
          value={text}
          onChange={setText}
          minHeight={120}
          error={unfinished ? 'Invalid JSON' : null}
        />
      )}
      {save.error && <ErrorAlert error={save.error} />}
      <Text size="xs" c="dimmed">
        Saving sends nothing. The edited request gets a new digest and needs its approvals again; the agent is
        told what you changed.
      </Text>
      <Group gap={8}>
        <Button size="xs" loading={save.isPending} disabled={unfinished} onClick={() => save.mutate()}>
          Save edit
        </Button>
        <Button size="xs" variant="default" onClick={onClose}>
          Cancel
        </Button>
      </Group>
    </Stack>
  )
}
