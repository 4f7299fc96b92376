import { Button, Group, Stack, Textarea, Title } from '@mantine/core'
import type { Settings } from '../../contract.ts'
import { FormFoot } from '../../ui/form-foot.tsx'
import { Shown } from '../../ui/shown.tsx'
import { useKeptForm } from '../../ui/use-kept-form.ts'
import { useChangeSettings, useSettings } from '../settings/use-settings.ts'

export function FirstAgent({ onDone }: { onDone: () => void }) {
  const settings = useSettings()
  return <Shown query={settings}>{(value) => <AgentForm settings={value} onDone={onDone} />}</Shown>
}

function AgentForm({ settings, onDone }: { settings: Settings; onDone: () => void }) {
  const change = useChangeSettings()
  const form = useKeptForm({
    key: 'start:agent',
    initialValues: { agent: { instructions: settings.agent.instructions } },
  })
  return (
    <form
      onSubmit={form.onSubmit((values) =>
        change.mutate(values, {
          onSuccess: () => {
            form.forget(values)
            onDone()
          },
          onError: (error) => form.refuse(error),
        }),
      )}
      noValidate
    >
      <Stack>
        <Title order={2}>Tell the agent who it works for</Title>
        <Textarea
          label="Instructions for every run"
          description="Who you are and how it should write. You can leave this empty."
          placeholder="You work for Acme's support team. Write short, friendly English. Prices are in euro."
          autosize
          minRows={4}
          {...form.getInputProps('agent.instructions')}
        />
        <FormFoot
          save="Save and go on"
          saving={change.isPending}
          dirty={form.isDirty()}
          restored={form.restored}
          onDiscard={() => form.forget()}
          error={change.error}
        >
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
