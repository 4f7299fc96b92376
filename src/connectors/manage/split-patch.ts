import { invalidField } from '../../http/problems.ts'
import type { HttpConnectorPatch, ToolPatch } from '../contract.ts'
import type { AnyToolPatch, ConnectorPatch, McpConnectorPatch } from '../mcp/contract.ts'

const mcpFields = new Set([
  'type',
  'name',
  'url',
  'defaultHeaders',
  'authType',
  'authName',
  'authValue',
  'timeoutMs',
  'signRequests',
])

/** The stored type decides which fields a patch may have. */
export function httpPatchOf({ type, url, ...patch }: ConnectorPatch): HttpConnectorPatch {
  if (type === 'mcp') throw invalidField('/type', otherType)
  if (url !== undefined) throw invalidField('/url', 'An HTTP connector has a baseUrl, not a url.')
  return patch
}

export function mcpPatchOf(patch: ConnectorPatch): McpConnectorPatch {
  if (patch.type === 'http') throw invalidField('/type', otherType)
  const foreign = Object.keys(patch).find((key) => !mcpFields.has(key))
  if (foreign)
    throw invalidField(
      `/${foreign}`,
      'An MCP connector has only name, url, its authentication, defaultHeaders, timeoutMs and signRequests.',
    )
  const { type: _type, baseUrl: _baseUrl, tools: _tools, ...mcpPatch } = patch
  return mcpPatch
}

export function httpToolPatchOf({ state, hash, ...patch }: AnyToolPatch): ToolPatch {
  if (state !== undefined || hash !== undefined) {
    throw invalidField('/state', 'Only tools of MCP servers are enabled this way; set a permission instead.')
  }
  return patch
}

const otherType = 'The type of a connector cannot be changed. Create another one.'
