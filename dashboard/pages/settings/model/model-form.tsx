import { Group as Row, Select, Stack, Text } from '@mantine/core'
import type { FormEvent } from 'react'
import type { Settings } from '../../../contract.ts'
import { FormFoot } from '../../../ui/forms/form-foot.tsx'
import { useSettingsForm } from '../use-settings-form.ts'
import { ModelFields, useModelTest } from './model-fields.tsx'
import {
  type Group,
  type ModelFormValues,
  modelProblems,
  type Provider,
  savedModel,
  toModelPatch,
  toModelValues,
  valuesOfProvider,
} from './model-values.ts'
import { providerOptions } from './providers.ts'

type Props = {
  settings: Settings
  onSaved: () => void
  /** Shown as a step of the first run: the current model may stay. */
  step?: boolean
}

export function ModelForm({ settings, onSaved, step = false }: Props) {
  const { form, submit, saving } = useSettingsForm<ModelFormValues>({
    key: 'settings:model',
    settings,
    toValues,
    toPatch: (values, before) => toPatch(settings, values, before),
    onSaved,
    withoutSecrets: ({ model, fallbackModel }) => ({
      model: { ...model, apiKey: '' },
      fallbackModel: { ...fallbackModel, apiKey: '' },
    }),
    validate: (values) => ({
      // The environment's model is not asked for its key while only the fallback is changed.
      ...('model' in toPatch(settings, values, toValues(settings))
        ? modelProblems(savedModel(settings, 'model'), 'model', values.model)
        : {}),
      ...modelProblems(settings.fallbackModel, 'fallbackModel', values.fallbackModel),
    }),
  })
  const test = useModelTest(form, 'model')
  const fallbackTest = useModelTest(form, 'fallbackModel')
  const { model, fallbackModel } = form.values
  const choose = (group: Group) => (value: string | null) => {
    const next = (value ?? '') as Provider | '' // the select offers nothing else
    const saved = group === 'model' ? settings.model : settings.fallbackModel
    form.setFieldValue(group, valuesOfProvider(saved, next, form.values[group].apiKey))
  }
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
          onChange={choose('model')}
        />
        {model.provider === 'offline' || model.provider === '' ? (
          <Text c="dimmed">
            No key or network needed. Built-in rules summarize events and call read tools; prompts are
            ignored. Replies are labeled offline (no language model).
          </Text>
        ) : (
          <ModelFields form={form} settings={settings} group="model" provider={model.provider} brief={step} />
        )}
        {!step && (
          <Select
            label="Fallback"
            description="Used while the model above times out, is overloaded or fails."
            placeholder="None"
            clearable
            data={providerOptions.filter(({ value }) => value !== 'offline')}
            {...form.getInputProps('fallbackModel.provider')}
            value={fallbackModel.provider || null}
            onChange={choose('fallbackModel')}
          />
        )}
        {!step && fallbackModel.provider !== '' && fallbackModel.provider !== 'offline' && (
          <>
            <ModelFields
              form={form}
              settings={settings}
              group="fallbackModel"
              provider={fallbackModel.provider}
            />
            {fallbackTest.outcome}
            <Row>{fallbackTest.button}</Row>
          </>
        )}
        {test.outcome}
        <FormFoot save={step ? stepLabel(settings, form.isDirty()) : 'Save'} form={form} saving={saving}>
          {!(step && model.provider === 'offline') && test.button}
        </FormFoot>
      </Stack>
    </form>
  )
}

function stepLabel({ model }: Settings, dirty: boolean): string {
  if (dirty) return 'Continue'
  return model.provider === 'offline' ? 'Continue without a model' : `Keep ${model.label}`
}

function toValues({ model, fallbackModel }: Settings): ModelFormValues {
  return { model: toModelValues(model), fallbackModel: toModelValues(fallbackModel) }
}

/** Of each model what was changed. One that comes from the environment is sent whole. */
function toPatch(settings: Settings, values: ModelFormValues, before: ModelFormValues) {
  const isChanged = (group: Group) => JSON.stringify(values[group]) !== JSON.stringify(before[group])
  const saved = settings.model.source === 'settings'
  return {
    ...(isChanged('model') || !isChanged('fallbackModel')
      ? { model: toModelPatch(values.model, saved ? before.model : null) }
      : {}),
    ...(isChanged('fallbackModel')
      ? {
          fallbackModel: toModelPatch(
            values.fallbackModel,
            settings.fallbackModel ? before.fallbackModel : null,
          ),
        }
      : {}),
  }
}
