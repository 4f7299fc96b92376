import type { z } from 'zod'
import type { Vault } from '../../platform/crypto/vault.ts'
import type { Db } from '../../platform/db/database.ts'
import { invisibleCharacters } from '../../platform/invisible-characters.ts'
import { isObject } from '../../platform/json/is-object.ts'
import type { ConnectorId, ToolId } from '../../shared/ids.ts'
import type { LoadedConnector } from '../manage/get-connector.ts'
import { showCommon, showTool } from '../manage/show-connector.ts'
import type { ToolRow } from '../manage/store.ts'
import type { McpConnectorShape, mcpToolShape } from './contract.ts'
import { suggestCapability } from './discovery/suggest-capability.ts'
import { isChangedTool } from './mcp-tool.ts'
import { listMcpServers, listMcpTools, type McpServerRow, type McpToolRow } from './store.ts'

export type ShownMcpTool = z.input<typeof mcpToolShape>

/** The rows of both tables for these connectors. */
export type McpFacts = {
  servers: ReadonlyMap<ConnectorId, McpServerRow>
  tools: ReadonlyMap<ToolId, McpToolRow>
}

export async function readMcpFacts(db: Db, ids: readonly ConnectorId[]): Promise<McpFacts> {
  if (ids.length === 0) return { servers: new Map(), tools: new Map() }
  const servers = await listMcpServers(db, ids)
  const tools = await listMcpTools(db, ids)
  return {
    servers: new Map(servers.map((server) => [server.connectorId, server])),
    tools: new Map(tools.map((tool) => [tool.toolId, tool])),
  }
}

export function showMcpConnector(
  ctx: { vault: Vault },
  loaded: LoadedConnector,
  facts: McpFacts,
): McpConnectorShape {
  const { row, tools } = loaded
  const server = facts.servers.get(row.id)
  return {
    ...showCommon(ctx, loaded),
    type: 'mcp',
    url: row.baseUrl,
    server: server?.transport
      ? {
          name: server.serverName ?? '',
          version: server.serverVersion ?? '',
          protocolVersion: server.protocolVersion ?? '',
          transport: server.transport,
        }
      : null,
    tools: tools.flatMap((tool) => {
      const found = facts.tools.get(tool.id)
      return found ? [showMcpTool(tool, found)] : []
    }),
    // We wrote this text ourselves.
    refused: JSON.parse(server?.refused ?? '[]') as McpConnectorShape['refused'],
  }
}

export function showMcpTool(tool: ToolRow, found: McpToolRow): ShownMcpTool {
  // The text was made from an object when the tool was found.
  const raw = JSON.parse(found.found) as Record<string, unknown>
  const shown = showTool(tool)
  return {
    ...shown,
    warnings: [...shown.warnings, ...warnOfHiddenText(found.found)],
    state: found.state,
    title: titleOf(raw),
    suggestedCapability: suggestCapability(raw),
    hash: found.foundHash,
    found: found.found,
    pinned: found.pinned,
    changed: isChangedTool(found),
  }
}

const joiner = /[\u200c\u200d]/

/** Warns of characters that are invisible to people but read by models. */
function warnOfHiddenText(text: string): ShownMcpTool['warnings'] {
  if (text.search(invisibleCharacters) < 0 && !joiner.test(text)) return []
  const detail =
    'It contains invisible characters, which may hide instructions for the agent. Review it closely.'
  return [{ provider: 'all', pointer: '', detail }]
}

function titleOf({ title, annotations }: Record<string, unknown>): string | null {
  if (typeof title === 'string') return title
  return isObject(annotations) && typeof annotations.title === 'string' ? annotations.title : null
}
