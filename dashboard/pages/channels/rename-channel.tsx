import { Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../api.ts'
import type { Channel } from '../../contract.ts'
import { fieldErrors } from '../../ui/field-errors.ts'

type Props = { channel: Channel; opened: boolean; onClose: () => void }

export function RenameChannel({ channel, opened, onClose }: Props) {
  const queries = useQueryClient()
  const form = useForm({ initialValues: { name: channel.name } })
  const rename = useMutation({
    mutationFn: (values: { name: string }) => call('PATCH', `/channels/${channel.id}`, values),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['/channels'] })
      onClose()
    },
    onError: (error) => {
      const atFields = fieldErrors(error, (path) => path === 'name')
      form.setErrors(Object.keys(atFields).length > 0 ? atFields : { name: error.message })
    },
  })
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title="Rename the channel"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form onSubmit={form.onSubmit((values) => rename.mutate(values))} noValidate>
        <Stack>
          <TextInput label="Name" data-autofocus {...form.getInputProps('name')} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Keep the name
            </Button>
            <Button type="submit" loading={rename.isPending}>
              Rename
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
