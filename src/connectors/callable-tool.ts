import type { ConnectorId, ToolCallId, ToolId } from '../ids.ts'
import type { Capability, Permission } from './contract.ts'
import type { ShownRequest } from './http/show-request.ts'

/** What every connector, HTTP or MCP, offers to the gate (src/tools): the same tool, the same call, the same answer. */
export type CallableTool = {
  toolId: ToolId
  connectorId: ConnectorId
  connectorName: string
  /** As the model sees it: `shop__get_order`. */
  name: string
  description: string
  /** As the operator or the server wrote it, key order included. */
  inputSchema: unknown
  outputSchema: unknown
  capability: Capability
  permission: Permission
  /** Any edit counts these up; an approval is bound to them. */
  toolVersion: number
  connectorVersion: number
}

export type ToolErrorCode =
  | 'timeout'
  | 'dns_failed'
  | 'blocked_address'
  | 'tls_failed'
  | 'connection_failed'
  | 'too_large'
  | 'bad_answer'
  /** The tool itself says that it failed; the answer has its words. */
  | 'tool_error'
  | 'cancelled'
  | 'invalid_input'
  | 'denied'
  | 'approval_expired'
  | 'approval_void'
  | 'outcome_unknown'

export type ToolAnswer = {
  status: number | null
  contentType: string | null
  /** Those that say where to go on, as `Location: …`, one per line; empty where there are none. */
  headers: string
  /** The body as text, exactly as received; a description where it is binary. */
  body: string
  images: { mediaType: string; base64: string }[]
  error: { code: ToolErrorCode; message: string } | null
  /** What the operator should know: a masked credential, an answer that does not fit its schema. */
  warnings: string[]
}

/** A call whose bytes are decided. `send` sends exactly what `shown` shows. */
export type ReadyCall = {
  shown: ShownRequest
  digest: string
  send(signal: AbortSignal): Promise<ToolAnswer>
}

export type PreparedCall = ({ kind: 'ready' } & ReadyCall) | { kind: 'invalid'; message: string }

export type PrepareCall = (tool: CallableTool, input: unknown, callId: ToolCallId) => Promise<PreparedCall>
