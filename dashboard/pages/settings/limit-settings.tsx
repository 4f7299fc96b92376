import { NumberInput, SimpleGrid, Stack, Title } from '@mantine/core'
import type { Settings } from '../../contract.ts'
import { FormFoot } from '../../ui/form-foot.tsx'
import { say } from '../../ui/say.ts'
import { Shown } from '../../ui/shown.tsx'
import { useKeptForm } from '../../ui/use-kept-form.ts'
import { Prices } from './prices.tsx'
import { useChangeSettings, useSettings } from './use-settings.ts'

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
  const change = useChangeSettings()
  const { limits, retention } = settings
  const form = useKeptForm<Pick<Settings, 'limits' | 'retention'>>({
    key: 'settings:limits',
    initialValues: { limits, retention },
  })
  const number = (path: string) => ({
    thousandSeparator: ',',
    ...form.getInputProps(path),
  })
  const cost = form.getInputProps('limits.costPerRun')
  return (
    <form
      onSubmit={form.onSubmit((values) =>
        change.mutate(values, {
          onSuccess: (saved) => {
            form.forget({ limits: saved.limits, retention: saved.retention })
            say('Saved, and in force for new runs.')
          },
          onError: form.refuse,
        }),
      )}
      noValidate
    >
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
        <Title order={2}>Retention</Title>
        <NumberInput
          label="Days"
          description="Events and runs older than this are deleted."
          min={1}
          maw={340}
          {...number('retention.days')}
        />
        <FormFoot save="Save" form={form} saving={change} />
      </Stack>
    </form>
  )
}
