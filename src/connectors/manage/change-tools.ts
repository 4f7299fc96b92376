import { invalidFields, problem } from '../../http/problems.ts'
import type { Db } from '../../platform/db/database.ts'
import { shortChanges } from '../../revisions/compare-documents.ts'
import { type Restored, recordRevisions } from '../../revisions/store.ts'
import type { Caller } from '../../shared/actor.ts'
import type { ConnectorId, ToolId } from '../../shared/ids.ts'
import type { NewTool, ToolPatch } from '../contract.ts'
import { checkTool } from './draft/check-tool.ts'
import { type DraftTool, draftToolOf, patchTool } from './draft/draft.ts'
import { changeTool, requireAdmin, type SaveContext, toolWrite } from './draft/save-draft.ts'
import { draftToolFromRow, getConnector, type LoadedConnector } from './get-connector.ts'
import { judgeToolChange } from './judge-tool-change.ts'
import { type ShownTool, showTool } from './show-connector.ts'
import { deleteTools, findToolRow, insertTools, type ToolRow, type ToolWrite } from './store.ts'

/** The three edits of one tool. Each voids the connector's pending approvals in the same transaction. */
export async function createTool(
  ctx: SaveContext,
  caller: Caller,
  connectorId: ConnectorId,
  given: NewTool,
): Promise<ShownTool> {
  const tool = draftToolOf(given)
  refuseFaults(tool)
  return await ctx.db.transaction().execute(async (tx) => {
    const connector = await getConnector(tx, connectorId, true)
    refuseTakenName(connector, tool.name)
    requireAdmin(caller.actor, judgeToolChange(null, tool))
    const position = (connector.tools.at(-1)?.position ?? -1) + 1
    const write = toolWrite(connector.row, tool, position)
    await insertTools(tx, [write])
    await recordRevisions(tx, caller.actor, [{ subject: write.id, before: null, after: tool }])
    await recordEdit(ctx, tx, write, 'tool.created', caller)
    return await showSaved(tx, write.id)
  })
}

export async function editTool(
  ctx: SaveContext,
  caller: Caller,
  connectorId: ConnectorId,
  toolId: ToolId,
  patch: ToolPatch,
  restored: Restored = {},
): Promise<ShownTool> {
  return await ctx.db.transaction().execute(async (tx) => {
    const connector = await getConnector(tx, connectorId, true)
    const old = getIn(connector, toolId)
    const tool = patchTool(draftToolFromRow(old), patch)
    refuseFaults(tool)
    if (tool.name !== old.name) refuseTakenName(connector, tool.name)
    const write = toolWrite(connector.row, tool, old.position, toolId)
    if (await changeTool(tx, old, write, caller.actor, restored)) {
      const changes = shortChanges(draftToolFromRow(old), draftToolFromRow(write))
      await recordEdit(ctx, tx, write, 'tool.changed', caller, { ...changes, ...restored })
    }
    return await showSaved(tx, toolId)
  })
}

export async function deleteTool(
  ctx: SaveContext,
  caller: Caller,
  connectorId: ConnectorId,
  toolId: ToolId,
): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const tool = getIn(await getConnector(tx, connectorId, true), toolId)
    await deleteTools(tx, [toolId])
    await recordEdit(ctx, tx, tool, 'tool.deleted', caller)
  })
}

async function recordEdit(
  ctx: SaveContext,
  tx: Db,
  { id, connectorId, modelName }: ToolWrite,
  action: 'tool.created' | 'tool.changed' | 'tool.deleted',
  by: Caller,
  detail: object = {},
): Promise<void> {
  await ctx.voidApprovals(tx, { connectorId })
  await ctx.audit(tx, { ...by, action, subject: id, detail: { name: modelName, ...detail } })
}

async function showSaved(tx: Db, id: ToolId): Promise<ShownTool> {
  const tool = await findToolRow(tx, id)
  if (!tool) throw new Error('A tool that was just written is not there.')
  return showTool(tool)
}

function getIn({ tools }: LoadedConnector, id: ToolId): ToolRow {
  const tool = tools.find((candidate) => candidate.id === id)
  if (!tool) throw problem('not-found', 'This connector has no tool with this id.')
  return tool
}

function refuseFaults(tool: DraftTool): void {
  const errors = checkTool(tool)
  if (errors.length > 0) throw invalidFields(errors)
}

function refuseTakenName({ tools }: LoadedConnector, name: string): void {
  if (!tools.some((tool) => tool.name === name)) return
  const detail = `Another tool of this connector is called ${name}. Choose another name, or change that tool.`
  throw problem('name-taken', detail, { errors: [{ pointer: '/name', detail }] })
}
