import { Button, Stack, Textarea, TextInput } from '@mantine/core'
import type { Settings } from '../../contract.ts'
import { typedDeeplyIn } from '../../ui/follow-server.ts'
import { FormFoot } from '../../ui/form-foot.tsx'
import { useSettingsForm } from './use-settings-form.ts'

type Props = {
  settings: Settings
  onSaved: () => void
  /** Shown as a step of the first run: it can be skipped. */
  step?: boolean
}

export function AgentForm({ settings, onSaved, step = false }: Props) {
  const { form, save, saving } = useSettingsForm({
    key: 'settings:agent',
    settings,
    toValues: ({ agent: { name, instructions } }) => ({ agent: { name, instructions } }),
    toPatch: typedDeeplyIn,
    onSaved,
  })
  return (
    <form onSubmit={form.onSubmit(save)} noValidate>
      <Stack>
        <TextInput
          label="Name"
          description="Shown above its messages. In a channel, people mention it with @ and this name, or with @bellhop."
          maw={360}
          {...form.getInputProps('agent.name')}
        />
        <Textarea
          label="Instructions for every run"
          description="Who the agent works for and how it should write. Each webhook adds its own prompt. Optional."
          placeholder="You work for Acme's support team. Write short, friendly English. Prices are in euros."
          autosize
          minRows={5}
          maxRows={20}
          {...form.getInputProps('agent.instructions')}
        />
        <FormFoot save={step ? 'Continue' : 'Save'} form={form} saving={saving}>
          {step && (
            <Button variant="default" onClick={onSaved}>
              Skip
            </Button>
          )}
        </FormFoot>
      </Stack>
    </form>
  )
}
