import { Button, Group, Select, Stack, Text, Textarea, TextInput, Title } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { newWebhook } from '../../../src/webhooks/contract.ts'
import { call } from '../../api.ts'
import type { Channel, Webhook } from '../../contract.ts'
import { itemsOf } from '../../hooks/use-api.ts'
import { schemaErrors } from '../../schema-errors.ts'
import { ErrorAlert } from '../../ui/feedback/error-alert.tsx'
import { useDraftForm } from '../../ui/forms/use-draft-form.ts'
import { useChannelChoices, useChannels } from '../channels/use-channels.ts'
import { rememberUrl } from '../webhooks/use-endpoint-url.ts'

const newChannel = 'new'

const toBody = ({ name, prompt }: { name: string; prompt: string }) => ({ name: name.trim(), prompt })

export function FirstWebhook({ onDone }: { onDone: (id: string) => void }) {
  const queries = useQueryClient()
  const channels = useChannels()
  const form = useDraftForm({
    key: 'start:webhook',
    initialValues: {
      name: 'Shop orders',
      channelId: '',
      prompt: 'Summarize the order for the team: its id, total and items.',
    },
    validate: (values) =>
      schemaErrors(newWebhook.omit({ channelId: true, active: true }), toBody(values), values),
  })
  // The default until somebody chooses another one.
  const channelId = form.values.channelId || (itemsOf(channels)[0]?.id ?? newChannel)
  const choices = useChannelChoices(channelId === newChannel ? null : channelId)
  const create = useMutation({
    mutationFn: async (values: typeof form.values) =>
      call<Webhook>('POST', '/webhooks', {
        ...toBody(values),
        channelId:
          channelId === newChannel
            ? (await call<Channel>('POST', '/channels', { name: 'orders' })).id
            : channelId,
        active: true,
      }),
    onSuccess: (webhook) => {
      form.discard()
      rememberUrl(queries, webhook)
      void queries.invalidateQueries({ queryKey: ['/webhooks'] })
      void queries.invalidateQueries({ queryKey: ['/channels'] })
      onDone(webhook.id)
    },
    onError: form.showErrors,
  })
  return (
    <form onSubmit={form.onSubmit((values) => create.mutate(values))} noValidate>
      <Stack>
        <Title order={2}>Create your first webhook</Title>
        <Text c="dimmed">
          A webhook is a secret URL. The agent reads every event posted to it, follows your prompt and replies
          in a channel.
        </Text>
        <TextInput label="Name" {...form.getInputProps('name')} />
        <Select
          label="Channel"
          description="Where the reply appears."
          allowDeselect={false}
          {...choices}
          data={choices.data.length > 0 ? choices.data : [{ value: newChannel, label: '#orders (new)' }]}
          {...form.getInputProps('channelId')}
          value={channelId}
        />
        <Textarea label="Prompt" autosize minRows={3} {...form.getInputProps('prompt')} />
        {create.error && <ErrorAlert error={create.error} of={form.values} />}
        <Group>
          <Button type="submit" loading={create.isPending}>
            Create webhook
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
