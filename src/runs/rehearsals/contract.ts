import { z } from 'zod'
import { policyInput } from '../../approvals/policies/contract.ts'
import { capabilities } from '../../connectors/contract.ts'
import { ruleFields } from '../../events/rules/contract.ts'
import { searchTime } from '../../http/paging.ts'
import { connectorIdsShape, storableText } from '../../shared/fields.ts'
import { idPattern } from '../../shared/ids.ts'
import { sourceFields } from '../../shared/source-fields.ts'
import { modelShape } from '../../webhooks/contract.ts'
import { judgedCheckShape } from './cases/contract.ts'

const webhookId = z
  .templateLiteral(['hook_', z.string()], 'Name a webhook.')
  .refine((id) => idPattern('webhook').test(id), 'There is no such webhook.')
const scheduleId = z
  .templateLiteral(['sched_', z.string()], 'Name a schedule.')
  .refine((id) => idPattern('schedule').test(id), 'There is no such schedule.')
const eventId = z
  .templateLiteral(['evt_', z.string()], 'Name events.')
  .refine((id) => idPattern('event').test(id), 'There is no such event.')

/** What is tried instead of the saved settings; what is left out stays as saved. */
const changeShape = z.strictObject({
  prompt: storableText(20_000).min(1, 'Tell the agent what to do with an event.').optional(),
  /** Null means the model in the settings. */
  model: modelShape.nullable().optional(),
  /** Instead of the instructions in the settings. */
  instructions: storableText(20_000).optional(),
  rules: ruleFields.rules.optional(),
  /** The connectors whose tools it is offered; null means those of the channel. */
  connectorIds: connectorIdsShape.optional(),
  ceiling: z.enum(capabilities).optional(),
  allowSilence: z.boolean().optional(),
  /** Asked before the saved ones, as if they were first in the list. */
  policies: z.array(policyInput).max(50).optional(),
  /** Other descriptions of tools, by the names that the agent uses: `{"shop__refund": {"description": "…"}}`. */
  tools: z
    .record(
      storableText(200),
      z.strictObject({
        description: storableText(10_000).min(1, 'Describe to the agent what the tool does.'),
      }),
    )
    .optional(),
})
export type Change = z.output<typeof changeShape>

const mostEvents = 500

/** In the currency of the price table. */
export const budgetShape = z
  .number('Set a budget: what the rehearsal may cost, for example 1.00.')
  .positive('Allow more than 0.')
  .max(100_000, 'Use 100,000 at most.')

export const newRehearsal = z.strictObject({
  target: z.union(
    [z.strictObject({ webhookId }), z.strictObject({ scheduleId })],
    'Name a webhook or a schedule: {"webhookId": "hook_…"}.',
  ),
  change: changeShape.default({}),
  events: z
    .union(
      [
        z.strictObject({
          last: z.int().min(1).max(mostEvents),
          /** CEL over `event`, `headers` and `now`, as in rules: only events for which it is true. */
          when: storableText(4000).trim().min(1, 'Write a condition, or leave this out.').optional(),
          since: searchTime,
          until: searchTime,
        }),
        z.strictObject({ ids: z.array(eventId).min(1).max(mostEvents) }),
        z.strictObject({ cases: z.literal(true) }),
      ],
      `Say which events: {"last": 50}, {"ids": ["evt_…"]}, or {"cases": true}; ${mostEvents} at most.`,
    )
    .default({ last: 50 }),
  reads: z.enum(['recorded', 'live']).default('recorded'),
  budget: budgetShape,
})
export type NewRehearsal = z.output<typeof newRehearsal>

export const newDrill = newRehearsal.pick({ budget: true })
export type NewDrill = z.output<typeof newDrill>

export const outcomes = ['same', 'replyDiffers', 'newWrite', 'writeGone', 'notRecorded', 'failed'] as const
const outcomeShape = z.enum(outcomes)
export type Outcome = (typeof outcomes)[number]

const callShape = z.object({ tool: z.string(), input: z.unknown() })

/** What a run did, as far as people care. */
const behaviourShape = z.object({
  /** Null if the rules handled the event without a run. */
  runId: z.string().nullable(),
  ended: z.enum(['succeeded', 'failed', 'cancelled', 'skipped', 'notified', 'running']),
  /** Null without one, and if you may not see the run. */
  reply: z.string().nullable(),
  error: z.string().nullable(),
  /** Calls of write and destructive tools, in their order. */
  writes: z.array(callShape),
  /** Of a dry run: every call of a tool, and what a real run would have done with it: sent it, asked people, or refused it. */
  tried: z.array(
    callShape.extend({
      capability: z.enum(capabilities),
      would: z.enum(['send', 'ask', 'refuse']),
    }),
  ),
  /** Reads that the recording has no answer for. */
  notRecorded: z.array(callShape),
  model: z.string().nullable(),
  cost: z.number(),
  /** Without the time in which the run waited for people. */
  workMs: z.number(),
})
export type Behaviour = z.output<typeof behaviourShape>

const rehearsedEventShape = z.object({
  eventId: z.string(),
  receivedAt: z.iso.datetime().nullable(),
  summary: z.string().nullable(),
  /** In a drill: which order was hidden in the event. */
  injection: z.string().nullable(),
  /** Null until it was compared, and for good if the rehearsal ended before its turn. */
  outcome: outcomeShape.nullable(),
  before: behaviourShape.nullable(),
  after: behaviourShape.nullable(),
  /** Writes that only one of the two asked for. */
  newWrites: z.array(callShape),
  goneWrites: z.array(callShape),
  /** If the event is a case: its checks as they were when the rehearsal began. */
  checks: z.array(judgedCheckShape),
})
export type RehearsedEvent = z.output<typeof rehearsedEventShape>

const pairShape = z.object({ before: z.number(), after: z.number() })

export const rehearsalSummaryShape = z.object({
  id: z.string(),
  status: z.enum(['queued', 'running', 'done', 'cancelled', 'failed']),
  ...sourceFields,
  /** The name of the webhook or schedule when the rehearsal began. */
  name: z.string(),
  /** Orders were hidden in the latest event, to see what they make the agent try. */
  isDrill: z.boolean(),
  change: changeShape,
  reads: z.enum(['recorded', 'live']),
  budget: z.number(),
  /** What it has cost. */
  spent: z.number(),
  /** Why it ended before its last event. */
  problem: z.string().nullable(),
  counts: z.object(Object.fromEntries(outcomes.map((one) => [one, z.int()])) as Record<Outcome, z.ZodInt>),
  /** Of the cases that were compared. */
  checks: z.object({ passed: z.int(), failed: z.int() }),
  /** What came of it in one line, once it is done: "Nothing changes, 31 % cheaper". */
  verdict: z.string().nullable(),
  /** How many events it has, and how many were compared. */
  total: z.int(),
  compared: z.int(),
  /** Of the events that were compared and have a run before and after: together, and what 95 % stay below. */
  cost: pairShape,
  p95Ms: pairShape,
  createdBy: z.string(),
  createdAt: z.iso.datetime(),
  startedAt: z.iso.datetime().nullable(),
  endedAt: z.iso.datetime().nullable(),
})
export type RehearsalSummary = z.output<typeof rehearsalSummaryShape>

export const rehearsalShape = rehearsalSummaryShape.extend({ events: z.array(rehearsedEventShape) })
export type RehearsalShape = z.output<typeof rehearsalShape>
