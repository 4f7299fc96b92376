import { ActionIcon, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { IconPlus } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { call } from '../../api.ts'
import type { Channel } from '../../contract.ts'
import { fieldError } from '../../ui/field-errors.ts'

export function NewChannel() {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const form = useForm({
    initialValues: { name: '' },
    validate: { name: (value) => (value.trim() === '' ? 'Give it a name.' : null) },
  })
  const create = useMutation({
    mutationFn: ({ name }: { name: string }) => call<Channel>('POST', '/channels', { name }),
    onSuccess: async (channel) => {
      form.reset()
      await queries.invalidateQueries({ queryKey: ['/channels'] })
      await navigate({ to: `/channels/${channel.id}` })
    },
    onError: (error) => form.setErrors({ name: fieldError(error, 'name') ?? error.message }),
  })
  return (
    <form onSubmit={form.onSubmit((values) => create.mutate(values))} noValidate>
      <TextInput
        size="xs"
        aria-label="Name of a new channel"
        placeholder="New channel"
        rightSection={
          <ActionIcon type="submit" size="sm" aria-label="Create channel" loading={create.isPending}>
            <IconPlus size={14} />
          </ActionIcon>
        }
        {...form.getInputProps('name')}
      />
    </form>
  )
}
