import { Button, Group, Stack, Text, Textarea, TextInput, Title } from '@mantine/core'
import type { Settings } from '../../contract.ts'
import { FormFoot } from '../../ui/form-foot.tsx'
import { say, sayProblem } from '../../ui/say.ts'
import { Shown } from '../../ui/shown.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { useKeptForm } from '../../ui/use-kept-form.ts'
import { useUndo } from '../../use-undo.tsx'
import { useChangeSettings, useSettings } from './use-settings.ts'

export function AgentSettings() {
  const settings = useSettings()
  return <Shown query={settings}>{(value) => <AgentForm settings={value} />}</Shown>
}

function AgentForm({ settings }: { settings: Settings }) {
  const change = useChangeSettings()
  const pause = useChangeSettings()
  const undo = useUndo()
  const { paused, name, instructions } = settings.agent
  const form = useKeptForm({
    key: 'settings:agent',
    initialValues: { agent: { name, instructions } },
    validate: ({ agent }) => ({ 'agent.name': nameProblem(agent.name) }),
  })
  return (
    <Stack maw={720} gap="xl">
      <Stack gap={8}>
        <Title order={2}>Pause</Title>
        <Text c="dimmed">A paused agent accepts and keeps every event, starts no run and calls no tool.</Text>
        <Group>
          <StatusBadge tone={paused ? 'waiting' : 'good'} word={paused ? 'paused' : 'working'} />
          <Button
            size="xs"
            variant="default"
            loading={pause.isPending}
            onClick={() =>
              pause.mutate(
                { agent: { paused: !paused } },
                {
                  onSuccess: ({ agent }) =>
                    undo.offer(agent.paused ? 'The agent is paused.' : 'The agent works again.', () =>
                      pause.mutate({ agent: { paused } }, { onError: sayProblem }),
                    ),
                  onError: sayProblem,
                },
              )
            }
          >
            {paused ? 'Resume the agent' : 'Pause the agent'}
          </Button>
        </Group>
      </Stack>
      <form
        onSubmit={form.onSubmit((values) =>
          change.mutate(values, {
            onSuccess: (saved) => {
              form.forget({ agent: { name: saved.agent.name, instructions: saved.agent.instructions } })
              say('Saved, and in force for new runs.')
            },
            onError: form.refuse,
          }),
        )}
        noValidate
      >
        <Stack>
          <TextInput
            label="Name"
            description="Stands over its messages. In a channel people call it with @bellhop, whatever its name."
            maw={360}
            {...form.getInputProps('agent.name')}
          />
          <Textarea
            label="Instructions for every run"
            description="Who the agent works for and how it should write. Each webhook's prompt comes after this."
            placeholder="You work for Acme's support team. Write short, friendly English. Prices are in euro."
            autosize
            minRows={5}
            maxRows={20}
            {...form.getInputProps('agent.instructions')}
          />
          <FormFoot save="Save" form={form} saving={change} />
        </Stack>
      </form>
      <Group>
        <Text size="xs" c="dimmed">
          The guided start can be opened again at any time.
        </Text>
        <Button component="a" href="/start" size="compact-xs" variant="default">
          Open it
        </Button>
      </Group>
    </Stack>
  )
}

export function nameProblem(name: string): string | null {
  return name.trim() === '' ? 'Give the agent a name, such as Bellhop.' : null
}
