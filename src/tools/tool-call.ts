import type { CallableTool, ToolAnswer } from '../connectors/callable-tool.ts'
import type { ShownRequest } from '../connectors/http/show-request.ts'
import type { ApprovalId, RunId, ToolCallId } from '../ids.ts'

/**
 * The life of a tool call. Reads have no row until they are answered: sending them twice does no harm.
 *
 *   asked ──▶ refused                        the policy, the schema or an admin said no
 *     │─────▶ waiting ──▶ refused            an admin is asked; no, too late, or the tool was edited
 *     │          │
 *     └──────────┴──────▶ sending ──▶ answered
 *                            └──────▶ unknown   we died while it was under way: never sent again by itself
 */
const toolCallStates = ['waiting', 'sending', 'answered', 'refused', 'unknown'] as const
export type ToolCallState = (typeof toolCallStates)[number]

export type ToolCall = {
  id: ToolCallId
  runId: RunId
  name: string
  state: ToolCallState
  decision: 'run' | 'ask-admin' | 'refuse'
  reason: string | null
  approvalId: ApprovalId | null
  capability: CallableTool['capability'] | null
  request: ShownRequest | null
  answer: ToolAnswer | null
}
