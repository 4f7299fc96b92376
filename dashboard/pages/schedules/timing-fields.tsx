import { Group, SegmentedControl, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { ApiProblem } from '../../api.ts'
import { TimeZoneSelect } from '../../ui/forms/time-zone-select.tsx'
import type { DraftForm } from '../../ui/forms/use-draft-form.ts'
import { presets, readCron, writeCron } from './cron-preset.ts'
import { formatIn } from './format-in.ts'
import { type ScheduleValues, timingOf } from './schedule-values.ts'
import { useTimingPreview } from './use-schedules.ts'

export function TimingFields({ form }: { form: DraftForm<ScheduleValues> }) {
  const { repeats } = form.values
  return (
    <Stack gap={8}>
      <SegmentedControl
        aria-label="How often"
        data={[
          { value: 'cron', label: 'Repeats' },
          { value: 'at', label: 'Once' },
        ]}
        {...form.getInputProps('repeats')}
        style={{ alignSelf: 'start' }}
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }} style={{ alignItems: 'start' }}>
        {repeats === 'cron' ? (
          <Presets form={form} />
        ) : (
          <TextInput
            label="Date and time"
            description="In the time zone chosen here."
            type="datetime-local"
            withAsterisk
            {...form.getInputProps('at')}
          />
        )}
        <TimeZoneSelect
          label="Time zone"
          description="With its daylight saving time."
          {...form.getInputProps('timeZone')}
        />
        {repeats === 'cron' && (
          <TextInput
            label="Cron"
            description="Minute, hour, day of the month, month, day of the week."
            placeholder="0 9 * * 1-5"
            withAsterisk
            spellCheck={false}
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
            {...form.getInputProps('cron')}
          />
        )}
      </SimpleGrid>
      <Preview form={form} />
    </Stack>
  )
}

/** For people who do not write cron: what is chosen here is written into the field, and read from it. */
function Presets({ form }: { form: DraftForm<ScheduleValues> }) {
  const { preset, time } = readCron(form.values.cron)
  const write = (cron: string) => {
    form.clearFieldError('cron')
    form.setFieldValue('cron', cron)
  }
  return (
    <Group align="flex-end" gap={8} wrap="nowrap">
      <Select
        label="Repeat"
        description="Fills in the cron expression."
        placeholder="Custom"
        flex={1}
        data={presets}
        maxDropdownHeight={360}
        allowDeselect={false}
        value={preset}
        onChange={(value) => value && write(writeCron(value, time))}
      />
      {preset !== null && time !== null && (
        <TextInput
          label="At"
          type="time"
          w={140}
          value={time}
          onChange={({ currentTarget: { value } }) => value && write(writeCron(preset, value))}
        />
      )}
    </Group>
  )
}

/** What the times mean, while they are typed. */
function Preview({ form }: { form: DraftForm<ScheduleValues> }) {
  const [timing] = useDebouncedValue(timingOf(form.values), 300)
  const isWritten = Boolean(timing.cron || timing.at)
  const preview = useTimingPreview(isWritten ? timing : null)
  const { error } = preview
  const says = error instanceof ApiProblem ? (error.errors?.[0]?.detail ?? error.message) : null
  return (
    <Text size="sm" c={says ? 'var(--bad)' : 'dimmed'} role="status" mih="3em">
      {says}
      {!says && preview.data && (
        <>
          {preview.data.inWords}.
          <br />
          Next:{' '}
          {preview.data.nextTimes
            .slice(0, 3)
            .map((at) => formatIn(at, timing.timeZone))
            .join(' · ')}
        </>
      )}
    </Text>
  )
}
