import { z } from 'zod'
import { capabilities } from '../connectors/contract.ts'
import { eventStatuses } from '../events/contract.ts'
import { connectorIdsShape, storableText, wholeNumber } from '../shared/fields.ts'
import { channelIdShape, costPerDayShape, modelShape, nullIs } from '../webhooks/contract.ts'

const fields = {
  name: storableText(200).trim().min(1, 'Give the schedule a name.'),
  channelId: channelIdShape,
  prompt: storableText(20_000).min(1, 'Tell the agent what to do each time.'),
  /** Five fields: minute, hour, day of the month, month, day of the week. */
  cron: storableText(200).trim().nullable(),
  /** Once, at a local time such as 2026-12-01T09:00. */
  at: storableText(40).trim().nullable(),
  /** IANA, such as Europe/Berlin. */
  timeZone: storableText(100).trim(),
  /** For a time at which Bellhop did not run: skip it, or run it as soon as possible. */
  ifMissed: z.enum(['skip', 'run']),
  /** How late a missed time may still run. */
  graceMinutes: wholeNumber(1, 1440, 'minutes'),
  /** For a time at which the run before it is still at work: skip it, or run it afterwards. */
  overlap: z.enum(['skip', 'wait']),
  /** Where the replies go: each is a message of its own, or all are in the thread of the first. */
  thread: z.enum(['new', 'same']),
  ceiling: z.enum(capabilities),
  /** Null means those of its channel. */
  connectorIds: connectorIdsShape,
  model: modelShape.nullable(),
  /** Asked when the model cannot answer for a reason that passes; null is the fallback in the settings. */
  fallbackModel: modelShape.nullable(),
  allowSilence: z.boolean(),
  costPerDay: costPerDayShape,
  active: z.boolean(),
}

export const newSchedule = z.strictObject({
  ...fields,
  cron: fields.cron.default(null),
  at: fields.at.default(null),
  /** The default is that of the settings. */
  timeZone: fields.timeZone.optional(),
  ifMissed: fields.ifMissed.default('skip'),
  graceMinutes: fields.graceMinutes.default(60),
  overlap: fields.overlap.default('skip'),
  thread: fields.thread.default('new'),
  ceiling: fields.ceiling.default('read'),
  connectorIds: fields.connectorIds.default(null),
  model: fields.model.default(null),
  fallbackModel: fields.fallbackModel.default(null),
  allowSilence: fields.allowSilence.default(true),
  costPerDay: fields.costPerDay.default(null),
  active: fields.active.default(true),
})
export type NewSchedule = z.output<typeof newSchedule>

/** A merge patch (RFC 7396). A new `cron` replaces `at`, and the other way round. `paused: false` resumes. */
export const schedulePatch = z.strictObject({
  ...z.strictObject(fields).partial().shape,
  ifMissed: nullIs('skip', fields.ifMissed),
  graceMinutes: nullIs(60, fields.graceMinutes),
  overlap: nullIs('skip', fields.overlap),
  thread: nullIs('new', fields.thread),
  ceiling: nullIs('read', fields.ceiling),
  allowSilence: nullIs(true, fields.allowSilence),
  paused: z.literal(false, 'Only false is allowed: it resumes a schedule that was paused.').optional(),
})
export type SchedulePatch = z.output<typeof schedulePatch>

/** What became of one due time. */
const outcomeShape = z.object({
  eventId: z.string(),
  runId: z.string(),
  dueAt: z.iso.datetime(),
  status: z.enum(eventStatuses),
  /** Why it started no run. */
  note: z.string().nullable(),
})

export const scheduleShape = z.object({
  id: z.templateLiteral(['sched_', z.string()]),
  ...fields,
  channelId: z.string(),
  /** For example `#orders`; null once it is deleted. */
  channelName: z.string().nullable(),
  connectorIds: z.array(z.string()).nullable(),
  /** Of the time at which the agent continues a thread by itself: the thread, and what for. */
  threadId: z.string().nullable(),
  why: z.string().nullable(),
  /** The times in words. */
  inWords: z.string(),
  paused: z.boolean(),
  pauseReason: z.string().nullable(),
  /** The next five times; none while it is paused or inactive. */
  nextTimes: z.array(z.iso.datetime()),
  /** The last ten due times, newest first. */
  lastOutcomes: z.array(outcomeShape),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
})
export type ScheduleShape = z.output<typeof scheduleShape>

export const timingQuery = z.object({
  cron: fields.cron.optional(),
  at: fields.at.optional(),
  timeZone: fields.timeZone.optional(),
})

export const timingShape = z.object({
  inWords: z.string(),
  timeZone: z.string(),
  nextTimes: z.array(z.iso.datetime()),
})
export type TimingPreview = z.output<typeof timingShape>
