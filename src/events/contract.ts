import { z } from 'zod'
import { searchedPageOf } from '../http/paging.ts'

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

export const eventShape = z.object({
  id: z.templateLiteral(['evt_', z.string()]),
  webhookId: z.templateLiteral(['hook_', z.string()]),
  /** Its current name; null once it is deleted. */
  webhookName: z.string().nullable(),
  runId: z.templateLiteral(['run_', z.string()]),
  status: z.enum(eventStatuses),
  trigger: z.enum(['webhook', 'test']),
  receivedAt: z.iso.datetime(),
  settledAt: z.iso.datetime().nullable(),
  deliveryId: z.string().nullable(),
  sizeBytes: z.int(),
  contentType: z.string().nullable(),
  source: z.string().nullable(),
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
