import { invalidField, problem } from '../../http/problems.ts'
import type { Db } from '../../platform/db/database.ts'
import { type Document, shortChanges } from '../../revisions/compare-documents.ts'
import { type Restored, recordRevisions } from '../../revisions/store.ts'
import type { Actor, Caller } from '../../shared/actor.ts'
import type { Audit } from '../../shared/audit.ts'
import type { ConnectorId, ToolId } from '../../shared/ids.ts'
import type { VoidApprovals } from '../../shared/ports/voided.ts'
import type { Capability, Permission } from '../contract.ts'
import { requireAdmin } from '../manage/draft/save-draft.ts'
import { getConnector, type LoadedConnector } from '../manage/get-connector.ts'
import { judgeToolChange } from '../manage/judge-tool-change.ts'
import { deleteTools, findToolRow, type ToolRow, updateTool } from '../manage/store.ts'
import type { AnyToolPatch } from './contract.ts'
import { judgeTools } from './discovery/judge-tools.ts'
import { toolWrite } from './discovery/save-discovery.ts'
import { isChangedTool, judgeDecision } from './mcp-tool.ts'
import { type ShownMcpTool, showMcpTool } from './show-mcp-connector.ts'
import { decideMcpTool, findMcpTool, type McpToolRow, setRights } from './store.ts'

type Context = { db: Db; audit: Audit; voidApprovals: VoidApprovals }
type Rights = { capability: Capability; permission: Permission | null }

/**
 * A person's decision about a tool: enable it (which pins it), keep it off, or change its rights.
 * Anybody who may change connectors may make a tool uncallable; some other changes need an admin.
 */
export async function changeMcpTool(
  ctx: Context,
  caller: Caller,
  connectorId: ConnectorId,
  toolId: ToolId,
  patch: AnyToolPatch,
  restored: Restored = {},
): Promise<ShownMcpTool> {
  refuseForeignFields(patch)
  return await ctx.db.transaction().execute(async (tx) => {
    const loaded = await getConnector(tx, connectorId, true)
    const { row, pin } = await getTool(tx, loaded, toolId)
    if (patch.state) {
      const impossible = judgeDecision(pin, patch.state)
      if (impossible) throw problem('in-use', impossible)
    }
    const rights: Rights = {
      capability: patch.capability ?? row.capability,
      permission: patch.permission === undefined ? row.permission : patch.permission,
    }
    const enables = patch.state === 'enabled' && pin.state !== 'enabled'
    const isCallable = patch.state === 'enabled' || (pin.state === 'enabled' && patch.state === undefined)
    const takesAwayOnly = patch.state !== undefined && !isCallable && isEqual(rights, row)
    // The rights of an undecided tool are our defaults; nobody chose them.
    const reason = judgeToolChange({ ...row, method: null }, { ...rights, method: null })
    if (!takesAwayOnly) requireAdmin(caller.actor, reason ?? whyAdminOnlyTool(rights))
    if (patch.hash !== undefined && patch.hash !== pin.foundHash)
      throw problem('tool-changed', 'The server changed this tool after you opened it. Review it again.')
    if (enables) await enable(tx, loaded, row, pin, caller.actor)
    if (patch.state) await decideMcpTool(tx, toolId, patch.state)
    await setRights(tx, toolId, rights)
    const after = { ...pin, state: patch.state ?? pin.state }
    const save = { subject: toolId, before: documentOf(row, pin), after: documentOf(rights, after) }
    await recordRevisions(tx, caller.actor, [save], restored)
    await ctx.voidApprovals(tx, { connectorId })
    await ctx.audit(tx, {
      ...caller,
      action: patch.state ? `tool.${patch.state}` : 'tool.changed',
      subject: toolId,
      detail: {
        name: row.modelName,
        ...rights,
        ...shortChanges(save.before, save.after),
        callable: isCallable,
        hash: pin.foundHash,
        ...restored,
      },
    })
    return await showSaved(tx, toolId)
  })
}

/** Only a tool that the server no longer lists can be removed; any other would come back. */
export async function forgetMcpTool(
  ctx: Context,
  caller: Caller,
  connectorId: ConnectorId,
  toolId: ToolId,
): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const { row, pin } = await getTool(tx, await getConnector(tx, connectorId, true), toolId)
    if (pin.state !== 'gone') {
      throw problem(
        'in-use',
        'The server still lists this tool, so it would come back. Switch it off instead.',
      )
    }
    await deleteTools(tx, [toolId])
    await ctx.voidApprovals(tx, { connectorId })
    await ctx.audit(tx, {
      ...caller,
      action: 'tool.deleted',
      subject: toolId,
      detail: { name: row.modelName },
    })
  })
}

/** A `read` tool runs without approval, and the server's annotation is only a hint, so an admin must decide it. */
export function whyAdminOnlyTool({ capability, permission }: Rights): string | null {
  if (capability === 'read') return 'Only an admin may declare a tool of an MCP server as read.'
  return judgeToolChange(null, { capability, permission, method: null })
}

async function enable(
  tx: Db,
  { row: connector }: LoadedConnector,
  row: ToolRow,
  pin: McpToolRow,
  actor: Actor,
): Promise<void> {
  if (isChangedTool(pin)) requireAdmin(actor, 'Only an admin may accept a tool that the server has changed.')
  const [judged] = await judgeTools([JSON.parse(pin.found)], new Set([row.name]), new Set())
  if (!judged?.tool) throw invalidField('/state', judged?.reason ?? 'This tool cannot be used.')
  await updateTool(tx, {
    ...toolWrite(connector, judged, judged.tool, row.position, row.id),
    capability: row.capability,
    permission: row.permission,
  })
}

/** What people decide about a tool; the rest comes from its server. The hash binds the decision to what the server offered. */
export function documentOf(
  { capability, permission }: Rights,
  { state, foundHash }: Pick<McpToolRow, 'state' | 'foundHash'>,
): Document {
  return {
    ...(state === 'enabled' ? { state, hash: foundHash } : { state: 'off' }),
    capability,
    permission,
  }
}

function isEqual(one: Rights, other: Rights): boolean {
  return one.capability === other.capability && one.permission === other.permission
}

function refuseForeignFields(patch: AnyToolPatch): void {
  const own = new Set(['state', 'hash', 'capability', 'permission'])
  const foreign = Object.keys(patch).find((key) => !own.has(key))
  if (foreign) {
    throw invalidField(
      `/${foreign}`,
      'This comes from the MCP server. Only state, capability and permission can be set here.',
    )
  }
}

async function getTool(tx: Db, { tools }: LoadedConnector, id: ToolId) {
  const row = tools.find((tool) => tool.id === id)
  const pin = row ? await findMcpTool(tx, id) : null
  if (!row || !pin) throw problem('not-found', 'This connector has no tool with this id.')
  return { row, pin }
}

async function showSaved(tx: Db, id: ToolId): Promise<ShownMcpTool> {
  const row = await findToolRow(tx, id)
  const pin = await findMcpTool(tx, id)
  if (!row || !pin) throw new Error('A tool that was just written is not there.')
  return showMcpTool(row, pin)
}
