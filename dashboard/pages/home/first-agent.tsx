import { Stack, Title } from '@mantine/core'
import { QueryView } from '../../ui/query-view.tsx'
import { AgentForm } from '../settings/agent-form.tsx'
import { useSettings } from '../settings/use-settings.ts'

export function FirstAgent({ onDone }: { onDone: () => void }) {
  const settings = useSettings()
  return (
    <QueryView query={settings}>
      {(value) => (
        <Stack>
          <Title order={2}>Name your agent and tell it who it works for</Title>
          <AgentForm settings={value} onSaved={onDone} step />
        </Stack>
      )}
    </QueryView>
  )
}
