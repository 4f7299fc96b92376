import { z } from 'zod'
import { pageQuery, searchText } from '../../http/paging.ts'
import { approverFields } from '../../shared/approver-fields.ts'
import { storableText, wholeNumber } from '../../shared/fields.ts'

const policyDecisions = ['auto', 'approve', 'confirm', 'deny'] as const
const requesterKinds = ['person', 'webhook', 'schedule', 'watch'] as const
export type RequesterKind = (typeof requesterKinds)[number]

/** Exact: no rounding on the way. */
const amount = z.number('Use a number.').min(0, 'Use 0 or more.').max(1e12, 'Use 1,000,000,000,000 at most.')

const capShape = z.strictObject({
  /** So many calls in any hour or day, counted back from the call. */
  calls: wholeNumber(1, 100_000, 'calls'),
  per: z.enum(['hour', 'day']),
  /** The values at this JSON pointer of the input may add up to `max` in the same time. */
  sum: z
    .strictObject({
      of: storableText(200).regex(/^(\/[^/]+)+$/, 'Use a JSON pointer into the input, for example /amount.'),
      max: amount,
    })
    .optional(),
})

const ids = (what: string) =>
  z.array(z.string()).min(1, `Name at least one ${what}, or leave this out.`).max(100)

const forShape = z.strictObject({
  requesters: z.array(z.enum(requesterKinds)).min(1, 'Name at least one kind.').optional(),
  webhookIds: ids('webhook').optional(),
  channelIds: ids('channel').optional(),
})

const fields = {
  name: storableText(200).trim().min(1, 'Give the policy a name.'),
  /** The name that the agent uses, for example `shop__refund_order`. */
  tool: storableText(64),
  /** CEL over `input`, `tool` and `requester`: `input.amount <= 50 && input.currency == 'EUR'`. */
  when: storableText(4000).trim().min(1, 'Write a condition, or true for every call.'),
  then: z.enum(policyDecisions),
  for: forShape.nullish(),
  cap: capShape.nullish(),
  until: z.iso.datetime({ offset: true }).nullish(),
  /** Who approves what the policy leaves to people; what is left out is as the tool says. */
  approvers: approverFields.approvers.nullish(),
  approvalsNeeded: approverFields.approvalsNeeded.nullish(),
  requesterMayApprove: approverFields.requesterMayApprove.nullish(),
  escalate: approverFields.escalate.nullish(),
  /** `shadow`: people still decide, and the policy only records what it would have said. */
  state: z.enum(['active', 'shadow', 'paused']).default('active'),
}

export const policyInput = z.strictObject(fields)
export type PolicyInput = z.output<typeof policyInput>

export const policyPatch = z
  .strictObject({
    ...fields,
    state: z.enum(['active', 'shadow', 'paused']),
    /** 1 is asked first. */
    position: wholeNumber(1, 10_000),
  })
  .partial()
export type PolicyPatch = z.output<typeof policyPatch>

export const policyShape = z.object({
  id: z.string(),
  position: z.int(),
  name: z.string(),
  tool: z.string(),
  when: z.string(),
  then: z.enum(policyDecisions),
  for: forShape.nullable(),
  cap: capShape.nullable(),
  until: z.iso.datetime().nullable(),
  /** Null: as the tool says. */
  approvers: z.array(z.string()).nullable(),
  approvalsNeeded: z.int().nullable(),
  requesterMayApprove: z.boolean().nullable(),
  escalate: z.array(z.object({ afterMinutes: z.int(), to: z.string() })).nullable(),
  /** `paused` by a person, by an edit of the tool, or by a denial of a call that the policy covers. */
  state: z.enum(['active', 'shadow', 'paused', 'expired']),
  pausedReason: z.string().nullable(),
  /** What it did in the last 24 hours: automatic calls, their sum, and how often people were asked about a call that it covers. */
  today: z.object({ allowed: z.int(), sum: z.number().nullable(), asked: z.int() }),
  /** In shadow: how many of the calls it covers people decided as it would have, and how many not. */
  shadow: z.object({ same: z.int(), different: z.int() }),
  createdBy: z.object({ kind: z.string(), id: z.string(), name: z.string() }),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
})
export type PolicyShape = z.output<typeof policyShape>

export const policyQuery = pageQuery.extend({ tool: z.string().optional(), q: searchText })

export const backtestInput = z.strictObject({
  policy: policyInput.omit({ name: true }).extend({ name: fields.name.optional() }),
  days: wholeNumber(1, 365, 'days').default(30),
})

export const backtestShape = z.object({
  /** Decisions of people about this tool in those days, and how many of them the policy covers. */
  examined: z.int(),
  covered: z.int(),
  approved: z.int(),
  denied: z.int(),
  /** Covered calls that the cap would have left to people. */
  beyondCap: z.int(),
  /** Calls whose input the condition cannot be evaluated for; people are asked about them. */
  notEvaluated: z.int(),
  firstFault: z.string().nullable(),
  largest: z.number().nullable(),
  sum: z.number().nullable(),
  perDay: z.array(z.object({ day: z.iso.date(), calls: z.int(), sum: z.number().nullable() })),
  /** Covered calls that people decided otherwise, the newest first, at most 20. */
  different: z.array(z.object({ approvalId: z.string(), decision: z.enum(['approved', 'denied']) })),
  /** There are more decisions in those days than were examined. */
  more: z.boolean(),
})
export type BacktestShape = z.output<typeof backtestShape>

export const suggestionShape = z.object({
  tool: z.string(),
  when: z.string(),
  cap: capShape,
  /** How many approved calls it is drawn from. */
  approved: z.int(),
  because: z.string(),
})
export type PolicySuggestion = z.output<typeof suggestionShape>
