import { z } from 'zod'
import { searchedPageOf } from '../http/paging.ts'
import { sourceFields } from '../shared/source-fields.ts'

export const eventStatuses = [
  'accepted',
  'dispatched',
  'done',
  'failed',
  'dead',
  'ignored',
  'skipped',
  'notified',
  'joined',
] as const
export type EventStatus = (typeof eventStatuses)[number]

const sourceShape = z.discriminatedUnion('kind', [
  /** `address`: where the delivery came from; null once erased. */
  z.object({ kind: z.literal('webhook'), webhookId: z.string(), address: z.string().nullable() }),
  /** `dueAt`: the time that the clock reached, or at which somebody asked for a run. */
  z.object({ kind: z.literal('schedule'), scheduleId: z.string(), dueAt: z.iso.datetime() }),
])

export const eventShape = z.object({
  id: z.templateLiteral(['evt_', z.string()]),
  ...sourceFields,
  runId: z.templateLiteral(['run_', z.string()]),
  status: z.enum(eventStatuses),
  trigger: z.enum(['webhook', 'test', 'schedule']),
  receivedAt: z.iso.datetime(),
  settledAt: z.iso.datetime().nullable(),
  deliveryId: z.string().nullable(),
  sizeBytes: z.int(),
  contentType: z.string().nullable(),
  source: sourceShape,
  headers: z.record(z.string(), z.string()),
  verification: z.enum(['off', 'verified', 'test']),
  erased: z.boolean(),
  /** A short description from its headers and the beginning of its body: its kind and what it is about. */
  summary: z.string().nullable(),
  /** The reply of its run, once posted. */
  reply: z.object({ text: z.string(), permalink: z.string().nullable() }).nullable(),
})
export type EventShape = z.output<typeof eventShape>

/** With `text`, how far back this page has searched, if there is more to search. */
export const eventsPage = searchedPageOf(eventShape)

/** The answer to an accepted delivery. */
export const receiptShape = z.object({
  status: z.enum(['accepted', 'duplicate']),
  eventId: z.string(),
  runId: z.string(),
})
