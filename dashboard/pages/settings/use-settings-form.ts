import type { FormErrors } from '@mantine/form'
import type { Settings, SettingsPatch } from '../../contract.ts'
import { useKeptForm } from '../../ui/use-kept-form.ts'
import { useChangeSettings } from './use-settings.ts'

type Options<V> = {
  /** Names the draft in this browser tab. */
  key: string
  settings: Settings
  toValues: (settings: Settings) => V
  /** `before` is what the server has, as far as this page knows: somebody else may have changed what was not typed. */
  toPatch: (values: V, before: V) => SettingsPatch
  onSaved: () => void
  validate?: (values: V) => FormErrors
  withoutSecrets?: (values: V) => V
}

/** A form over a part of the settings. */
export function useSettingsForm<V extends Record<string, unknown>>(options: Options<V>) {
  const { settings, toValues, toPatch, onSaved, ...kept } = options
  const saving = useChangeSettings()
  const form = useKeptForm<V>({ ...kept, initialValues: toValues(settings) })
  const save = (values: V) =>
    saving.mutate(toPatch(values, toValues(settings)), {
      onSuccess: (saved) => {
        form.saved(toValues(saved))
        onSaved()
      },
      onError: form.refuse,
    })
  return { form, save, saving }
}
