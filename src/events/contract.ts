import { z } from 'zod'
import { searchedPageOf } from '../http/paging.ts'
import { sourceFields } from '../shared/source-fields.ts'
import { matchedRuleShape, ruleFaultShape } from './rules/contract.ts'

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
  'missed',
] as const
export type EventStatus = (typeof eventStatuses)[number]

const sourceShape = z.discriminatedUnion('kind', [
  /** `address`: where the delivery came from; null once erased. */
  z.object({ kind: z.literal('webhook'), webhookId: z.string(), address: z.string().nullable() }),
  /** `dueAt`: the time that the clock reached, or at which somebody asked for a run. */
  z.object({ kind: z.literal('schedule'), scheduleId: z.string(), dueAt: z.iso.datetime() }),
  /** `messageId`: what was written; its thread has the answer. */
  z.object({ kind: z.literal('watch'), channelId: z.string(), messageId: z.string().nullable() }),
])

export const eventShape = z.object({
  id: z.templateLiteral(['evt_', z.string()]),
  ...sourceFields,
  runId: z.templateLiteral(['run_', z.string()]),
  status: z.enum(eventStatuses),
  /** Its run waits for a decision about a tool call; `status` is `dispatched` until the run ends. */
  waitsForApproval: z.boolean(),
  trigger: z.enum(['webhook', 'test', 'schedule', 'watch']),
  receivedAt: z.iso.datetime(),
  settledAt: z.iso.datetime().nullable(),
  /** Why it started no run, if that is known. */
  note: z.string().nullable(),
  deliveryId: z.string().nullable(),
  sizeBytes: z.int(),
  contentType: z.string().nullable(),
  source: sourceShape,
  headers: z.record(z.string(), z.string()),
  verification: z.enum(['off', 'verified', 'test']),
  erased: z.boolean(),
  /** As its sender names it in a header or in the body, such as `order.paid`. */
  type: z.string().nullable(),
  /** A short description from its headers and the beginning of its body: its type and what it is about. */
  summary: z.string().nullable(),
  /** The reply of its run, or the text of the rule that notified, once posted. */
  reply: z.object({ text: z.string(), permalink: z.string().nullable() }).nullable(),
  /** The rule that decided about it; null if none matched or there are none. */
  rule: matchedRuleShape.nullable(),
  /** Conditions that could not be evaluated, and so did not match. */
  ruleFaults: z.array(ruleFaultShape),
  threadKey: z.string().nullable(),
  /** Why it has no key although its webhook has one. */
  threadKeyFault: z.string().nullable(),
  /** Until then, other events with the same key join it. */
  collectsUntil: z.iso.datetime().nullable(),
  /** The event whose run handles it too. */
  joinedTo: z.templateLiteral(['evt_', z.string()]).nullable(),
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
