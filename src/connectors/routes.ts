import { z } from 'zod'
import { endpoint } from '../http/endpoint.ts'
import { idParam } from '../http/id-param.ts'
import { pageOf, pageQuery, searchText, toPage } from '../http/paging.ts'
import { problem } from '../http/problems.ts'
import type { Db } from '../platform/db/database.ts'
import type { Audit } from '../shared/audit.ts'
import type { ConnectorId } from '../shared/ids.ts'
import type { Tools } from './call/callable-tool.ts'
import { limitPageBytes } from './call/limit-page-bytes.ts'
import { tryTool } from './call/try-tool.ts'
import {
  callableToolShape,
  importPreviewShape,
  importShape,
  newToolShape,
  toolShape,
  trialResultShape,
  trialShape,
} from './contract.ts'
import { importConnector } from './import/import-connector.ts'
import { changeConnector } from './manage/change-connector.ts'
import * as tools from './manage/change-tools.ts'
import { createConnector } from './manage/create-connector.ts'
import { deleteConnector } from './manage/delete-connector.ts'
import { draftOf } from './manage/draft/draft.ts'
import type { SaveContext } from './manage/draft/save-draft.ts'
import { getConnector, type LoadedConnector } from './manage/get-connector.ts'
import { showConnector } from './manage/show-connector.ts'
import { httpPatchOf, httpToolPatchOf, mcpPatchOf } from './manage/split-patch.ts'
import {
  type ConnectorRow,
  findConnectorRow,
  listChangedToolRows,
  listConnectorRows,
  listHeaderRows,
  listToolRows,
} from './manage/store.ts'
import { failedTest, testConnector, testStored } from './manage/test-connector.ts'
import { explainUndecryptable } from './manage/undecryptable-secrets.ts'
import { changeMcpTool, forgetMcpTool } from './mcp/change-mcp-tool.ts'
import {
  anyTestResultShape,
  anyToolPatchShape,
  connectorPatchShape,
  connectorShape,
  mcpToolShape,
  newConnectorShape,
  unsavedAnyShape,
} from './mcp/contract.ts'
import { discoverTools } from './mcp/discovery/discover-tools.ts'
import { changeMcpConnector, createMcpConnector } from './mcp/save-mcp-connector.ts'
import { type McpFacts, readMcpFacts, showMcpConnector } from './mcp/show-mcp-connector.ts'
import { testSavedServer, testUnsavedServer } from './mcp/test-mcp-server.ts'
import { listGrants } from './oauth/grant-store.ts'
import type { Connectors } from './open-connectors.ts'

type Context = SaveContext & {
  tools: Pick<Tools, 'list'>
  db: Db
  audit: Audit
  connectors: Connectors
}

const define = endpoint<Context>()

const oneConnector = z.object({ id: idParam('connector') })
const oneTool = z.object({ id: idParam('connector'), toolId: idParam('tool') })

export const listConnectors = define({
  summary:
    'List connectors, newest first; `q` matches part of the name, the address or a tool name. With `tools=changed`, each connector lists only the tools that its server changed and nobody has reviewed',
  query: pageQuery.extend({ q: searchText, tools: z.enum(['all', 'changed']).default('all') }),
  returns: pageOf(connectorShape),
  async answer(ctx, { query }) {
    const { db } = ctx
    const rows = await listConnectorRows(db, query)
    const isWhole = query.tools === 'all'
    const found = rows.map(({ id }) => id)
    const fitting = isWhole ? await limitPageBytes(db, found) : query.limit
    const page = toPage(rows, Math.min(query.limit, fitting))
    const ids = page.items.map(({ id }) => id)
    const headers = Map.groupBy(await listHeaderRows(db, ids), (header) => header.connectorId)
    const grants = new Map((await listGrants(db, ids)).map((grant) => [grant.connectorId, grant]))
    const tools = isWhole ? await listToolRows(db, ids) : await listChangedToolRows(db, ids)
    const toolRows = Map.groupBy(tools, (tool) => tool.connectorId)
    const facts = await readMcpFacts(
      db,
      page.items.flatMap(({ id, type }) => (type === 'mcp' ? [id] : [])),
    )
    return {
      ...page,
      items: page.items.map((row) =>
        show(
          ctx,
          {
            row,
            headers: headers.get(row.id) ?? [],
            grant: grants.get(row.id) ?? null,
            tools: toolRows.get(row.id) ?? [],
          },
          facts,
        ),
      ),
    }
  },
})

export const addConnector = define({
  summary: 'Create a connector: an HTTP API with its tools, or a remote MCP server',
  body: newConnectorShape,
  status: 201,
  returns: connectorShape,
  problems: ['address-not-allowed', 'invalid-input'],
  answer: async (ctx, { body, caller }) =>
    body.type === 'mcp'
      ? await createMcpConnector(ctx, caller, body)
      : await createConnector(ctx, caller, body),
})

export const readConnector = define({
  summary: 'Get a connector; secrets are never returned',
  params: oneConnector,
  returns: connectorShape,
  problems: ['not-found'],
  answer: (ctx, { params }) => showSaved(ctx, params.id),
})

export const patchConnector = define({
  summary: 'Update a connector (merge patch); voids pending approvals of its tools',
  params: oneConnector,
  body: connectorPatchShape,
  returns: connectorShape,
  problems: ['not-found', 'address-not-allowed', 'invalid-input'],
  async answer(ctx, { params, body, caller }) {
    const { type } = await getRow(ctx.db, params.id)
    return type === 'mcp'
      ? await changeMcpConnector(ctx, caller, params.id, mcpPatchOf(body))
      : await changeConnector(ctx, caller, params.id, httpPatchOf(body))
  },
})

