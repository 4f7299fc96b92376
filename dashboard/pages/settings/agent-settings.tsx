import { Alert, Anchor, Button, Group, Stack, Text, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { call } from '../../api.ts'
import type { Settings } from '../../contract.ts'
import { useQuickChange } from '../../hooks/use-quick-change.ts'
import { notify } from '../../ui/feedback/notify.ts'
import { QueryView } from '../../ui/feedback/query-view.tsx'
import { StatusBadge } from '../../ui/feedback/status-badge.tsx'
import { SettingsCard } from './settings-card.tsx'
import { agentFields } from './settings-fields.ts'
import { useSettings } from './use-settings.ts'

export function AgentSettings() {
  const settings = useSettings()
  return (
    <QueryView query={settings}>
      {(value) => (
        <Stack maw={720} gap="xl">
          <Pause {...value.agent} />
          <SettingsCard
            name="agent"
            settings={value}
            fields={agentFields}
            onSaved={() => notify('Settings saved')}
          />
          <Text size="xs" c="dimmed">
            <Anchor component={Link} to="/start" size="xs">
              Open the setup guide again
            </Anchor>
          </Text>
        </Stack>
      )}
    </QueryView>
  )
}

function Pause({ paused, pauseReason }: Pick<Settings['agent'], 'paused' | 'pauseReason'>) {
  const queries = useQueryClient()
  const { requested, change } = useQuickChange({
    id: 'pause',
    save: async (agent: { paused: boolean }) =>
      queries.setQueryData(['/settings'], await call<Settings>('PATCH', '/settings', { agent })),
    refresh: () => queries.invalidateQueries({ queryKey: ['/settings'] }),
  })
  const toggle = () =>
    change({ paused: !paused }, paused ? 'The agent is running again' : 'The agent is paused')
  return (
    <Stack gap={8}>
      <Title order={2}>Pause</Title>
      <Text c="dimmed">
        While paused, the agent stores every event but starts no runs and calls no tools.
      </Text>
      {pauseReason && (
        <Alert color="yellow" variant="outline">
          {pauseReason}
        </Alert>
      )}
      <Group>
        <StatusBadge tone={paused ? 'waiting' : 'good'} word={paused ? 'paused' : 'running'} />
        <Button size="xs" variant="default" loading={requested !== null} onClick={toggle}>
          {paused ? 'Resume agent' : 'Pause agent'}
        </Button>
      </Group>
    </Stack>
  )
}
