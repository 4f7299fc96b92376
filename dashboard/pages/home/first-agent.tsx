import { Button, Group, Stack, Textarea, TextInput, Title } from '@mantine/core'
import type { Settings } from '../../contract.ts'
import { FormFoot } from '../../ui/form-foot.tsx'
import { Shown } from '../../ui/shown.tsx'
import { useKeptForm } from '../../ui/use-kept-form.ts'
import { nameProblem } from '../settings/agent-settings.tsx'
import { useChangeSettings, useSettings } from '../settings/use-settings.ts'

export function FirstAgent({ onDone }: { onDone: () => void }) {
  const settings = useSettings()
  return <Shown query={settings}>{(value) => <AgentForm settings={value} onDone={onDone} />}</Shown>
}

function AgentForm({ settings, onDone }: { settings: Settings; onDone: () => void }) {
  const change = useChangeSettings()
  const form = useKeptForm({
    key: 'start:agent',
    initialValues: { agent: { name: settings.agent.name, instructions: settings.agent.instructions } },
    validate: ({ agent }) => ({ 'agent.name': nameProblem(agent.name) }),
  })
  return (
    <form
      onSubmit={form.onSubmit((values) =>
        change.mutate(values, {
          onSuccess: () => {
            form.forget(values)
            onDone()
          },
          onError: form.refuse,
        }),
      )}
      noValidate
    >
      <Stack>
        <Title order={2}>Name your agent, and tell it who it works for</Title>
        <TextInput
          label="Name"
          description="Stands over its messages. In a channel people call it with @bellhop, whatever its name."
          maw={360}
          {...form.getInputProps('agent.name')}
        />
        <Textarea
          label="Instructions for every run"
          description="Who you are and how it should write. You can leave this empty."
          placeholder="You work for Acme's support team. Write short, friendly English. Prices are in euro."
          autosize
          minRows={4}
          {...form.getInputProps('agent.instructions')}
        />
        <FormFoot save="Save and go on" form={form} saving={change}>
          <Group>
            <Button variant="default" onClick={onDone}>
              Skip
            </Button>
          </Group>
        </FormFoot>
      </Stack>
    </form>
  )
}
