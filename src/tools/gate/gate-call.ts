import type { InputChange } from '../../approvals/approval.ts'
import type { CallableTool, PreparedCall, ToolAnswer, Tools } from '../../connectors/call/callable-tool.ts'
import type { JobQueue } from '../../jobs.ts'
import type { ApprovalId, ChannelId, MessageId, RunId, ToolCallId } from '../../shared/ids.ts'
import type { ReceiptContext } from '../receipts/issue-receipt.ts'
import type { Ownership } from '../send-call.ts'
import type { NewToolCall } from '../store.ts'
import type { ToolMetrics } from '../tool-metrics.ts'
import type { LimitingPlace, RightsContext } from './decide-call.ts'
import type { PolicyContext } from './decide-with-policies.ts'
import type { RunScope } from './narrow-scope.ts'
import type { Requester } from './requester.ts'

export type GateContext = RightsContext &
  PolicyContext &
  ReceiptContext & {
    queue: JobQueue
    metrics: ToolMetrics
    settings: { read(): Promise<{ limits: { approvalSeconds: number } }> }
    tools: Pick<Tools, 'find'>
  }

export type GateCall = RunScope & {
  callId: ToolCallId
  runId: RunId
  name: string
  input: unknown
  requester: Requester
  limitedBy: LimitingPlace | null
  /** The runs whose answers the model saw when it wrote the call, and the other calls of the same step. */
  conversation: readonly RunId[]
  alongside: readonly ToolCallId[]
  channelId: ChannelId
  threadId: MessageId | null
  /** The number under which the worker owns the run: once another one has taken it, nothing is stored or sent. */
  fence?: number
  ownership?: Ownership
  /** The call is new, so there is no row of it to look for. */
  isFresh?: boolean
  /** The step asks for many approvals: they share one message. */
  listKey?: string | null
  /** Waits before a read is repeated that the target put off. False if there is no time for it. Without it, nothing is repeated. */
  wait?: (ms: number) => Promise<boolean>
}

type ApprovedBy = {
  name: string
  reason: string | null
  /** Somebody changed what the agent asked for. */
  edited?: { by: string; changes: InputChange[] }
}

export type Outcome =
  /** `approvedBy`: the decision that let it through, if it needed one. */
  | { kind: 'answered'; answer: ToolAnswer; approvedBy?: ApprovedBy }
  | { kind: 'waiting'; approvalId: ApprovalId }
export type Answered = Extract<Outcome, { kind: 'answered' }>

export type Ready = Extract<PreparedCall, { kind: 'ready' }>

export function newCall(
  asked: GateCall,
  tool: CallableTool | null,
  what: Pick<NewToolCall, 'decision' | 'request'>,
): Omit<NewToolCall, 'state'> {
  return {
    id: asked.callId,
    runId: asked.runId,
    name: asked.name,
    input: asked.input,
    tool,
    reason: null,
    approvalId: null,
    answer: null,
    fence: asked.fence ?? null,
    tookMs: 0,
    ...what,
  }
}
