import { z } from 'zod'
import { isScheduleId, isWatchId, type SourceId, watchedChannel } from './ids.ts'

/** What an event, a run or a figure came from: a webhook, a schedule, a watched channel, or none of them, such as a message in the chat. */
export const sourceFields = {
  webhookId: z.templateLiteral(['hook_', z.string()]).nullable(),
  /** Its current name; null once it is deleted. */
  webhookName: z.string().nullable(),
  scheduleId: z.templateLiteral(['sched_', z.string()]).nullable(),
  /** Its current name; null once it is deleted. */
  scheduleName: z.string().nullable(),
  watchedChannelId: z.templateLiteral(['chan_', z.string()]).nullable(),
  /** Null once it is no longer watched. */
  watchedChannelName: z.string().nullable(),
}
export type SourceFields = z.output<z.ZodObject<typeof sourceFields>>

/** Filters of lists. */
export const sourceQuery = { webhookId: z.string().optional(), scheduleId: z.string().optional() }

export function showSource(id: SourceId | null, name: string | null): SourceFields {
  const none = {
    webhookId: null,
    webhookName: null,
    scheduleId: null,
    scheduleName: null,
    watchedChannelId: null,
    watchedChannelName: null,
  }
  if (id === null) return none
  if (isWatchId(id)) return { ...none, watchedChannelId: watchedChannel(id), watchedChannelName: name }
  return isScheduleId(id)
    ? { ...none, scheduleId: id, scheduleName: name }
    : { ...none, webhookId: id, webhookName: name }
}
