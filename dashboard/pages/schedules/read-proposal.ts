import { z } from 'zod'
import type { Run } from '../../contract.ts'
import { newSchedule, type ScheduleValues } from './schedule-values.ts'

export type Proposal = { callId: string; channelName: string | null; values: Partial<ScheduleValues> }

const inputShape = z.object({
  name: z.string(),
  prompt: z.string(),
  cron: z.string().optional(),
  at: z.string().optional(),
  timeZone: z.string().optional(),
})

/** What the agent asked for with `propose_schedule` in this call; null if there is no such call. */
export function readProposal(run: Run, callId: string, usualZone?: string): Proposal | null {
  const call = run.steps.flatMap(({ calls }) => calls).find(({ id }) => id === callId)
  const input = inputShape.safeParse(call?.input)
  if (call?.tool !== 'propose_schedule' || !input.success) return null
  const { name, prompt, cron, at, timeZone } = input.data
  return {
    callId,
    channelName: run.channelName,
    values: {
      ...{ name, prompt, repeats: cron ? 'cron' : 'at', cron: cron ?? '', at: at ?? '' },
      timeZone: timeZone ?? usualZone ?? newSchedule.timeZone,
      channelId: run.channelName === null ? '' : (run.channelId ?? ''),
    },
  }
}
