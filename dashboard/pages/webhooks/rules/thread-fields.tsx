import { Stack, Switch, TextInput } from '@mantine/core'
import { type NumberField, NumberFields } from '../../../ui/forms/number-fields.tsx'
import type { DraftForm } from '../../../ui/forms/use-draft-form.ts'
import type { WebhookValues } from '../form/webhook-values.ts'

const days: NumberField[] = [
  {
    path: 'threadDays',
    label: 'Continue a thread for (days)',
    description: 'After that, the next event opens another thread.',
    min: 1,
  },
]
const window: NumberField[] = [
  {
    path: 'collect.quietSeconds',
    label: 'Quiet time',
    unit: 'seconds',
    description: 'The run starts after this long without another event.',
    min: 1,
  },
  {
    path: 'collect.maxSeconds',
    label: 'Longest wait',
    unit: 'seconds',
    description: 'The run starts no later than this after the first event.',
    min: 1,
  },
]

/** Which events belong together, and whether they are handled together. */
export function ThreadFields({ form }: { form: DraftForm<WebhookValues> }) {
  const { threadKey, collects } = form.values
  return (
    <Stack>
      <TextInput
        label="Thread key"
        description="Events with the same key are answered in one thread. A JSON pointer, or several in braces. Leave empty for a message of its own for each event."
        placeholder="{/repository/full_name}#{/number}"
        spellCheck={false}
        {...form.getInputProps('threadKey')}
      />
      {threadKey.trim() !== '' && <NumberFields form={form} fields={days} cols={1} maw={360} />}
      <Switch
        label="Collect events"
        description="Events with the same key that arrive shortly after each other become one run."
        {...form.getInputProps('collects', { type: 'checkbox' })}
      />
      {collects && <NumberFields form={form} fields={window} cols={{ base: 1, sm: 2 }} maw={720} />}
    </Stack>
  )
}
