import { Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../../api.ts'
import type { ToolApprovers as Approvers, Group } from '../../../contract.ts'
import { itemsOf, useList, useOne } from '../../../hooks/use-api.ts'
import { notify } from '../../../ui/feedback/notify.ts'
import { QueryView } from '../../../ui/feedback/query-view.tsx'
import { FormFoot } from '../../../ui/forms/form-foot.tsx'
import { useDraftForm } from '../../../ui/forms/use-draft-form.ts'
import { useHasRole } from '../../accounts/use-me.ts'
import { ApproverFields } from './approver-fields.tsx'
import { approverValuesOf, toApprovers } from './approver-values.ts'

/** Who approves the calls of a tool that ask. */
export function ToolApprovers({ toolId }: { toolId: string }) {
  const admin = useHasRole('admin')
  const approvers = useOne<Approvers>(`/tools/${toolId}/approvers`)
  return (
    <QueryView query={approvers}>
      {(value) => (admin ? <Form toolId={toolId} approvers={value} /> : <Shown approvers={value} />)}
    </QueryView>
  )
}

function Shown({ approvers: { approvers, approvalsNeeded } }: { approvers: Approvers }) {
  const groups = itemsOf(useList<Group>('/groups', { limit: '100' }))
  const names = approvers.map((id) => groups.find((group) => group.id === id)?.name ?? id)
  return (
    <Text size="sm">
      {names.length === 0 ? 'Admins' : names.join(' or ')}
      {approvalsNeeded > 1 && `, ${approvalsNeeded} approvals`}
    </Text>
  )
}

function Form({ toolId, approvers }: { toolId: string; approvers: Approvers }) {
  const queries = useQueryClient()
  const initialValues = {
    approval: approverValuesOf({
      ...approvers,
      approvalsNeeded: approvers.approvalsNeeded === 1 ? null : approvers.approvalsNeeded,
    }),
  }
  const form = useDraftForm({ key: `approvers-${toolId}`, initialValues })
  const save = useMutation({
    mutationFn: ({ approval }: typeof form.values) => {
      const { approvers: groups, approvalsNeeded, requesterMayApprove, escalate } = toApprovers(approval)
      return call<Approvers>('PUT', `/tools/${toolId}/approvers`, {
        approvers: groups ?? [],
        approvalsNeeded: approvalsNeeded ?? 1,
        requesterMayApprove,
        escalate: escalate ?? [],
      })
    },
    onSuccess: (_, values) => {
      form.markSaved(values)
      notify('Approvers saved')
      void queries.invalidateQueries({ queryKey: [`/tools/${toolId}/approvers`] })
    },
    onError: form.showErrors,
  })
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
      <Stack gap={8}>
        <ApproverFields
          value={form.values.approval}
          onChange={(approval) => form.setFieldValue('approval', approval)}
          otherwise={{ approvers: 'Admins', own: 'Unless destructive, if enough others can' }}
        />
        <Text size="xs" c="dimmed">
          Applies to new requests. Create groups under Settings → Groups. A policy can name other approvers.
        </Text>
        <FormFoot save="Save approvers" form={form} saving={save} />
      </Stack>
    </form>
  )
}
