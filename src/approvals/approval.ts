import type {
  ApprovalId,
  ChannelId,
  ConnectorId,
  MessageId,
  RunId,
  ToolCallId,
  ToolId,
} from '../shared/ids.ts'

/**
 * The states of an approval. Only a pending one can change, and only once:
 *
 *   pending ──▶ approved   an admin said yes (kind confirm: on the card in the channel)
 *      │──────▶ denied     an admin said no
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
export type Person = { kind: string; id: string; name: string }

/** What the gate asks the admins. */
export type Question = Pick<
  Approval,
  'kind' | 'runId' | 'callId' | 'request' | 'digest' | 'requestedBy' | 'channelId' | 'threadId'
> & {
  tool: Pick<Approval, 'toolId' | 'connectorId' | 'capability' | 'toolVersion' | 'connectorVersion'> & {
    name: string
  }
  expiresInSeconds: number
}

export type Approval = {
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
  createdAt: Date
  expiresAt: Date
  decidedBy: Person | null
  decidedAt: Date | null
  reason: string | null
}
