import { Alert, Autocomplete, Button, NumberInput, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { call } from '../../../api.ts'
import type { ModelTest, Settings } from '../../../contract.ts'
import { ErrorAlert } from '../../../ui/feedback/error-alert.tsx'
import { SecretInput } from '../../../ui/forms/secret-input.tsx'
import type { DraftForm } from '../../../ui/forms/use-draft-form.ts'
import {
  type Group,
  keepsKey,
  type ModelFormValues,
  type ModelValues,
  savedModel,
  toModelPatch,
} from './model-values.ts'
import { exampleName, modelNames } from './providers.ts'

type Props = {
  form: DraftForm<ModelFormValues>
  settings: Settings
  group: Group
  provider: Exclude<ModelValues['provider'], 'offline' | ''>
  /** Without what only few people change. */
  brief?: boolean
}

/** The model, its key and its address. The labels of the fallback say which one it is. */
export function ModelFields({ form, settings, group, provider, brief = false }: Props) {
  const label = (words: string) =>
    group === 'model' ? words : `Fallback ${words.replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase())}`
  return (
    <>
      <Autocomplete
        label={label('Model')}
        description={`The exact model ID, e.g. ${exampleName(provider)}`}
        data={modelNames[provider]}
        filter={({ options }) => options}
        {...form.getInputProps(`${group}.name`)}
      />
      <SecretInput
        label={label('API key')}
        description={`${provider === 'openai-compatible' ? 'Only if the server requires a key. ' : ''}Stored encrypted and never shown again.`}
        isSet={keepsKey(savedModel(settings, group), form.values[group])}
        removable={provider === 'openai-compatible'}
        {...form.getInputProps(`${group}.apiKey`)}
      />
      <TextInput
        label={label('Base URL')}
        description={
          provider === 'openai-compatible'
            ? 'Usually ends in /v1. Private addresses are blocked unless the server allows them with EGRESS_PRIVATE_EXCEPTIONS or MODEL_BASE_URL.'
            : "Leave empty for the provider's default."
        }
        placeholder="https://llm.example.com/v1"
        {...form.getInputProps(`${group}.baseUrl`)}
      />
      {!brief && (
        <NumberInput
          label={label('Longest answer (tokens)')}
          description="Leave empty for the limit of the model. For Anthropic models that Bellhop does not know, that is 4,096."
          min={100}
          {...form.getInputProps(`${group}.maxOutputTokens`)}
        />
      )}
    </>
  )
}

/** Tests what is typed, or what is in use if nothing was changed. */
export function useModelTest(form: DraftForm<ModelFormValues>, group: Group) {
  const test = useMutation({
    // If nothing was changed, this tests the model in use, with whatever key and address the environment has for it.
    mutationFn: (values: ModelFormValues) =>
      call<ModelTest>('POST', '/settings/model/test', {
        ...(form.isDirty(group) ? toModelPatch(values[group], null) : {}),
        of: group,
      }),
    onError: form.showErrors,
  })
  // A result belongs to the values that were tested, not to what is being typed now.
  const changed = JSON.stringify(test.variables) !== JSON.stringify(form.values)
  return {
    outcome: changed ? null : test.data ? (
      <Outcome result={test.data} />
    ) : (
      test.error && <ErrorAlert error={test.error} of={form.values} />
    ),
    button: (
      <Button variant="default" loading={test.isPending} onClick={() => test.mutate(form.values)}>
        {group === 'model' ? 'Test model' : 'Test fallback'}
      </Button>
    ),
  }
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
