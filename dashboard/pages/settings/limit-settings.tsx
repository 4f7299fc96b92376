import { Stack } from '@mantine/core'
import { notify } from '../../ui/feedback/notify.ts'
import { QueryView } from '../../ui/feedback/query-view.tsx'
import { Prices } from './model/prices.tsx'
import { SettingsCard } from './settings-card.tsx'
import { limitFields } from './settings-fields.ts'
import { useSettings } from './use-settings.ts'

export function LimitSettings() {
  const settings = useSettings()
  return (
    <QueryView query={settings}>
      {(value) => (
        <Stack gap="xl">
          <SettingsCard
            name="limits"
            settings={value}
            fields={limitFields}
            save="Save limits"
            onSaved={() => notify('Settings saved')}
          />
          <Prices settings={value} />
        </Stack>
      )}
    </QueryView>
  )
}
