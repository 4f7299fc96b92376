import { Button, Group, List, Select, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../../api.ts'
import type { ChatAccount, User, Workspace } from '../../../contract.ts'
import { useAction } from '../../../hooks/use-action.ts'
import { useList } from '../../../hooks/use-api.ts'
import { useChoices } from '../../../hooks/use-choices.ts'
import { ErrorAlert } from '../../../ui/feedback/error-alert.tsx'
import { Unsaved } from '../../../ui/forms/unsaved.tsx'
import { useDraftForm } from '../../../ui/forms/use-draft-form.ts'
import { ListView } from '../../../ui/table/list-view.tsx'

/** A click on that platform counts with the role of the linked user. */
export function WorkspacePeople({ workspace }: { workspace: Workspace }) {
  const path = `/workspaces/${workspace.id}/identities`
  const queries = useQueryClient()
  const linked = useList<ChatAccount>(path)
  const form = useDraftForm({
    key: `account-link:${workspace.id}`,
    initialValues: { externalId: '', userId: '' },
    validate: {
      externalId: (value) =>
        value.trim() === '' || value.trim().length > 200
          ? 'Enter the account ID, for example U024BE7LH.'
          : null,
      userId: (value) => (value === '' ? 'Choose a user.' : null),
    },
  })
  const users = useChoices<User>('/users', [form.values.userId], {
    labelOf: ({ name, email }) => `${name} (${email})`,
  })
  const link = useMutation({
    mutationFn: ({ externalId, userId }: typeof form.values) =>
      call<void>('PUT', `${path}/${encodeURIComponent(externalId.trim())}`, { userId }),
    onSuccess: () => {
      form.discard()
      return queries.invalidateQueries({ queryKey: [path] })
    },
    onError: form.showErrors,
  })
  const unlink = useAction(
    (externalId: string) => call<void>('DELETE', `${path}/${encodeURIComponent(externalId)}`),
    { changes: [path] },
  )
  return (
    <Stack>
      <Text size="xs" c="dimmed">
        People can link their own accounts under Settings → Your account. Admins can do it for them here.
      </Text>
      <ListView query={linked} empty={null}>
        {(items) => (
          <List>
            {items.map((account) => (
              <List.Item key={account.id}>
                <Group gap={8}>
                  {account.name} is linked to {account.userName}
                  <Button
                    size="compact-xs"
                    variant="default"
                    onClick={() => unlink.mutate(account.externalId)}
                  >
                    Unlink
                  </Button>
                </Group>
              </List.Item>
            ))}
          </List>
        )}
      </ListView>
      <form onSubmit={form.onSubmit((values) => link.mutate(values))} noValidate>
        <Group align="flex-start" gap={8}>
          <TextInput label="Account ID" {...form.getInputProps('externalId')} />
          <Select label="Bellhop user" {...users} {...form.getInputProps('userId')} />
          <Button type="submit" variant="default" mt={23} loading={link.isPending}>
            Link
          </Button>
        </Group>
      </form>
      {form.restored && <Unsaved form={form} />}
      {link.error && <ErrorAlert error={link.error} of={form.values} />}
    </Stack>
  )
}
