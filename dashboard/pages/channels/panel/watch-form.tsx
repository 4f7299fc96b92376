import { Button, Group, Modal, NumberInput, Select, Stack, Textarea, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { channelPatch } from '../../../../src/chat/contract.ts'
import { call } from '../../../api.ts'
import type { Channel } from '../../../contract.ts'
import { schemaErrors } from '../../../schema-errors.ts'
import { Unsaved } from '../../../ui/forms/unsaved.tsx'
import { useDraftForm } from '../../../ui/forms/use-draft-form.ts'
import { useHasRole } from '../../accounts/use-me.ts'

type Watch = NonNullable<Channel['watch']>
type Values = { watch: Pick<Watch, 'from' | 'prompt' | 'ceiling' | 'perHour'> & { when: string } }

const fresh: Values['watch'] = { from: 'apps', when: '', prompt: '', ceiling: 'read', perHour: 30 }

export function WatchForm({ channel, onClose }: { channel: Channel; onClose: () => void }) {
  const queries = useQueryClient()
  const admin = useHasRole('admin')
  const { from, when, prompt, ceiling, perHour } = channel.watch ?? fresh
  const form = useDraftForm<Values>({
    key: `watch:${channel.id}`,
    initialValues: { watch: { from, when: when ?? '', prompt, ceiling, perHour } },
    validate: (values) => schemaErrors(channelPatch, values, values),
  })
  const save = useMutation({
    mutationFn: (values: Values) => call<Channel>('PATCH', `/channels/${channel.id}`, values),
    onSuccess: async (_, values) => {
      form.discard(values)
      await queries.invalidateQueries({ queryKey: ['/channels'] })
      onClose()
    },
    onError: form.showErrors,
  })
  return (
    <Modal opened onClose={onClose} title={`Watch #${channel.name}`}>
      <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
        <Stack>
          <Select
            label="Messages of"
            description="New messages outside threads, except those of the agent."
            data={[
              { value: 'apps', label: 'Apps, such as monitoring' },
              { value: 'people', label: 'People' },
              { value: 'all', label: 'People and apps' },
            ]}
            allowDeselect={false}
            {...form.getInputProps('watch.from')}
          />
          <TextInput
            label="Condition"
            description="A CEL condition. Leave empty for every message."
            placeholder='event.text.contains("FIRING")'
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
            {...form.getInputProps('watch.when')}
          />
          <Textarea
            label="What the agent should do"
            description="The agent answers in the thread of the message. Say when to stay silent."
            autosize
            minRows={3}
            required
            {...form.getInputProps('watch.prompt')}
          />
          <Select
            label="Maximum permission"
            data={[
              { value: 'read', label: 'Read: look things up only' },
              { value: 'write', label: 'Write: request changes, which an admin approves' },
              {
                value: 'destructive',
                label: 'Destructive: also request what cannot be undone',
                disabled: !admin && ceiling !== 'destructive',
              },
            ]}
            allowDeselect={false}
            {...form.getInputProps('watch.ceiling')}
          />
          <NumberInput
            label="Runs per hour"
            description="Watching pauses at this limit, with a notice in the channel."
            min={1}
            max={10_000}
            allowDecimal={false}
            {...form.getInputProps('watch.perHour')}
          />
          <Group justify="flex-end">
            {form.isDirty() && <Unsaved form={form} />}
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={save.isPending}>
              {channel.watch ? 'Save' : 'Watch'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
