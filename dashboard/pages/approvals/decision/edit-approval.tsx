import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../../api.ts'
import type { Approval, EditForm } from '../../../contract.ts'
import { useOne } from '../../../hooks/use-api.ts'
import { ErrorAlert } from '../../../ui/feedback/error-alert.tsx'
import { notify } from '../../../ui/feedback/notify.ts'
import { QueryView } from '../../../ui/feedback/query-view.tsx'
import { SchemaInput, useSchemaInput } from '../../../ui/forms/schema-input.tsx'

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
  const edited = useSchemaInput(() => ({ mode: 'form', input: form.input, text: '' }))
  const save = useMutation({
    mutationFn: () => {
      const options = { ifMatch: form.digest }
      return call<Approval>('POST', `/approvals/${approval.id}/edit`, { input: edited.read() }, options)
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
      <SchemaInput of={edited} schema={form.inputSchema} error={save.error} />
      {save.error && <ErrorAlert error={save.error} />}
      <Text size="xs" c="dimmed">
        Saving sends nothing. The edited request gets a new digest and needs its approvals again; the agent is
        told what you changed.
      </Text>
      <Group gap={8}>
        <Button size="xs" loading={save.isPending} disabled={edited.unfinished} onClick={() => save.mutate()}>
          Save edit
        </Button>
        <Button size="xs" variant="default" onClick={onClose}>
          Cancel
        </Button>
      </Group>
    </Stack>
  )
}
