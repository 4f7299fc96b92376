import type { CallableTool, FoundTool, Tools } from '../connectors/call/callable-tool.ts'
import type { ConnectorId } from '../shared/ids.ts'

type Context = { tools: Pick<Tools, 'find'> }
type Asked = { name: string; connectorIds: readonly ConnectorId[] | null }
type Versions = Pick<CallableTool, 'toolId' | 'toolVersion' | 'connectorVersion'>

/** Null if there is no such tool in the run's scope. */
export async function findOffered(ctx: Context, { name, connectorIds }: Asked): Promise<FoundTool | null> {
  // A model may ask for anything; only what can be a tool's name is looked up.
  const tool = /^[\w-]{1,64}$/.test(name) ? await ctx.tools.find(name) : null
  return tool && (connectorIds === null || connectorIds.includes(tool.connectorId)) ? tool : null
}

/** Whether the tool that was found a moment ago is still offered, and nobody has edited it or its connector since. */
export async function isUnchanged(ctx: Context, asked: Asked, found: Versions): Promise<boolean> {
  const now = await findOffered(ctx, asked)
  return now !== null && isSameVersion(now, found)
}

export function isSameVersion(one: Versions, other: Versions): boolean {
  return (['toolId', 'toolVersion', 'connectorVersion'] as const).every((part) => one[part] === other[part])
}
