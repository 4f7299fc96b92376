import type { Db } from '../../../platform/db/database.ts'
import { systemActor } from '../../../shared/actor.ts'
import type { Audit } from '../../../shared/audit.ts'
import { type ConnectorId, newId, type ToolId } from '../../../shared/ids.ts'
import type { VoidApprovals } from '../../../shared/ports/voided.ts'
import { modelNameFor } from '../../call/name-for-model.ts'
import type { Capability } from '../../contract.ts'
import { writeHealth } from '../../manage/record-health.ts'
import {
  type ConnectorRow,
  deleteTools,
  findConnectorRow,
  insertTools,
  listToolRows,
  type ToolWrite,
  updateTool,
} from '../../manage/store.ts'
import { judgeListing, type McpToolState } from '../mcp-tool.ts'
import type { ServerPrompt } from '../prompts/contract.ts'
import {
  incrementToolVersion,
  insertMcpTools,
  listMcpTools,
  type McpToolRow,
  moveMcpTool,
  recordServer,
} from '../store.ts'
import { type JudgedTool, judgeTools, plainName } from './judge-tools.ts'
import { suggestCapability } from './suggest-capability.ts'

export type SaveDiscoveryContext = {
  db: Db
  audit: Audit
  voidApprovals: VoidApprovals
}

export type Discovery = {
  name: string
  version: string
  protocolVersion: string
  transport: 'streamable-http' | 'sse'
  /** Every entry of the list as the server wrote it. */
  tools: readonly unknown[]
  prompts: readonly ServerPrompt[]
}

export type DiscoveryResult = { tools: number; refused: number }

/**
 * Stores what a server publishes now. An enabled tool stays enabled only if it has not changed; nothing becomes callable here.
 * Null if the connector was changed or deleted meanwhile, since the list then belongs to something else.
 */
export async function saveDiscovery(
  ctx: SaveDiscoveryContext,
  connector: { id: ConnectorId; version: number },
  discovery: Discovery,
): Promise<DiscoveryResult | null> {
  const { id } = connector
  // Schemas are compiled before the transaction, which must be short.
  const before = await listMcpTools(ctx.db, [id])
  const names = new Map((await listToolRows(ctx.db, [id])).map((tool) => [tool.id, tool.name]))
  const decided = before.filter(({ state }) => state !== 'new').map(({ toolId }) => names.get(toolId) ?? '')
  const usableBefore = before.filter(({ state }) => state === 'new' || state === 'enabled')
  const judged = await judgeTools(
    discovery.tools,
    new Set(decided),
    new Set(usableBefore.map(({ foundHash }) => foundHash)),
  )
  const refused = judged.flatMap(({ name, reason }) => (reason === null ? [] : [{ name, reason }]))

  return await ctx.db.transaction().execute(async (tx) => {
    const row = await findConnectorRow(tx, id, true)
    if (row?.version !== connector.version) return null
    await writeHealth(tx, connector, null)
    await recordServer(tx, id, {
      ...discovery,
      refused: JSON.stringify(refused.slice(0, 1000)),
      prompts: JSON.stringify(discovery.prompts),
    })
    await merge(ctx, tx, row, judged)
    return { tools: judged.length - refused.length, refused: refused.length }
  })
}

async function merge(
  ctx: SaveDiscoveryContext,
  tx: Db,
  connector: Pick<ConnectorRow, 'id' | 'slug'>,
  judged: readonly JudgedTool[],
): Promise<void> {
  const { id } = connector
  const toolRows = new Map((await listToolRows(tx, [id])).map((tool) => [tool.id, tool]))
  const known = new Map<string, McpToolRow>()
  for (const tool of await listMcpTools(tx, [id])) {
    const name = toolRows.get(tool.toolId)?.name
    if (name !== undefined) known.set(name, tool)
  }
  const listed = new Map(judged.toReversed().map((tool) => [tool.name, tool]))
  const lost: string[] = []
  const forgotten: ToolId[] = []
  for (const [name, tool] of known) {
    const entry = listed.get(name)
    const state = judgeListing(tool, entry ? { hash: entry.hash, usable: entry.tool !== null } : null)
    if (state === null) {
      forgotten.push(tool.toolId)
      continue
    }
    if (state === tool.state && (entry?.hash ?? tool.foundHash) === tool.foundHash) continue
    await moveMcpTool(tx, tool.toolId, {
      state,
      stateBeforeGone: beforeGone(tool, state),
      found: entry?.text ?? tool.found,
      foundHash: entry?.hash ?? tool.foundHash,
    })
    const row = toolRows.get(tool.toolId)
    if (state === 'new' && entry?.tool && row) {
      await updateTool(tx, toolWrite(connector, entry, entry.tool, row.position, tool.toolId))
    } else if (tool.state === 'enabled' || state === 'enabled') {
      await incrementToolVersion(tx, tool.toolId)
      if (tool.state === 'enabled') lost.push(name)
      await ctx.audit(tx, {
        actor: systemActor,
        action: `tool.${state}`,
        subject: tool.toolId,
        detail: { name: row?.modelName, was: tool.pinnedHash, is: entry?.hash ?? null },
      })
    }
  }
  await deleteTools(tx, forgotten)
  const added = judged.flatMap((entry, position) =>
    entry.tool && !known.has(entry.name)
      ? [{ entry, write: toolWrite(connector, entry, entry.tool, position) }]
      : [],
  )
  await insertTools(
    tx,
    added.map(({ write }) => write),
  )
  await insertMcpTools(
    tx,
    added.map(({ entry, write }) => ({
      toolId: write.id,
      connectorId: id,
      found: entry.text,
      foundHash: entry.hash,
    })),
  )
  if (lost.length > 0) await ctx.voidApprovals(tx, { connectorId: id })
}

function beforeGone({ state, stateBeforeGone }: McpToolRow, to: McpToolState): McpToolRow['stateBeforeGone'] {
  if (to !== 'gone') return null
  return state === 'enabled' || state === 'off' || state === 'quarantined' ? state : stateBeforeGone
}

/** Until a person decides, no tool counts as harmless. */
function undecidedRights(found: Record<string, unknown>): {
  capability: Capability
  permission: null
} {
  return {
    capability: suggestCapability(found) === 'destructive' ? 'destructive' : 'write',
    permission: null,
  }
}

/** What the agent sees of a tool. */
export function toolWrite(
  connector: Pick<ConnectorRow, 'id' | 'slug'>,
  { name, text }: Pick<JudgedTool, 'name' | 'text'>,
  tool: NonNullable<JudgedTool['tool']>,
  position: number,
  id: ToolId = newId('tool'),
): ToolWrite {
  return {
    id,
    connectorId: connector.id,
    position,
    name,
    modelName: modelNameFor(connector.slug, plainName(name)),
    description: tool.description,
    method: null,
    path: null,
    // judgeTools made this text from an object.
    ...undecidedRights(JSON.parse(text) as Record<string, unknown>),
    bodyFormat: 'json',
    locations: '{}',
    inputSchema: JSON.stringify(tool.inputSchema),
    outputSchema: tool.outputSchema && JSON.stringify(tool.outputSchema),
  }
}
