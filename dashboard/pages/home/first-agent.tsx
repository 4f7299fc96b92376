import { Button, Stack, Title } from '@mantine/core'
import { QueryView } from '../../ui/feedback/query-view.tsx'
import { SettingsCard } from '../settings/settings-card.tsx'
import { agentFields } from '../settings/settings-fields.ts'
import { useSettings } from '../settings/use-settings.ts'

export function FirstAgent({ onDone }: { onDone: () => void }) {
  const settings = useSettings()
  return (
    <QueryView query={settings}>
      {(value) => (
        <Stack>
          <Title order={2}>Name your agent and tell it who it works for</Title>
          <SettingsCard name="agent" settings={value} fields={agentFields} onSaved={onDone} save="Continue">
            <Button variant="default" onClick={onDone}>
              Skip
            </Button>
          </SettingsCard>
        </Stack>
      )}
    </QueryView>
  )
}
