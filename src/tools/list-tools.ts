import type { CallableTool, Tools } from '../connectors/call/callable-tool.ts'
import type { ConnectorId } from '../shared/ids.ts'

export type ListContext = { tools: Pick<Tools, 'list'> }

/** A tool as the model is offered it, and what the gate knows about it. */
export type OfferedTool = CallableTool

/** What the model is shown. Tools above a webhook's ceiling stay listed: a call of one is refused with the reason. */
export async function listTools(
  ctx: ListContext,
  connectorIds: readonly ConnectorId[] | null,
): Promise<OfferedTool[]> {
  const tools = await ctx.tools.list()
  return tools.filter(
    (tool) => tool.permission !== 'off' && (connectorIds === null || connectorIds.includes(tool.connectorId)),
  )
}
