import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { createUserBody } from '../../../../src/accounts/contract.ts'
import { ApiProblem, call } from '../../../api.ts'
import { schemaErrors } from '../../../schema-errors.ts'
import { ErrorAlert } from '../../../ui/feedback/error-alert.tsx'
import { Unsaved } from '../../../ui/forms/unsaved.tsx'
import { useDraftForm } from '../../../ui/forms/use-draft-form.ts'
import { roleDescriptions, roleOptions } from '../../accounts/roles.ts'

export function InviteUser({ onInvited }: { onInvited: (url: string) => void }) {
  const queries = useQueryClient()
  const form = useDraftForm({
    key: 'invitation',
    initialValues: { name: '', email: '', role: 'member' },
    validate: (values) => schemaErrors(createUserBody, values, values),
  })
  const invite = useMutation({
    mutationFn: (values: typeof form.values) => call<{ link: { url: string } }>('POST', '/users', values),
    onSuccess: ({ link }) => {
      form.discard()
      void queries.invalidateQueries({ queryKey: ['/users'] })
      onInvited(link.url)
    },
    onError: (error) => {
      if (error instanceof ApiProblem && error.type === 'email-taken')
        form.setFieldErrors({ email: error.message })
      else form.showErrors(error)
    },
  })
  return (
    <form onSubmit={form.onSubmit((values) => invite.mutate(values))} noValidate>
      <Stack gap={8}>
        <Group align="flex-start" gap={8}>
          <TextInput label="Name" style={{ flex: '1 1 7.5rem' }} {...form.getInputProps('name')} />
          <TextInput
            label="Email"
            type="email"
            style={{ flex: '1 1 10rem' }}
            {...form.getInputProps('email')}
          />
          <Select
            label="Role"
            w={130}
            data={roleOptions}
            allowDeselect={false}
            {...form.getInputProps('role')}
          />
          <Button type="submit" mt={23} loading={invite.isPending}>
            Invite
          </Button>
        </Group>
        <Text size="xs" c="dimmed">
          {roleDescriptions}
        </Text>
        {form.restored && <Unsaved form={form} />}
        {invite.error && Object.keys(form.errors).length === 0 && <ErrorAlert error={invite.error} />}
      </Stack>
    </form>
  )
}
