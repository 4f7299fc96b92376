import { Grid, Stack, Switch, Textarea, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { newWebhook as newWebhookShape, webhookPatch } from '../../../../src/webhooks/contract.ts'
import { call } from '../../../api.ts'
import type { PresetName, Webhook } from '../../../contract.ts'
import { itemsOf } from '../../../hooks/use-api.ts'
import { useFilter } from '../../../hooks/use-filter.ts'
import { schemaErrors } from '../../../schema-errors.ts'
import type { NumberField } from '../../../ui/forms/number-fields.tsx'
import { useDraftForm } from '../../../ui/forms/use-draft-form.ts'
import { ChannelSelect } from '../../channels/channel-select.tsx'
import { useChannels } from '../../channels/use-channels.ts'
import { RehearsedFoot } from '../../rehearsals/rehearsed-foot.tsx'
import { useRehearse } from '../../rehearsals/use-rehearse.ts'
import { RuleFields } from '../rules/rule-fields.tsx'
import { SampleEvent } from '../rules/sample-event.tsx'
import { SourceGallery } from '../sources/source-gallery.tsx'
import { sourceOf } from '../sources/source-of.ts'
import { type Source, sources } from '../sources/sources.ts'
import { isOurs } from '../verification/presets.ts'
import { VerificationFields } from '../verification/verification-fields.tsx'
import { AgentLimits } from './agent-limits.tsx'
import { DeliverySettings } from './delivery-settings.tsx'
import { PromptSuggestions } from './prompt-suggestions.tsx'
import { newWebhook, toBody, toValues, type WebhookValues, withoutSecrets } from './webhook-values.ts'

const pausesAt = 'The webhook pauses at this limit. Leave empty for none.'

const limits: NumberField[] = [
  {
    path: 'concurrency',
    label: 'Concurrent runs',
    description: 'Further events wait. Default: 4.',
    min: 1,
    optional: true,
  },
  { path: 'runsPerHour', label: 'Runs per hour', description: pausesAt, min: 1, optional: true },
  { path: 'costPerDay', label: 'Cost per day (USD)', description: pausesAt, min: 0, optional: true },
]

type Props = { webhook?: Webhook; onSaved: (webhook: Webhook) => void }

export function WebhookForm({ webhook, onSaved }: Props) {
  const queries = useQueryClient()
  const before = webhook ? toValues(webhook) : null
  const known = useChannels()
  const [only, another] = itemsOf(known)
  const form = useDraftForm<WebhookValues>({
    key: webhook ? `webhook:${webhook.id}` : 'webhook:new',
    // If there is only one channel, it is chosen already.
    initialValues: before ?? (only && !another ? { ...newWebhook, channelId: only.id } : newWebhook),
    withoutSecrets,
    validate: (values) => ({
      'verification.secrets.0': secretProblem(values, webhook),
      ...schemaErrors(before ? webhookPatch : newWebhookShape, toBody(values, before), values),
    }),
  })
  const [sourceId, setSourceId] = useFilter('source')
  const source = sources.find(({ id }) => id === sourceId) ?? null
  const sampleOf = {
    webhookId: webhook?.id ?? null,
    source: webhook ? sourceOf({ name: webhook.name, preset: webhook.verification?.preset ?? null }) : source,
  }
  const choose = (next: Source | null) => {
    setSourceId(next?.id ?? null)
    const { name, prompt, threadKey, verification } = form.values
    // What somebody wrote stays; what came from another source goes with it.
    const isFree = (text: string, former: string | undefined) => text === '' || text === (former ?? '')
    if (isFree(name, source?.name)) form.setFieldValue('name', next?.name ?? '')
    if (isFree(prompt, source?.prompt)) form.setFieldValue('prompt', next?.prompt ?? '')
    if (isFree(threadKey, source?.threadKey)) form.setFieldValue('threadKey', next?.threadKey ?? '')
    if (isFree(verification.preset, source?.preset ?? undefined))
      form.setFieldValue('verification.preset', next?.preset ?? '')
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, for a link that names the source
  useEffect(() => {
    if (!source || form.restored) return
    if (!webhook) choose(source)
    else if (form.values.verification.preset === '')
      form.setFieldValue('verification.preset', source.preset ?? '')
  }, [])
  const save = useMutation({
    mutationFn: (values: WebhookValues) =>
      webhook
        ? call<Webhook>('PATCH', `/webhooks/${webhook.id}`, toBody(values, before))
        : call<Webhook>('POST', '/webhooks', toBody(values, null)),
    onSuccess: (saved) => {
      rehearsing.close()
      if (webhook) form.markSaved(toValues(saved))
      else form.discard(newWebhook)
      void queries.invalidateQueries({ queryKey: ['/webhooks'] })
      onSaved(saved)
    },
    onError: form.showErrors,
  })
  const rehearsing = useRehearse(
    webhook ? { webhookId: webhook.id } : null,
    before ? toBody(form.values, before) : {},
  )
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
      <Stack gap="lg">
        {!webhook && <SourceGallery chosen={source} onChoose={choose} />}
        <Grid gap="lg">
          <Grid.Col span={{ base: 12, md: 7 }}>
            <Stack>
              <TextInput
                label="Name"
                description="What sends the events."
                placeholder="Shop orders"
                withAsterisk
                {...form.getInputProps('name')}
              />
              <ChannelSelect
                label="Channel"
                description="Where the agent posts its reply. Type a new name to create a channel."
                placeholder="Choose a channel"
                withAsterisk
                {...form.getInputProps('channelId')}
                value={form.values.channelId}
              />
              <Textarea
                label="Prompt"
                description="What to do with each event and how to reply. The agent always gets the full event."
                placeholder="Summarize the order for the team in two lines. If the total is over 500, look up the customer first."
                withAsterisk
                autosize
                minRows={7}
                maxRows={24}
                {...form.getInputProps('prompt')}
              />
              <PromptSuggestions onInsert={(text) => form.setFieldValue('prompt', text)} />
              <Switch
                label="Active"
                description="An inactive webhook keeps its URL but refuses events."
                {...form.getInputProps('active', { type: 'checkbox' })}
              />
            </Stack>
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 5 }}>
            <SampleEvent {...sampleOf} />
          </Grid.Col>
        </Grid>
        <Stack gap={8}>
          <RuleFields form={form} {...sampleOf} />
          <AgentLimits form={form} what="webhook" numbers={limits} />
          <VerificationFields form={form} storedPreset={presetOfSecret(webhook)} isNew={!webhook} />
          <DeliverySettings form={form} isNew={!webhook} />
        </Stack>
        <RehearsedFoot
          save={webhook ? 'Save' : 'Create webhook'}
          form={form}
          saving={save}
          rehearsing={rehearsing}
        />
      </Stack>
    </form>
  )
}

/** One that cannot be opened any more serves nobody. */
function presetOfSecret(webhook: Webhook | undefined): PresetName | undefined {
  const stored = webhook?.verification
  return stored?.secrets.set ? stored.preset : undefined
}

/**
 * A new preset needs a new secret: the stored one belongs to the old scheme. A second secret replaces a stored one; it is not
 * added to it.
 */
function secretProblem({ verification }: WebhookValues, webhook: Webhook | undefined): string | null {
  const { preset, secrets } = verification
  const [first, second] = secrets.map((secret) => secret.trim())
  if (preset === '' || first !== '') return null
  // It is added once the sender shows it.
  if (!webhook && !isOurs(preset)) return null
  if (webhook?.verification?.preset !== preset) return 'Enter the secret.'
  return second === '' ? null : 'Enter this one again, too. Both secrets are replaced.'
}
