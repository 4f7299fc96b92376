import { Stack, Switch, Textarea, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { newSchedule as newScheduleShape, schedulePatch } from '../../../src/schedules/contract.ts'
import { call } from '../../api.ts'
import type { Schedule } from '../../contract.ts'
import { itemsOf } from '../../hooks/use-api.ts'
import { schemaErrors } from '../../schema-errors.ts'
import type { NumberField } from '../../ui/forms/number-fields.tsx'
import { useDraftForm } from '../../ui/forms/use-draft-form.ts'
import { ChannelSelect } from '../channels/channel-select.tsx'
import { useChannels } from '../channels/use-channels.ts'
import { RehearsedFoot } from '../rehearsals/rehearsed-foot.tsx'
import { useRehearse } from '../rehearsals/use-rehearse.ts'
import { AgentLimits } from '../webhooks/form/agent-limits.tsx'
import { LateSettings } from './late-settings.tsx'
import type { Proposal } from './read-proposal.ts'
import { newSchedule, type ScheduleValues, toBody, toValues } from './schedule-values.ts'
import { TimingFields } from './timing-fields.tsx'

type Props = { schedule?: Schedule; proposal?: Proposal; onSaved: (schedule: Schedule) => void }

const numbers: NumberField[] = [
  {
    path: 'costPerDay',
    label: 'Cost per day (USD)',
    description: 'The schedule pauses at this limit. Leave empty for none.',
    min: 0,
    optional: true,
  },
]

export function ScheduleForm({ schedule, proposal, onSaved }: Props) {
  const queries = useQueryClient()
  const before = schedule ? toValues(schedule) : null
  const [only, another] = itemsOf(useChannels())
  const form = useDraftForm<ScheduleValues>({
    key: `schedule:${schedule?.id ?? proposal?.callId ?? 'new'}`,
    // If there is only one channel, it is chosen already.
    initialValues:
      before ??
      (proposal
        ? { ...newSchedule, ...proposal.values }
        : only && !another
          ? { ...newSchedule, channelId: only.id }
          : newSchedule),
    validate: (values) =>
      schemaErrors(before ? schedulePatch : newScheduleShape, toBody(values, before), values),
  })
  const save = useMutation({
    mutationFn: (values: ScheduleValues) =>
      schedule
        ? call<Schedule>('PATCH', `/schedules/${schedule.id}`, toBody(values, before))
        : call<Schedule>('POST', '/schedules', toBody(values, null)),
    onSuccess: (saved) => {
      rehearsing.close()
      if (schedule) form.markSaved(toValues(saved))
      else form.discard(newSchedule)
      void queries.invalidateQueries({ queryKey: ['/schedules'] })
      void queries.invalidateQueries({ queryKey: [`/schedules/${saved.id}`] })
      onSaved(saved)
    },
    onError: form.showErrors,
  })
  const rehearsing = useRehearse(
    schedule ? { scheduleId: schedule.id } : null,
    before ? toBody(form.values, before) : {},
  )
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
      <Stack gap="lg">
        <Stack maw="44rem">
          <TextInput
            label="Name"
            description="What the schedule is for."
            placeholder="Morning report"
            withAsterisk
            {...form.getInputProps('name')}
          />
          <TimingFields form={form} />
          <ChannelSelect
            label="Channel"
            description="Where the agent posts its reply. Type a new name to create a channel."
            placeholder="Choose a channel"
            withAsterisk
            {...form.getInputProps('channelId')}
            value={form.values.channelId}
          />
          <Textarea
            label="Prompt"
            description="What to do each time and how to reply. The agent knows the date and the time."
            placeholder="Tell the team which orders came in since yesterday evening and which of them are unpaid. If there are none, say nothing."
            withAsterisk
            autosize
            minRows={5}
            maxRows={24}
            {...form.getInputProps('prompt')}
          />
          <Switch
            label="Active"
            description="An inactive schedule runs only when you choose Run now."
            {...form.getInputProps('active', { type: 'checkbox' })}
          />
        </Stack>
        <Stack gap={8}>
          <AgentLimits form={form} what="schedule" numbers={numbers} />
          <LateSettings form={form} />
        </Stack>
        <RehearsedFoot
          save={schedule ? 'Save' : 'Create schedule'}
          form={form}
          saving={save}
          rehearsing={rehearsing}
        />
      </Stack>
    </form>
  )
}
