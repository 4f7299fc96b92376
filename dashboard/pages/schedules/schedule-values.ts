import type { Capability, Schedule } from '../../contract.ts'
import { changedOnly } from '../../ui/forms/changed-only.ts'
import type { ChosenModel } from '../settings/model/model-choice.tsx'

/** The form's own shape: every field is present, so that a server error finds its field. */
export type ScheduleValues = {
  name: string
  channelId: string
  prompt: string
  repeats: 'cron' | 'at'
  cron: string
  at: string
  timeZone: string
  ifMissed: Schedule['ifMissed']
  graceMinutes: number | string
  overlap: Schedule['overlap']
  thread: Schedule['thread']
  allowSilence: boolean
  ceiling: Capability
  connectorIds: string[] | null
  model: ChosenModel
  fallbackModel: ChosenModel
  costPerDay: number | string | null
  active: boolean
}

export const newSchedule: ScheduleValues = {
  name: '',
  channelId: '',
  prompt: '',
  repeats: 'cron',
  cron: '0 9 * * 1-5',
  at: '',
  // Where the person is who writes it.
  timeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
  ifMissed: 'skip',
  graceMinutes: 60,
  overlap: 'skip',
  thread: 'new',
  allowSilence: true,
  ceiling: 'read',
  connectorIds: null,
  model: { provider: null, name: '' },
  fallbackModel: { provider: null, name: '' },
  costPerDay: null,
  active: true,
}

export function toValues(schedule: Schedule): ScheduleValues {
  return {
    name: schedule.name,
    channelId: schedule.channelId,
    prompt: schedule.prompt,
    repeats: schedule.cron === null ? 'at' : 'cron',
    cron: schedule.cron ?? '',
    at: schedule.at ?? '',
    timeZone: schedule.timeZone,
    ifMissed: schedule.ifMissed,
    graceMinutes: schedule.graceMinutes,
    overlap: schedule.overlap,
    thread: schedule.thread,
    allowSilence: schedule.allowSilence,
    ceiling: schedule.ceiling,
    connectorIds: schedule.connectorIds,
    model: schedule.model ?? newSchedule.model,
    fallbackModel: schedule.fallbackModel ?? newSchedule.fallbackModel,
    costPerDay: schedule.costPerDay,
    active: schedule.active,
  }
}

export const timingOf = ({ repeats, cron, at, timeZone }: ScheduleValues) => ({
  cron: repeats === 'cron' ? cron.trim() : null,
  at: repeats === 'at' ? at : null,
  timeZone,
})

/** The body to send; in a patch, what is unchanged is left out. */
export function toBody(values: ScheduleValues, before: ScheduleValues | null): Record<string, unknown> {
  const write = (of: ScheduleValues): Record<string, unknown> => {
    const { repeats: _, cron: _cron, at: _at, model, fallbackModel, ...rest } = of
    return {
      ...rest,
      ...timingOf(of),
      name: of.name.trim(),
      graceMinutes: Number(of.graceMinutes),
      costPerDay: of.costPerDay === null ? null : Number(of.costPerDay),
      model: model.provider === null ? null : model,
      fallbackModel: fallbackModel.provider === null ? null : fallbackModel,
    }
  }
  return before ? changedOnly(write(values), write(before)) : write(values)
}
