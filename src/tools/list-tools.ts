import type { CallableTool } from '../connectors/callable-tool.ts'
import type { ConnectorId } from '../ids.ts'

type Context = { listCallableTools(): Promise<readonly CallableTool[]> }

/** What the model is shown. Tools above a webhook's ceiling stay listed: they are refused at the call, with the reason. */
export async function listTools(
  ctx: Context,
  connectorIds: readonly ConnectorId[] | null,
): Promise<CallableTool[]> {
  const tools = await ctx.listCallableTools()
  return tools.filter(
    (tool) => tool.permission !== 'off' && (connectorIds === null || connectorIds.includes(tool.connectorId)),
  )
}
