import { Button, Group, Modal, Stack, Switch, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { channelPatch } from '../../../src/chat/contract.ts'
import { call } from '../../api.ts'
import type { Channel } from '../../contract.ts'
import { schemaErrors } from '../../schema-errors.ts'
import { fieldErrors } from '../../ui/forms/field-errors.ts'
import { changedFields } from '../../ui/forms/merge-server-values.ts'
import { Unsaved } from '../../ui/forms/unsaved.tsx'
import { useDraftForm } from '../../ui/forms/use-draft-form.ts'
import { ConnectorScope } from '../connectors/connector-scope.tsx'
import { ReadsAcross } from '../connectors/reads-across.tsx'

type Props = { channel: Channel; opened: boolean; onClose: () => void }
type Values = Pick<Channel, 'name' | 'connectorIds' | 'readsAcross' | 'threadContext'>

export function ChannelSettings({ channel, opened, onClose }: Props) {
  const queries = useQueryClient()
  const { id, name, connectorIds, readsAcross, threadContext } = channel
  const before = { name, connectorIds, readsAcross, threadContext }
  const form = useDraftForm<Values>({
    key: `channel:${id}`,
    initialValues: before,
    validate: (values) => schemaErrors(channelPatch, changedFields(values, before), values),
  })
  const save = useMutation({
    // Only what was changed: somebody else may have changed the rest meanwhile.
    mutationFn: (values: Values) => call<Channel>('PATCH', `/channels/${id}`, changedFields(values, before)),
    onSuccess: async (saved) => {
      form.markSaved({
        name: saved.name,
        connectorIds: saved.connectorIds,
        readsAcross: saved.readsAcross,
        threadContext: saved.threadContext,
      })
      await queries.invalidateQueries({ queryKey: ['/channels'] })
      onClose()
    },
    onError: (error) => {
      const atFields = fieldErrors(error, form.values)
      form.setFieldErrors(Object.keys(atFields).length > 0 ? atFields : { name: error.message })
    },
  })
  return (
    <Modal opened={opened} onClose={onClose} title="Channel settings">
      <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
        <Stack>
          {channel.platform === 'built-in' ? (
            <TextInput label="Name" data-autofocus {...form.getInputProps('name')} />
          ) : (
            <TextInput
              label="Name"
              description={`Rename it in ${channel.workspaceName}.`}
              disabled
              {...form.getInputProps('name')}
            />
          )}
          <ConnectorScope
            description="Connectors the agent may use when asked here, and for webhooks of this channel without a list of their own."
            usual="All connectors"
            {...form.getInputProps('connectorIds')}
            value={form.values.connectorIds}
          />
          <ReadsAcross
            description="For runs about events in this channel: once a run has read from one connector, a call of another one waits for an admin."
            {...form.getInputProps('readsAcross')}
            value={form.values.readsAcross}
          />
          {channel.platform !== 'built-in' && (
            <Switch
              label="Read threads that others began"
              description="When somebody mentions the agent in a thread, it reads what people and apps wrote there before."
              checked={form.values.threadContext === 'all'}
              onChange={(event) =>
                form.setFieldValue('threadContext', event.currentTarget.checked ? 'all' : 'off')
              }
            />
          )}
          <Group justify="flex-end">
            {form.isDirty() && <Unsaved form={form} />}
            <Button
              variant="default"
              onClick={() => {
                form.discard()
                onClose()
              }}
            >
              Cancel
            </Button>
            <Button type="submit" loading={save.isPending}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
