import { z } from 'zod'
import type { Audit } from '../audit.ts'
import { endpoint } from '../endpoint.ts'
import { type ConnectorId, idPattern, type ToolId } from '../ids.ts'
import { pageOf, pageQuery, toPage } from '../paging.ts'
import type { Db } from '../platform/db/database.ts'
import { changeConnector } from './change-connector.ts'
import * as tools from './change-tools.ts'
import {
  httpConnectorPatchShape,
  httpConnectorShape,
  importPreviewShape,
  importShape,
  newHttpConnectorShape,
  newToolShape,
  testResultShape,
  toolPatchShape,
  toolShape,
  trialResultShape,
  trialShape,
  unsavedConnectorShape,
} from './contract.ts'
import { createConnector } from './create-connector.ts'
import { deleteConnector } from './delete-connector.ts'
import { draftOf } from './draft.ts'
import { importConnector } from './import/import-connector.ts'
import { draftFromRows, loadConnector } from './load-connector.ts'
import type { SaveContext } from './save-draft.ts'
import type { SchemaCache } from './schema/compile-schema.ts'
import { showConnector } from './show-connector.ts'
import { listConnectorRows, readHeaderRows, readToolRows } from './store.ts'
import { testConnector } from './test-connector.ts'
import { tryTool } from './try-tool.ts'

type Context = SaveContext & { db: Db; audit: Audit; schemas: SchemaCache }

const define = endpoint<Context>()

// The pattern proves the type.
const connectorId = z
  .string()
  .regex(idPattern('connector'))
  .transform((id) => id as ConnectorId)
const toolId = z
  .string()
  .regex(idPattern('tool'))
  .transform((id) => id as ToolId)
const oneConnector = z.object({ id: connectorId })
const oneTool = z.object({ id: connectorId, toolId })

export const list = define({
  summary: 'Connectors, newest first',
  query: pageQuery,
  returns: pageOf(httpConnectorShape),
  async answer({ db }, { query }) {
    const page = toPage(await listConnectorRows(db, query), query.limit)
    const ids = page.items.map(({ id }) => id)
    const headers = Map.groupBy(await readHeaderRows(db, ids), (header) => header.connectorId)
    const toolRows = Map.groupBy(await readToolRows(db, ids), (tool) => tool.connectorId)
    return {
      ...page,
      items: page.items.map((row) =>
        showConnector({ row, headers: headers.get(row.id) ?? [], tools: toolRows.get(row.id) ?? [] }),
      ),
    }
  },
})

export const create = define({
  summary: 'Register a connector with its tools',
  body: newHttpConnectorShape,
  status: 201,
  returns: httpConnectorShape,
  problems: ['address-not-allowed', 'invalid-input'],
  answer: (ctx, { body, actor, source }) => createConnector(ctx, body, { actor, source }),
})

export const read = define({
  summary: 'One connector; secrets never come back',
  params: oneConnector,
  returns: httpConnectorShape,
  problems: ['not-found'],
  answer: async ({ db }, { params }) => showConnector(await loadConnector(db, params.id)),
})

export const change = define({
  summary: 'Change a connector (merge patch); pending approvals of its tools become void',
  params: oneConnector,
  body: httpConnectorPatchShape,
  returns: httpConnectorShape,
  problems: ['not-found', 'address-not-allowed', 'invalid-input'],
  answer: (ctx, { params, body, actor, source }) => changeConnector(ctx, params.id, body, { actor, source }),
})

export const remove = define({
  summary: 'Delete a connector and its tools',
  params: oneConnector,
  problems: ['not-found'],
  async answer(ctx, { params, actor, source }) {
    await deleteConnector(ctx, params.id, { actor, source })
    return undefined
  },
})

export const testUnsaved = define({
  summary: 'Test a connector that is not saved: one GET of its base URL',
  body: unsavedConnectorShape,
  returns: testResultShape,
  answer: (ctx, { body }) =>
    testConnector(ctx, draftOf({ ...body, tools: [] }).draft, 'a test of an unsaved connector'),
})

export const test = define({
  summary: 'Test a saved connector: one GET of its base URL',
  params: oneConnector,
  returns: testResultShape,
  problems: ['not-found'],
  async answer(ctx, { params }) {
    const draft = draftFromRows(ctx, await loadConnector(ctx.db, params.id))
    return await testConnector(ctx, draft, `a test of connector ${params.id}`)
  },
})

export const importPreview = define({
  summary: 'Preview a connector from an OpenAPI document, its address, or a curl line; nothing is saved',
  body: importShape,
  returns: importPreviewShape,
  problems: ['import-failed', 'address-not-allowed'],
  answer: (ctx, { body }) => importConnector(ctx, body),
})

export const createTool = define({
  summary: 'Add a tool to a connector',
  params: oneConnector,
  body: newToolShape,
  status: 201,
  returns: toolShape,
  problems: ['not-found', 'name-taken', 'invalid-input'],
  answer: (ctx, { params, body, actor, source }) => tools.createTool(ctx, params.id, body, { actor, source }),
})

export const changeTool = define({
  summary: 'Change a tool (merge patch; schemas are replaced whole)',
  params: oneTool,
  body: toolPatchShape,
  returns: toolShape,
  problems: ['not-found', 'name-taken', 'invalid-input'],
  answer: (ctx, { params, body, actor, source }) =>
    tools.editTool(ctx, params.id, params.toolId, body, { actor, source }),
})

export const removeTool = define({
  summary: 'Delete a tool',
  params: oneTool,
  problems: ['not-found'],
  async answer(ctx, { params, actor, source }) {
    await tools.deleteTool(ctx, params.id, params.toolId, { actor, source })
    return undefined
  },
})

export const tryOne = define({
  summary: 'Try a tool: see the request, send it, see the answer',
  params: z.object({ toolId }),
  body: trialShape,
  returns: trialResultShape,
  problems: ['not-found', 'invalid-input', 'confirmation-required'],
  async answer(ctx, { params, body, actor, source }) {
    const { answer, ...shown } = await tryTool(ctx, params.toolId, body, { actor, source })
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
