import type { Approvers } from '../../shared/approver-fields.ts'
import type { ChannelId, PolicyId, WebhookId } from '../../shared/ids.ts'
import type { PolicyShape, RequesterKind } from './contract.ts'

/** One row of the table. Paused ones are never asked. */
export type Policy = {
  id: PolicyId
  name: string
  tool: string
  toolId: string
  toolVersion: number
  connectorVersion: number
  when: string
  then: PolicyShape['then']
  for: { requesters: RequesterKind[] | null; webhookIds: WebhookId[] | null; channelIds: ChannelId[] | null }
  cap: PolicyShape['cap']
  approval: OwnApprovers
  state: 'active' | 'shadow'
}

/** Who approves; null where the policy leaves it to the tool. */
export type OwnApprovers = { [Name in keyof Approvers]: Approvers[Name] | null }

/** A call as policies see it. */
export type PolicyQuestion = {
  tool: { toolId: string; toolVersion: number; connectorVersion: number; name: string; connectorName: string }
  /** Validated, with numbers as the model wrote them. */
  input: unknown
  requester: { kind: string; name: string; role?: string | undefined }
  webhookId: WebhookId | null
  channelId: ChannelId
}

/** The policy that covers a call, and the amount that counts toward its cap. */
export type PolicyMatch = { policy: Policy; amount: string | null }
