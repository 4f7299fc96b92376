import { Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import type { PresetName } from '../../../contract.ts'
import { hasErrorAt } from '../../../ui/forms/field-errors.ts'
import { SecretInput } from '../../../ui/forms/secret-input.tsx'
import type { DraftForm } from '../../../ui/forms/use-draft-form.ts'
import { Collapsible } from '../../../ui/layout/collapsible.tsx'
import type { WebhookValues } from '../form/webhook-values.ts'
import { GenericScheme } from './generic-scheme.tsx'
import { MakeSecret } from './make-secret.tsx'
import { presetLabel, presetLabels } from './presets.ts'

const options = Object.entries(presetLabels).map(([value, { label }]) => ({ value, label }))

type Props = {
  form: DraftForm<WebhookValues>
  /** Whose secret is stored; it serves no other one. */
  storedPreset: PresetName | undefined
  /** There is no URL yet. */
  isNew: boolean
}

export function VerificationFields({ form, storedPreset, isNew }: Props) {
  const { preset } = form.values.verification
  const words = preset === '' ? null : presetLabels[preset as PresetName] // the select offers nothing else
  // Many senders show their secret only once they have the URL.
  const isLater =
    isNew && preset !== '' && !words?.ours && form.values.verification.secrets.every((one) => one === '')
  return (
    <Collapsible
      title="Verification"
      faulty={hasErrorAt(form.errors, 'verification')}
      summary={
        preset === ''
          ? 'Off: anyone with the URL can send events'
          : `${presetLabel(preset)}, ${isLater ? 'once you add the secret' : 'checked on every delivery'}`
      }
      open={preset !== ''}
    >
      <Stack>
        <Select
          label="Sender"
          description="How Bellhop checks that a delivery really comes from this sender."
          placeholder="Not verified"
          data={options}
          searchable
          clearable
          {...form.getInputProps('verification.preset')}
          value={preset === '' ? null : preset}
          onChange={(value) => form.setFieldValue('verification.preset', value ?? '')}
        />
        {words && (
          <>
            {/* Descriptions have one line or two, and an error adds one below. */}
            <SimpleGrid
              cols={{ base: 1, sm: 2 }}
              style={{ alignItems: form.errors['verification.secrets.0'] ? 'start' : 'end' }}
            >
              <SecretInput
                label="Secret"
                description={words.secret}
                isSet={preset === storedPreset}
                {...form.getInputProps('verification.secrets.0')}
              />
              <SecretInput
                label="Second secret"
                description="For rotation: both secrets are accepted."
                {...form.getInputProps('verification.secrets.1')}
              />
            </SimpleGrid>
            {words.ours && (
              <MakeSecret
                value={form.values.verification.secrets[0] ?? ''}
                onMade={(secret) => form.setFieldValue('verification.secrets.0', secret)}
              />
            )}
            {words.header && (
              <TextInput
                label="Header"
                description={`Default: ${words.header}`}
                placeholder={words.header}
                {...form.getInputProps('verification.header')}
              />
            )}
            {preset === 'shared_secret' && (
              <TextInput
                label="Prefix"
                description="Text before the secret in the header, e.g. “Bearer ” including the space."
                {...form.getInputProps('verification.prefix')}
              />
            )}
            {preset === 'grafana' && (
              <TextInput
                label="Timestamp header"
                description="Only if the contact point sets one. Use the same name."
                placeholder="X-Grafana-Alerting-Timestamp"
                {...form.getInputProps('verification.timestampHeader')}
              />
            )}
            {preset === 'generic' && <GenericScheme form={form} />}
            <Text size="xs" c="dimmed">
              {isLater
                ? `If ${words.label} shows the secret only after you enter the URL there, create the webhook first and add the secret afterwards. Until then, anyone with the URL can send events.`
                : 'Deliveries that fail this check get 401 and are listed under Refused with the reason.'}
            </Text>
          </>
        )}
      </Stack>
    </Collapsible>
  )
}
