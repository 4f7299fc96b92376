import { Button, MultiSelect, Stack, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { newGroupBody } from '../../../../src/accounts/contract.ts'
import { ApiProblem, call } from '../../../api.ts'
import type { Group, User } from '../../../contract.ts'
import { useChoices } from '../../../hooks/use-choices.ts'
import { schemaErrors } from '../../../schema-errors.ts'
import { notify } from '../../../ui/feedback/notify.ts'
import { FormFoot } from '../../../ui/forms/form-foot.tsx'
import { useDraftForm } from '../../../ui/forms/use-draft-form.ts'

type Values = { name: string; userIds: string[]; slackUserGroup: string; oidcClaim: string }

const toBody = (values: Values) => ({
  ...values,
  slackUserGroup: values.slackUserGroup.trim() || null,
  oidcClaim: values.oidcClaim.trim() || null,
})

export function GroupForm({ group, onDone }: { group: Group | null; onDone: () => void }) {
  const queries = useQueryClient()
  const form = useDraftForm<Values>({
    key: `group-${group?.id ?? 'new'}`,
    initialValues: {
      name: group?.name ?? '',
      userIds: group?.userIds ?? [],
      slackUserGroup: group?.slackUserGroup ?? '',
      oidcClaim: group?.oidcClaim ?? '',
    },
    validate: (values) => schemaErrors(newGroupBody, toBody(values), values),
  })
  const people = useChoices<User>('/users', form.values.userIds, {
    labelOf: ({ name, email }) => `${name} (${email})`,
  })
  const save = useMutation({
    mutationFn: (values: Values) =>
      group
        ? call<Group>('PATCH', `/groups/${group.id}`, toBody(values))
        : call<Group>('POST', '/groups', toBody(values)),
    onSuccess: () => {
      form.discard()
      notify(group ? 'Group saved' : 'Group created')
      void queries.invalidateQueries({ queryKey: ['/groups'] })
      onDone()
    },
    onError: (error) => {
      if (error instanceof ApiProblem && error.type === 'name-taken')
        form.setFieldErrors({ name: error.message })
      else form.showErrors(error)
    },
  })
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
      <Stack gap={8}>
        <TextInput label="Name" placeholder="Finance" maw={360} {...form.getInputProps('name')} />
        <MultiSelect
          label="People"
          description="Always in the group."
          {...people}
          {...form.getInputProps('userIds')}
        />
        <TextInput
          label="Slack user group"
          description="Its id, from the group’s page in Slack. Whoever is in it when somebody decides, with a linked account."
          placeholder="S0614TZR7"
          {...form.getInputProps('slackUserGroup')}
        />
        <TextInput
          label="OpenID claim"
          description="Whoever has it at the sign-in provider, from their next sign-in on."
          placeholder="groups=finance"
          {...form.getInputProps('oidcClaim')}
        />
        <FormFoot save={group ? 'Save group' : 'Create group'} form={form} saving={save}>
          <Button
            variant="default"
            onClick={() => {
              form.discard()
              onDone()
            }}
          >
            Cancel
          </Button>
        </FormFoot>
      </Stack>
    </form>
  )
}
