import { Alert, Autocomplete, Button, Select, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { call } from '../../api.ts'
import type { ModelTest, Settings } from '../../contract.ts'
import { ErrorAlert } from '../../ui/error-alert.tsx'
import { FormFoot } from '../../ui/form-foot.tsx'
import { changedFields } from '../../ui/merge-server-values.ts'
import { SecretInput } from '../../ui/secret-input.tsx'
import { modelNames, providerOptions } from './providers.ts'
import { useSettingsForm } from './use-settings-form.ts'

type Provider = Settings['model']['provider']
type Values = { model: { provider: Provider; name: string; baseUrl: string; apiKey: string | null } }

type Props = {
  settings: Settings
  onSaved: () => void
  /** Shown as a step of the first run: the current model may stay. */
  step?: boolean
}

export function ModelForm({ settings, onSaved, step = false }: Props) {
  const { form, submit, saving } = useSettingsForm<Values>({
    key: 'settings:model',
    settings,
    toValues,
    toPatch: (values, before) => ({
      model: toPatch(values, settings.model.source === 'settings' ? before : null),
    }),
    onSaved,
    withoutSecrets: (values) => ({ model: { ...values.model, apiKey: '' } }),
    validate: ({ model }) => ({
      'model.name': model.provider !== 'offline' && model.name.trim() === '' ? 'Enter the model name.' : null,
      'model.baseUrl':
        model.provider === 'openai-compatible' && model.baseUrl.trim() === ''
          ? 'Enter the base URL, for example https://llm.example.com/v1.'
          : null,
      'model.apiKey':
        model.apiKey === '' && !keepsKey(settings, model) && needsKey(model)
          ? 'Enter the API key from your provider.'
          : null,
    }),
  })
  const test = useMutation({
    // If nothing was changed, this tests the model in use, with whatever key and address the environment has for it.
    mutationFn: (values: Values) =>
      call<ModelTest>('POST', '/settings/model/test', form.isDirty() ? toPatch(values, null) : {}),
    onError: form.showErrors,
  })
  // A result belongs to the values that were tested, not to what is being typed now.
  const changed = JSON.stringify(test.variables) !== JSON.stringify(form.values)
  const { provider } = form.values.model
  const keep = (event: FormEvent) => {
    event.preventDefault()
    onSaved()
  }
  return (
    <form onSubmit={step && !form.isDirty() ? keep : form.onSubmit(submit)} noValidate>
      <Stack>
        <Select
          label="Provider"
          data={providerOptions}
          allowDeselect={false}
          {...form.getInputProps('model.provider')}
          onChange={(value) => {
            const next = value as Provider // the select offers nothing else
            form.setFieldValue('model.provider', next)
            // People who have just got a key need not know the names of models.
            form.setFieldValue('model.name', defaultName(settings, next))
            // Otherwise the key of one provider would be sent to the address of another.
            form.setFieldValue('model.baseUrl', defaultAddress(settings, next))
            if (form.values.model.apiKey === null) form.setFieldValue('model.apiKey', '')
          }}
        />
        {provider === 'offline' ? (
          <Text c="dimmed">
            No key or network needed. Built-in rules summarize events and call read tools; prompts are
            ignored. Replies are labeled offline (no language model).
          </Text>
        ) : (
          <>
            <Autocomplete
              label="Model"
              description="The exact model ID, e.g. gpt-5-mini"
              data={modelNames[provider]}
              filter={({ options }) => options}
              placeholder="llama3.1"
              {...form.getInputProps('model.name')}
            />
            <SecretInput
              label="API key"
              description="Stored encrypted and never shown again."
              isSet={keepsKey(settings, form.values.model)}
              removable={provider === 'openai-compatible'}
              {...form.getInputProps('model.apiKey')}
            />
            <TextInput
              label="Base URL"
              description={
                provider === 'openai-compatible'
                  ? 'Usually ends in /v1. Private addresses are blocked unless the server allows them with EGRESS_PRIVATE_EXCEPTIONS or MODEL_BASE_URL.'
                  : "Leave empty for the provider's default."
              }
              placeholder="https://llm.example.com/v1"
              {...form.getInputProps('model.baseUrl')}
            />
          </>
        )}
        {!changed && test.data && <Outcome result={test.data} />}
        {!changed && test.error && <ErrorAlert error={test.error} of={form.values} />}
        <FormFoot save={step ? stepLabel(settings, form.isDirty()) : 'Save'} form={form} saving={saving}>
          <Button variant="default" loading={test.isPending} onClick={() => test.mutate(form.values)}>
            Test model
          </Button>
        </FormFoot>
      </Stack>
    </form>
  )
}

/** A stored key stays with its provider and address; the environment's stays with the model that is named there. */
function keepsKey({ model: saved }: Settings, { provider, baseUrl }: Values['model']): boolean {
  return (
    saved.source === 'settings' &&
    saved.apiKey.set &&
    provider === saved.provider &&
    baseUrl.trim() === (saved.baseUrl ?? '')
  )
}

/** At its own address every provider needs a key; your own server may not. */
function needsKey({ provider, baseUrl }: Values['model']): boolean {
  return provider !== 'offline' && provider !== 'openai-compatible' && baseUrl.trim() === ''
}

function defaultName({ model: saved }: Settings, provider: Provider): string {
  if (provider === saved.provider) return saved.name
  return provider === 'offline' ? '' : (modelNames[provider][0] ?? '')
}

function defaultAddress({ model: saved }: Settings, provider: Provider): string {
  return provider === saved.provider ? (saved.baseUrl ?? '') : ''
}

function stepLabel({ model }: Settings, dirty: boolean): string {
  if (dirty) return 'Continue'
  return model.provider === 'offline' ? 'Continue without a model' : `Keep ${model.label}`
}

function Outcome({ result }: { result: ModelTest }) {
  return (
    <Alert
      role="status"
      variant="outline"
      color={result.ok ? 'green' : 'red'}
      title={
        result.ok ? `${result.model} replied in ${Math.round(result.timeMs)} ms` : 'The model test failed'
      }
    >
      {result.ok ? result.answer : result.problem}
    </Alert>
  )
}

function toValues({ model }: Settings): Values {
  return { model: { provider: model.provider, name: model.name, baseUrl: model.baseUrl ?? '', apiKey: '' } }
}

/**
 * Whole, or what differs from `before`, since somebody else may have changed the rest meanwhile. What was typed was meant for the
 * provider that was shown, and a key for its address too.
 */
function toPatch({ model }: Values, before: Values | null) {
  const { provider, apiKey } = model
  if (provider === 'offline') return { provider, name: '', baseUrl: null }
  const typed = changedFields(
    model,
    before !== null && provider === before.model.provider ? before.model : {},
  )
  return {
    provider,
    ...('name' in typed ? { name: model.name.trim() } : {}),
    ...('baseUrl' in typed || apiKey !== '' ? { baseUrl: model.baseUrl.trim() || null } : {}),
    ...(apiKey === '' ? {} : { apiKey }),
  }
}
