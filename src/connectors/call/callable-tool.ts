import type { ConnectorId, ToolCallId, ToolId } from '../../shared/ids.ts'
import type { Capability, Permission } from '../contract.ts'
import type { ShownRequest } from '../http/show-request.ts'

/** What every connector, HTTP or MCP, offers to the gate (src/tools). */
export type CallableTool = {
  toolId: ToolId
  connectorId: ConnectorId
  connectorName: string
  /** The name the model sees: `shop__get_order`. */
  name: string
  description: string
  /** Null for a tool of an MCP server. */
  path: string | null
  /** As the operator or the server wrote it, with keys in their order. */
  inputSchema: unknown
  outputSchema: unknown
  capability: Capability
  permission: Permission
  /** Any edit increments these; an approval is bound to them. */
  toolVersion: number
  connectorVersion: number
  /** Which save of the tool this is; null if nobody has saved it. */
  revision: number | null
}

export type ToolErrorCode =
  | 'timeout'
  | 'dns_failed'
  | 'blocked_address'
  | 'tls_failed'
  | 'connection_failed'
  | 'too_large'
  | 'bad_answer'
  /** The tool itself reports that it failed; the answer holds its message. */
  | 'tool_error'
  /** The tool asks a person something first; the answer holds the question. */
  | 'input_needed'
  | 'cancelled'
  | 'invalid_input'
  | 'denied'
  | 'approval_expired'
  | 'approval_void'
  | 'withdrawn'
  | 'outcome_unknown'

export type ToolAnswer = {
  status: number | null
  contentType: string | null
  /** Headers that say where to continue, as `Location: …`, one per line; empty if there are none. */
  headers: string
  /** The body as text, exactly as received; a description if it is binary. */
  body: string
  images: { mediaType: string; base64: string }[]
  error: { code: ToolErrorCode; message: string } | null
  /** For the operator: a masked credential, an answer that does not fit its schema. */
  warnings: string[]
  /** What an MCP server answered, block by block, for a client that asks over MCP. Not stored for others. */
  mcp?: { content: unknown[]; structuredContent?: Record<string, unknown> }
}

/** What a server asks a person in the middle of a call: to fill in a form, or to visit a page. */
export type PersonQuestion = { message: string } & (
  | { schema: Record<string, unknown>; url: null }
  | { schema: null; url: string }
)

export type PersonAnswer = {
  action: 'accept' | 'decline' | 'cancel'
  content?: Record<string, unknown> | undefined
}

/** Waits for the answer; `cancel` if there is none in time. */
export type AskPerson = (question: PersonQuestion, signal: AbortSignal) => Promise<PersonAnswer>

/** Headers that prove to the target who approved exactly what is sent. */
export type SignRequest = (sent: {
  method: string
  url: string
  body: string | null
}) => Promise<Record<string, string>>

/** A call whose bytes are fixed. `send` sends exactly what `shown` shows. */
export type ReadyCall = {
  shown: ShownRequest
  digest: string
  /**
   * `maySend` is asked right before the first byte. If it says no, nothing is sent and the answer is `cancelled`. Without `askPerson`,
   * what a server asks a person is the answer: `input_needed`. `sign` is asked if the connector signs what was approved; `shown`
   * then shows the headers.
   */
  send(
    signal: AbortSignal,
    maySend?: (() => boolean) | undefined,
    askPerson?: AskPerson | null,
    sign?: SignRequest,
  ): Promise<ToolAnswer>
}

export type PreparedCall =
  | ({ kind: 'ready' } & ReadyCall)
  | { kind: 'invalid'; message: string; errors: readonly { pointer: string; detail: string }[] }
  /** It cannot be sent whatever the input is. */
  | { kind: 'refused'; message: string }

/** `prepare` fixes the bytes of a call, with the tool and its connector as they were found. */
export type FoundTool = CallableTool & {
  prepare(input: unknown, callId: ToolCallId): Promise<PreparedCall>
}

/** The tools that may be called now: those that are enabled and, for MCP, pinned. */
export type Tools = {
  list(): Promise<readonly CallableTool[]>
  find(name: string): Promise<FoundTool | null>
}
