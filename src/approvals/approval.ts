import type { Db } from '../platform/db/database.ts'
import type { Role } from '../shared/actor.ts'
import type { Approvers } from '../shared/approver-fields.ts'
import type {
  ApprovalId,
  ChannelId,
  ConnectorId,
  EventId,
  GroupId,
  MessageId,
  PolicyId,
  RunId,
  ToolCallId,
  ToolId,
} from '../shared/ids.ts'

/**
 * The states of an approval. Only a pending one can change, and only once:
 *
 *   pending ──▶ approved   as many approvers as it needs said yes (kind confirm: on the card in the channel)
 *      │──────▶ denied     one approver or admin said no
 *      │──────▶ expired    nobody decided in time
 *      └──────▶ void       the tool, its connector, the channel, the run or the requester's rights changed, or somebody withdrew it
 */
type ApprovalStatus = 'pending' | 'approved' | 'denied' | 'expired' | 'void'
/** Exactly what will be sent, secrets masked. */
export type RenderedRequest = {
  method: string
  url: string
  headers: Record<string, string>
  body: string | null
}
/** `role`: at that time, of a person or API key. */
export type Person = { kind: string; id: string; name: string; role?: Role }

/** What people are shown beside the question. */
export type ApprovalFacts = {
  /** Null once the tool is deleted. */
  toolDescription: string | null
  /** Why the call asks although its tool does not; null if the tool itself asks. */
  askedBecause: string | null
  /** What became of an approved call: `→ 201`. Null until it has ended. */
  outcome: string | null
  /** The policy that covers the call; null once it is deleted. */
  policyName: string | null
  /** Earlier calls of the same tool in the same thread that wait or were approved, the oldest first: was the same asked for twice? */
  earlier: EarlierCall[]
  /** What is passed to the tool: what the agent wrote, or what an approver made of it. Null once it is erased. */
  input: unknown
  /** The groups that decide now, those to whom it was escalated included; none: admins. */
  groups: ApprovingGroup[]
  /** Those who approved the request as it is now, in their order. */
  given: GivenApproval[]
  /** How the last edit left the agent's input; null if nobody edited it, or it is erased. */
  changes: InputChange[] | null
}

export type ApprovingGroup = { id: GroupId; name: string; slackUserGroup: string | null }

type GivenApproval = { by: Person; at: string }

/** `at`: a JSON pointer. What was or is absent is undefined. */
export type InputChange = { at: string; from: unknown; to: unknown }

/** `request` in one line: method, URL and the beginning of the body. */
export type EarlierCall = { id: ApprovalId; status: 'pending' | 'approved'; request: string }

/** The events that made runs start, described in their senders' words. */
export type DescribeEventsOf = (
  db: Db,
  runIds: readonly RunId[],
) => Promise<ReadonlyMap<RunId, { id: EventId; summary: string | null }>>

/** What the gate asks the admins. */
export type Question = Pick<
  Approval,
  'kind' | 'runId' | 'callId' | 'request' | 'digest' | 'requestedBy' | 'channelId' | 'threadId' | 'listKey'
> & {
  approval: Approvers
  tool: Pick<Approval, 'toolId' | 'connectorId' | 'capability' | 'toolVersion' | 'connectorVersion'> & {
    name: string
  }
  expiresInSeconds: number
  /** The policy that covers the call. */
  policy: CoveringPolicy | null
}

/** `amount` counts toward the policy's cap. `isShadow`: it only watches. */
export type CoveringPolicy = { id: PolicyId; says: string; amount: string | null; isShadow: boolean }

export type Approval = Approvers & {
  id: ApprovalId
  /** `confirm`: on the card in the channel, where everybody sees it. */
  kind: 'approve' | 'confirm'
  status: ApprovalStatus
  runId: RunId
  callId: ToolCallId
  tool: string
  toolId: ToolId
  connectorId: ConnectorId
  capability: 'read' | 'write' | 'destructive'
  request: RenderedRequest
  digest: string
  toolVersion: number
  connectorVersion: number
  requestedBy: Person
  channelId: ChannelId
  threadId: MessageId | null
  messageId: MessageId | null
  /** Shared by the questions of one step that are asked for in one message; null for a card of its own. */
  listKey: string | null
  createdAt: Date
  expiresAt: Date
  decidedBy: Person | null
  decidedAt: Date | null
  reason: string | null
  policyId: PolicyId | null
  policySays: string | null
  policyShadow: boolean
  /** How many steps of `escalate` were taken. */
  escalated: number
  /** How often the input was edited. */
  edits: number
  /** JSON that is sent in place of what the model gave. */
  editedInput: string | null
  editedBy: Person | null
  editedAt: Date | null
}

const longest = 200

/** A request beside others: enough to tell them apart. */
export function inOneLine({ method, url, body }: RenderedRequest): string {
  const whole = [method, url, body ?? ''].join(' ').replaceAll(/\s+/g, ' ').trim()
  return whole.length > longest ? `${whole.slice(0, longest).toWellFormed()}…` : whole
}
