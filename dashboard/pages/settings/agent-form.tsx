import { Button, Stack, Textarea, TextInput } from '@mantine/core'
import type { Settings } from '../../contract.ts'
import { FormFoot } from '../../ui/form-foot.tsx'
import { useKeptForm } from '../../ui/use-kept-form.ts'
import { useChangeSettings } from './use-settings.ts'

type Props = {
  settings: Settings
  onSaved: () => void
  /** A step on the way to something: it can be skipped. */
  step?: boolean
}

export function AgentForm({ settings, onSaved, step = false }: Props) {
  const change = useChangeSettings()
  const form = useKeptForm({
    key: 'settings:agent',
    initialValues: toValues(settings),
    validate: ({ agent }) => ({
      'agent.name': agent.name.trim() === '' ? 'Give the agent a name, such as Bellhop.' : null,
    }),
  })
  return (
    <form
      onSubmit={form.onSubmit((values) =>
        change.mutate(values, {
          onSuccess: (saved) => {
            form.forget(toValues(saved))
            onSaved()
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
          description="Who the agent works for and how it should write. Each webhook's prompt comes after this. You can leave it empty."
          placeholder="You work for Acme's support team. Write short, friendly English. Prices are in euro."
          autosize
          minRows={5}
          maxRows={20}
          {...form.getInputProps('agent.instructions')}
        />
        <FormFoot save={step ? 'Save and go on' : 'Save'} form={form} saving={change}>
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

function toValues({ agent: { name, instructions } }: Settings) {
  return { agent: { name, instructions } }
}
