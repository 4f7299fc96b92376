import { Radio, Stack, Switch } from '@mantine/core'
import { hasErrorAt } from '../../ui/forms/field-errors.ts'
import { NumberFields } from '../../ui/forms/number-fields.tsx'
import type { DraftForm } from '../../ui/forms/use-draft-form.ts'
import { Collapsible } from '../../ui/layout/collapsible.tsx'
import type { ScheduleValues } from './schedule-values.ts'

const choices = [
  {
    path: 'ifMissed',
    label: 'If Bellhop was not running',
    options: [
      { value: 'skip', label: 'Skip the time', words: 'The time is listed as missed.' },
      {
        value: 'run',
        label: 'Run late',
        words: 'The last missed time runs as soon as Bellhop is running again.',
      },
    ],
  },
  {
    path: 'overlap',
    label: 'If the previous run is not finished',
    options: [
      { value: 'skip', label: 'Skip the time', words: 'The time is listed as skipped.' },
      { value: 'wait', label: 'Wait', words: 'The next run starts after the previous one.' },
    ],
  },
  {
    path: 'thread',
    label: 'Replies',
    options: [
      { value: 'new', label: 'A new message each time', words: null },
      { value: 'same', label: 'All in one thread', words: null },
    ],
  },
] as const

export function LateSettings({ form }: { form: DraftForm<ScheduleValues> }) {
  const { ifMissed, overlap, thread } = form.values
  const summary = [
    ifMissed === 'skip' ? 'Skips missed times' : 'Runs late',
    overlap === 'skip' ? 'skips overlaps' : 'waits for the previous run',
    thread === 'new' ? 'new message each time' : 'one thread',
  ].join(', ')
  return (
    <Collapsible
      title="Missed times and replies"
      summary={summary}
      faulty={hasErrorAt(form.errors, 'ifMissed', 'graceMinutes', 'overlap', 'thread', 'allowSilence')}
    >
      <Stack>
        {choices.map(({ path, label, options }) => (
          <Radio.Group key={path} label={label} {...form.getInputProps(path)}>
            <Stack gap={8} mt={8}>
              {options.map(({ value, label, words }) => (
                <Radio key={value} value={value} label={label} description={words} />
              ))}
            </Stack>
          </Radio.Group>
        ))}
        {ifMissed === 'run' && (
          <NumberFields
            form={form}
            fields={[
              {
                path: 'graceMinutes',
                label: 'Latest',
                unit: 'minutes',
                description: 'How late a missed time may still run.',
                min: 1,
              },
            ]}
          />
        )}
        <Switch
          label="Replies are optional"
          description="The prompt decides when there is nothing worth posting."
          {...form.getInputProps('allowSilence', { type: 'checkbox' })}
        />
      </Stack>
    </Collapsible>
  )
}
