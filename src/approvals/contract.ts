import { z } from 'zod'
import { capabilities, shownRequestShape } from '../connectors/contract.ts'
import { pageQuery } from '../http/paging.ts'
import { approverFields } from '../shared/approver-fields.ts'
import { sourceQuery } from '../shared/source-fields.ts'

export const approvalStatus = z.enum(['pending', 'approved', 'denied', 'expired', 'void'])

export const approvalShape = z.object({
  id: z.string(),
  status: approvalStatus,
  /** `approve`: approved anywhere. `confirm`: a person confirms on the card in the channel. */
  kind: z.enum(['approve', 'confirm']),
  runId: z.string(),
  callId: z.string(),
  tool: z.string(),
  connectorId: z.string(),
  capability: z.enum(capabilities),
  request: shownRequestShape,
  digest: z.string(),
  /** What is passed to the tool: what the agent wrote, or what an approver made of it. Null once it is erased. */
  input: z.unknown(),
  /** Who changed the input, and how it differs from the agent's (`at` is a JSON pointer); null if nobody did. */
  edited: z
    .object({
      by: z.object({ kind: z.string(), id: z.string(), name: z.string() }),
      at: z.iso.datetime(),
      changes: z.array(z.object({ at: z.string(), from: z.unknown(), to: z.unknown() })).nullable(),
    })
    .nullable(),
  /** What the tool does, as its connector describes it; null once it is deleted. */
  toolDescription: z.string().nullable(),
  /** Why the call asks although its tool does not; null if the tool itself asks. */
  askedBecause: z.string().nullable(),
  /** The event that made the run start, described in its sender's words; null if a person asked. */
  event: z.object({ id: z.string(), summary: z.string().nullable() }).nullable(),
  /** `role`: of a person or API key, when they asked. */
  requestedBy: z.object({ kind: z.string(), id: z.string(), name: z.string(), role: z.string().optional() }),
  channelId: z.string(),
  /** For example `#orders`; null for a direct conversation or a deleted channel. */
  channelName: z.string().nullable(),
  threadId: z.string().nullable(),
  messageId: z.string().nullable(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
  /** The groups that decide now; none: admins. */
  approvers: z.array(z.object({ id: z.string(), name: z.string() })),
  /** How many different people must approve. */
  approvalsNeeded: z.int(),
  /** Whether who asked may approve; null: unless the call is destructive and enough others can. */
  requesterMayApprove: z.boolean().nullable(),
  escalate: z.array(z.object({ afterMinutes: z.int(), to: z.string() })),
  /** Who approved the request as it is now. An edit needs all approvals again. */
  approvals: z.array(
    z.object({
      by: z.object({ kind: z.string(), id: z.string(), name: z.string() }),
      at: z.iso.datetime(),
    }),
  ),
  /** False if the reader is neither an admin nor in one of the groups. Of a user group in Slack that is known only at the click. */
  mayDecide: z.boolean(),
  /** Who approved last, or denied. */
  decidedBy: z.object({ kind: z.string(), id: z.string(), name: z.string() }).nullable(),
  decidedAt: z.iso.datetime().nullable(),
  reason: z.string().nullable(),
  /** The policy that covers the call: it said yes in advance, its cap was reached, or it only watches (`isShadow`). */
  policy: z
    .object({ id: z.string(), name: z.string().nullable(), says: z.string(), isShadow: z.boolean() })
    .nullable(),
  /** What became of the approved call, for example `→ 201`; null until it has ended. */
  outcome: z.string().nullable(),
  /** Earlier calls of the same tool in the same thread that wait or were approved. `request`: method, URL and the beginning of the body. */
  earlier: z.array(z.object({ id: z.string(), status: approvalStatus, request: z.string() })),
})

export const toolApproversShape = z.object({
  approvers: z.array(z.string()),
  approvalsNeeded: z.int(),
  requesterMayApprove: z.boolean().nullable(),
  escalate: z.array(z.object({ afterMinutes: z.int(), to: z.string() })),
})

/** What is left out is as it is without: an admin approves. */
export const toolApproversInput = z.strictObject({
  approvers: approverFields.approvers.default([]),
  approvalsNeeded: approverFields.approvalsNeeded.default(1),
  requesterMayApprove: approverFields.requesterMayApprove.default(null),
  escalate: approverFields.escalate.default([]),
})

/** For every way to decide: on a page, by the API or on the card in a channel. */
export const reasonShape = z.string().trim().max(2000, 'A reason has 2,000 characters at most.')

export const decisionInput = z.strictObject({ reason: reasonShape.nullish() }).default({})

export const approvalQuery = pageQuery.extend({
  /** `decided`: everything that is no longer pending. */
  status: z.enum([...approvalStatus.options, 'decided']).optional(),
  order: z.enum(['newest', 'oldest']).default('newest'),
  ...sourceQuery,
  runId: z.string().optional(),
  channelId: z.string().optional(),
})
export type ApprovalQuery = z.output<typeof approvalQuery>

export type ApprovalShape = z.output<typeof approvalShape>
