// The shapes of /api/v1 that the pages read.
export type Role = 'member' | 'operator' | 'admin'
export type Me = { id: string; name: string; email: string; role: Role; csrf?: string }

export type Ceiling = 'read' | 'write' | 'destructive'
export type Capability = Ceiling
export type Permission = 'auto' | 'approve' | 'confirm' | 'off'
export type RateLimit = { perSecond: number; burst: number }

export type Verification = { preset: string; secrets?: unknown } & Record<string, unknown>

export type Webhook = {
  id: string
  name: string
  channelId: string
  prompt: string
  active: boolean
  endpointUrl: string
  ceiling: Ceiling
  connectorIds: string[] | null
  verification: Verification | null
  exposeHeaders: string[]
  rateLimit: RateLimit | null
  allowSilence: boolean
  lastEventAt: string | null
  createdAt: string
  paused?: boolean
  concurrency?: number
  maxBodyBytes?: number
  runsPerHour?: number | null
  costPerDay?: number | null
  deliveryId?: { header?: string; pointer?: string } | null
}

export type Refusal = {
  id?: string
  at: string
  status: number
  reason: string
  doctor?: string
  source?: string
}

export type EventStatus = 'accepted' | 'dispatched' | 'done' | 'failed' | 'dead' | 'ignored'
export type LedgerEvent = {
  id: string
  webhookId: string
  runId: string | null
  status: EventStatus
  receivedAt: string
  deliveryId: string | null
  sizeBytes: number
  source?: string
  headers?: Record<string, string> | [string, string][]
  verification?: string | null
}

export type RunStatus = 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled'
export type SentRequest = {
  method: string
  url: string
  headers: Record<string, string>
  body: string | null
}
export type ToolCall = {
  id: string
  tool: string
  connectorId: string | null
  input: unknown
  decision: string | null
  request: SentRequest | null
  response: { status: number; contentType: string | null; body: string } | null
  error: { code: string; message: string } | null
  approvalId: string | null
}
export type Step = { index?: number; at?: string; text?: string | null } & Record<string, unknown>
export type Run = {
  id: string
  trigger: 'webhook' | 'chat' | 'replay' | 'test' | 'mcp'
  webhookId: string | null
  eventId: string | null
  channelId: string | null
  status: RunStatus
  reply: { text: string; messageId: string | null; permalink: string | null } | null
  error: { code: string; message: string } | null
  usage: { inputTokens: number; outputTokens: number }
  startedAt: string | null
  endedAt: string | null
  createdAt?: string
  model?: string | null
  steps?: Step[]
  toolCalls?: ToolCall[]
}

export type ApprovalStatus = 'pending' | 'approved' | 'denied' | 'expired' | 'void'
export type Approval = {
  id: string
  status: ApprovalStatus
  kind: 'approve' | 'confirm'
  runId: string
  tool: string
  capability: Capability
  request: SentRequest
  digest: string
  requestedBy: string | { name: string } | null
  decidedBy: string | { name: string } | null
  decidedAt: string | null
  expiresAt: string
  createdAt?: string
  reason?: string | null
  channelId?: string | null
}

export type Channel = { id: string; workspace: string; name: string; externalId: string | null }
export type Message = {
  id: string
  channelId: string
  threadId: string | null
  author: { kind: 'agent' | 'user' | 'system'; name: string }
  text: string
  runId: string | null
  createdAt: string
  approvalId?: string | null
}