export const dropConnector = define({
  summary: 'Delete a connector and its tools',
  params: oneConnector,
  problems: ['not-found'],
  answer: (ctx, { params, caller }) => deleteConnector(ctx, caller, params.id),
})

export const testUnsaved = define({
  summary:
    'Test a connector that is not saved: one GET of its base URL, or a look at the tools of an MCP server',
  body: unsavedAnyShape,
  returns: anyTestResultShape,
  answer: async (ctx, { body }) =>
    body.type === 'mcp'
      ? await testUnsavedServer(ctx, body)
      : await testConnector(ctx, draftOf({ ...body, tools: [] }).draft, 'a test of an unsaved connector'),
})

export const testSaved = define({
  summary: 'Test a saved connector: one GET of its base URL, or the tool list of an MCP server',
  params: oneConnector,
  returns: anyTestResultShape,
  problems: ['not-found'],
  async answer(ctx, { params }) {
    const loaded = await getConnector(ctx.db, params.id)
    if (loaded.row.type === 'mcp') return await testSavedServer(ctx, loaded)
    const lost = explainUndecryptable(ctx, loaded)
    const result = lost
      ? failedTest(0, { code: 'secret_lost', message: lost, rule: null })
      : await testStored(ctx, loaded)
    if (result.problem?.code !== 'not_connected')
      await ctx.connectors.recordHealth(loaded.row, result.problem?.message ?? null)
    return result
  },
})

export const refreshConnector = define({
  summary: 'Fetch the tools of an MCP server again; changed tools are quarantined',
  params: oneConnector,
  returns: connectorShape,
  problems: ['not-found', 'server-unreachable'],
  async answer(ctx, { params }) {
    const loaded = await getConnector(ctx.db, params.id)
    if (loaded.row.type !== 'mcp') throw problem('not-found', 'Only MCP connectors discover their tools.')
    const found = await discoverTools(ctx, loaded)
    if (!found.ok) throw problem('server-unreachable', found.failure.message)
    return await showSaved(ctx, params.id)
  },
})

export const importPreview = define({
  summary: 'Preview a connector from an OpenAPI document, its address, or a curl line; nothing is saved',
  body: importShape,
  returns: importPreviewShape,
  problems: ['import-failed', 'address-not-allowed'],
  answer: (ctx, { body }) => importConnector(ctx, body),
})

export const addTool = define({
  summary: 'Add a tool to a connector',
  params: oneConnector,
  body: newToolShape,
  status: 201,
  returns: toolShape,
  problems: ['not-found', 'name-taken', 'invalid-input'],
  async answer(ctx, { params, body, caller }) {
    const { type } = await getRow(ctx.db, params.id)
    if (type === 'mcp') throw problem('not-found', 'The tools of an MCP connector come from its server.')
    return await tools.createTool(ctx, caller, params.id, body)
  },
})

export const patchTool = define({
  summary:
    'Change a tool (merge patch; schemas are replaced whole), or enable or switch off one of an MCP server',
  params: oneTool,
  body: anyToolPatchShape,
  returns: z.union([mcpToolShape, toolShape]),
  problems: ['not-found', 'name-taken', 'invalid-input', 'tool-changed', 'in-use'],
  async answer(ctx, { params, body, caller }) {
    const { type } = await getRow(ctx.db, params.id)
    return type === 'mcp'
      ? await changeMcpTool(ctx, caller, params.id, params.toolId, body)
      : await tools.editTool(ctx, caller, params.id, params.toolId, httpToolPatchOf(body))
  },
})

export const dropTool = define({
  summary: 'Delete a tool; for an MCP server, only one that it no longer lists',
  params: oneTool,
  problems: ['not-found', 'in-use'],
  async answer(ctx, { params, caller }) {
    const { type } = await getRow(ctx.db, params.id)
    if (type === 'mcp') await forgetMcpTool(ctx, caller, params.id, params.toolId)
    else await tools.deleteTool(ctx, caller, params.id, params.toolId)
  },
})

export const listCallable = define({
  summary: 'List the tools that are switched on, by the names that the agent uses',
  returns: z.object({ items: z.array(callableToolShape) }),
  async answer(ctx) {
    const items = (await ctx.tools.list()).map(
      ({ toolId: id, connectorId, name, description, capability, permission }) => ({
        id,
        connectorId,
        name,
        description,
        capability,
        permission,
      }),
    )
    return { items: items.sort((one, other) => one.name.localeCompare(other.name, 'en')) }
  },
})

export const tryOne = define({
  summary: 'Try a tool: preview the request, send it, see the response',
  params: oneTool.pick({ toolId: true }),
  body: trialShape,
  exactNumbers: true,
  returns: trialResultShape,
  problems: ['not-found', 'invalid-input', 'confirmation-required'],
  async answer(ctx, { params, body, caller }) {
    const { answer, ...shown } = await tryTool(ctx, caller, params.toolId, body)
    if (!answer) return { ...shown, response: null, error: null, warnings: [] }
    const { status, contentType, body: text, images, error, warnings } = answer
    return {
      ...shown,
      response: status === null ? null : { status, contentType, body: text, images },
      error,
      warnings,
    }
  },
})

async function getRow(db: Db, id: ConnectorId): Promise<ConnectorRow> {
  const row = await findConnectorRow(db, id)
  if (!row) throw problem('not-found', 'There is no connector with this id.')
  return row
}

async function showSaved(ctx: Context, id: ConnectorId) {
  const loaded = await getConnector(ctx.db, id)
  return show(ctx, loaded, await readMcpFacts(ctx.db, loaded.row.type === 'mcp' ? [id] : []))
}

function show(ctx: Context, loaded: LoadedConnector, facts: McpFacts) {
  return loaded.row.type === 'mcp' ? showMcpConnector(ctx, loaded, facts) : showConnector(ctx, loaded)
}
