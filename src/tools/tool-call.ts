import type { ToolAnswer } from '../connectors/callable-tool.ts'
import type { ApprovalId, ToolCallId } from '../ids.ts'

/**
 * The life of a tool call. Reads have no row until they are answered: sending them twice does no harm.
 *
 *   asked ──▶ refused                        the policy, the schema or an admin said no
 *     │─────▶ waiting ──▶ refused            an admin is asked; no, too late, or the tool was edited
 *     │          │
 *     └──────────┴──────▶ sending ──▶ answered
 *                            └──────▶ unknown   we died while it was under way: never sent again by itself
 */
export type ToolCallState = 'waiting' | 'sending' | 'answered' | 'refused' | 'unknown'

/** What the gate must know of a call that was begun before. */
export type ToolCall = {
  id: ToolCallId
  state: ToolCallState
  approvalId: ApprovalId | null
  /** Null until it has ended. */
  answer: ToolAnswer | null
}
