import { NumberInput, SimpleGrid, Stack, Title } from '@mantine/core'
import type { Settings } from '../../contract.ts'
import { typedDeeplyIn } from '../../ui/follow-server.ts'
import { FormFoot } from '../../ui/form-foot.tsx'
import { notify } from '../../ui/notify.ts'
import { QueryView } from '../../ui/query-view.tsx'
import { Prices } from './prices.tsx'
import { useSettings } from './use-settings.ts'
import { useSettingsForm } from './use-settings-form.ts'

export function LimitSettings() {
  const settings = useSettings()
  return (
    <QueryView query={settings}>
      {(value) => (
        <Stack gap="xl">
          <LimitForm settings={value} />
          <Prices settings={value} />
        </Stack>
      )}
    </QueryView>
  )
}

function LimitForm({ settings }: { settings: Settings }) {
  const { form, save, saving } = useSettingsForm({
    key: 'settings:limits',
    settings,
    toValues: ({ limits, retention }) => ({ limits, retention }),
    toPatch: typedDeeplyIn,
    onSaved: () => notify('Settings saved'),
  })
  const number = (path: string) => ({
    thousandSeparator: ',',
    ...form.getInputProps(path),
  })
  const optional = (path: string) => {
    const props = form.getInputProps(path)
    return {
      ...number(path),
      value: props.value ?? '',
      onChange: (value: number | string) => props.onChange(value === '' ? null : value),
    }
  }
  return (
    <form onSubmit={form.onSubmit(save)} noValidate>
      <Stack maw={720}>
        <Title order={2}>Runs at once</Title>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <NumberInput
            label="Runs of events"
            description="In each worker process. More events wait."
            min={1}
            {...number('limits.activeRuns')}
          />
          <NumberInput
            label="Runs of chat messages"
            description="In each worker process."
            min={1}
            {...number('limits.chatRuns')}
          />
        </SimpleGrid>
        <Title order={2} mt="md">
          One run
        </Title>
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
            description="In US dollars. Empty means no limit."
            min={0}
            {...optional('limits.costPerRun')}
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
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <NumberInput
            label="Days of events and runs"
            description="Older ones are deleted."
            min={1}
            {...number('retention.days')}
          />
          <NumberInput
            label="Days of messages"
            description="At least as many as for runs. Empty means forever."
            min={1}
            {...optional('retention.messageDays')}
          />
          <NumberInput
            label="Days of the audit log"
            description="90 or more. Empty means forever."
            min={90}
            {...optional('retention.auditDays')}
          />
        </SimpleGrid>
        <FormFoot save="Save" form={form} saving={saving} />
      </Stack>
    </form>
  )
}
