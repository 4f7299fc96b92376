import type { ToolAnswer } from '../connectors/call/callable-tool.ts'
import type { ApprovalId, ToolCallId } from '../shared/ids.ts'

/**
 * The states of a tool call. Reads have no row until they are answered: sending them twice does no harm.
 *
 *   asked ──▶ refused                        by the policy, the schema or an admin
 *     │─────▶ waiting ──▶ refused            an admin is asked: denied, expired, the tool was edited, or the run ended
 *     │          │
 *     └──────────┴──────▶ sending ──▶ answered
 *                            └──────▶ unknown   we were interrupted, or its event was erased, while it was under way: never sent
 *                                               again automatically
 */
export type ToolCallState = 'waiting' | 'sending' | 'answered' | 'refused' | 'unknown'

/** What the gate must know about a call that was begun before. */
export type ToolCall = {
  id: ToolCallId
  state: ToolCallState
  approvalId: ApprovalId | null
  /** Null until it has ended. */
  answer: ToolAnswer | null
}
