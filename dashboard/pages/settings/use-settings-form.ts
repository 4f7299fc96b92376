import type { FormErrors } from '@mantine/form'
import { settingsPatchShape } from '../../../src/settings/contract.ts'
import type { Settings } from '../../contract.ts'
import { schemaErrors } from '../../schema-errors.ts'
import { useDraftForm } from '../../ui/forms/use-draft-form.ts'
import { useChangeSettings } from './use-settings.ts'

type Options<V> = {
  /** Names the draft in this browser tab. */
  key: string
  settings: Settings
  toValues: (settings: Settings) => V
  /** `before` is what the server has, as far as this page knows: somebody else may have changed what was not typed. */
  toPatch: (values: V, before: V) => object
  onSaved: () => void
  /** What the shape of the settings does not say. */
  validate?: (values: V) => FormErrors
  withoutSecrets?: (values: V) => V
}

/** A form over a part of the settings. */
export function useSettingsForm<V extends Record<string, unknown>>(options: Options<V>) {
  const { settings, toValues, toPatch, onSaved, validate, ...kept } = options
  const saving = useChangeSettings()
  const before = toValues(settings)
  const form = useDraftForm<V>({
    ...kept,
    initialValues: before,
    validate: (values) => ({
      ...validate?.(values),
      ...schemaErrors(settingsPatchShape, toPatch(values, before), values),
    }),
  })
  const submit = (values: V) =>
    saving.mutate(toPatch(values, before), {
      onSuccess: (saved) => {
        form.markSaved(toValues(saved))
        onSaved()
      },
      onError: form.showErrors,
    })
  return { form, submit, saving }
}
