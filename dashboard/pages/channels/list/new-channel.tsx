import { ActionIcon, TextInput } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { newChannel } from '../../../../src/chat/contract.ts'
import { call } from '../../../api.ts'
import type { Channel } from '../../../contract.ts'
import { useNavigateIfHere } from '../../../hooks/use-navigate-if-here.ts'
import { schemaErrors } from '../../../schema-errors.ts'
import { fieldError } from '../../../ui/forms/field-errors.ts'
import { useDraftForm } from '../../../ui/forms/use-draft-form.ts'

export function NewChannel() {
  const navigateIfHere = useNavigateIfHere()
  const queries = useQueryClient()
  const form = useDraftForm({
    key: 'new-channel',
    initialValues: { name: '' },
    validate: (values) => schemaErrors(newChannel, values, values),
  })
  const create = useMutation({
    mutationFn: ({ name }: { name: string }) => call<Channel>('POST', '/channels', { name }),
    onSuccess: async (channel) => {
      form.discard()
      await queries.invalidateQueries({ queryKey: ['/channels'] })
      await navigateIfHere(`/channels/${channel.id}`)
    },
    onError: (error) => form.setFieldErrors({ name: fieldError(error, 'name') ?? error.message }),
  })
  return (
    <form onSubmit={form.onSubmit((values) => create.mutate(values))} noValidate>
      <TextInput
        size="xs"
        aria-label="New channel name"
        placeholder="New channel"
        rightSection={
          <ActionIcon type="submit" size="sm" aria-label="Create channel" loading={create.isPending}>
            <IconPlus size="0.875rem" aria-hidden />
          </ActionIcon>
        }
        {...form.getInputProps('name')}
      />
    </form>
  )
}
