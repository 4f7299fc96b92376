import { NumberInput, SimpleGrid, Stack, Title } from '@mantine/core'
import type { Settings } from '../../contract.ts'
import { FormFoot } from '../../ui/form-foot.tsx'
import { say } from '../../ui/say.ts'
import { Shown } from '../../ui/shown.tsx'
import { Prices } from './prices.tsx'
import { useSettings } from './use-settings.ts'
import { useSettingsForm } from './use-settings-form.ts'

export function LimitSettings() {
  const settings = useSettings()
  return (
    <Shown query={settings}>
      {(value) => (
        <Stack gap="xl">
          <LimitForm settings={value} />
          <Prices settings={value} />
        </Stack>
      )}
    </Shown>
  )
}

function LimitForm({ settings }: { settings: Settings }) {
  const { form, save, saving } = useSettingsForm({
    key: 'settings:limits',
    settings,
    toValues: ({ limits, retention }) => ({ limits, retention }),
    toPatch: (values) => values,
    onSaved: () => say('Saved, and in force for new runs.'),
  })
  const number = (path: string) => ({
    thousandSeparator: ',',
    ...form.getInputProps(path),
  })
  const cost = form.getInputProps('limits.costPerRun')
  return (
    <form onSubmit={form.onSubmit(save)} noValidate>
      <Stack maw={720}>
        <Title order={2}>One run</Title>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <NumberInput
            label="Steps"
            description="A run that needs more ends with a notice."
            min={1}
            {...number('limits.stepsPerRun')}
          />
          <NumberInput
            label="Seconds of work"
            description="Waiting for an approval does not count."
            min={10}
            {...number('limits.workSecondsPerRun')}
          />
          <NumberInput
            label="Tokens"
            description="In and out together."
            min={1000}
            {...number('limits.tokensPerRun')}
          />
          <NumberInput
            label="Cost"
            description="By the price table. Empty means no limit."
            min={0}
            {...cost}
            value={cost.value ?? ''}
            onChange={(value) => cost.onChange(value === '' ? null : value)}
          />
          <NumberInput
            label="Seconds until an approval expires"
            description="Then it counts as denied. 86,400 is one day."
            min={60}
            {...number('limits.approvalSeconds')}
          />
        </SimpleGrid>
        <Title order={2} mt="md">
          Retention
        </Title>
        <NumberInput
          label="Days"
          description="Events and runs older than this are deleted."
          min={1}
          maw={352}
          {...number('retention.days')}
        />
        <FormFoot save="Save" form={form} saving={saving} />
      </Stack>
    </form>
  )
}
