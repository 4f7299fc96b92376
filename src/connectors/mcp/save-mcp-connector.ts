import { addressRefused, type FieldError, invalidFields } from '../../http/problems.ts'
import type { Db } from '../../platform/db/database.ts'
import { originOf } from '../../platform/http-server/origin-of.ts'
import { shortChanges } from '../../revisions/compare-documents.ts'
import type { Caller } from '../../shared/actor.ts'
import type { ConnectorId } from '../../shared/ids.ts'
import { describeKeyInUrl, findKeyInUrl, maskKeysInUrl } from '../auth/credential-in-url.ts'
import type { HttpConnectorPatch } from '../contract.ts'
import { checkAuthentication } from '../manage/draft/check-draft.ts'
import { type Draft, draftOf, patchDraft } from '../manage/draft/draft.ts'
import {
  changesOf,
  connectorColumns,
  headerRows,
  insertConnectorColumns,
  openFacts,
  refuseMissingSecret,
  requireAdmin,
  type SaveContext,
} from '../manage/draft/save-draft.ts'
import { editableDraft, getConnector, type LoadedConnector } from '../manage/get-connector.ts'
import { replaceHeaders, updateConnector } from '../manage/store.ts'
import { listUndecryptable, refuseToKeep } from '../manage/undecryptable-secrets.ts'
import { forgetGrantIfOther } from '../oauth/forget-grant.ts'
import { whyAdminOnlyTool } from './change-mcp-tool.ts'
import type { McpConnectorPatch, McpConnectorShape, NewMcpConnector, UnsavedMcpServer } from './contract.ts'
import { readMcpFacts, showMcpConnector } from './show-mcp-connector.ts'
import { insertMcpServer, makeDue, quarantineAll } from './store.ts'

/** No tool is callable yet: a test, a refresh or the schedule finds the tools, and a person enables them. */
export async function createMcpConnector(
  ctx: SaveContext,
  caller: Caller,
  given: NewMcpConnector,
): Promise<McpConnectorShape> {
  const { draft, errors } = mcpDraftOf(given)
  await judge(ctx, draft, [...errors, ...refuseMissingSecret(draft, errors)], 'a new connector')
  return await ctx.db.transaction().execute(async (tx) => {
    const { id } = await insertConnectorColumns(ctx, tx, 'mcp', draft)
    await replaceHeaders(tx, id, headerRows(ctx, id, draft))
    await insertMcpServer(tx, id)
    await ctx.audit(tx, {
      ...caller,
      action: 'connector.created',
      subject: id,
      detail: { name: draft.name, url: maskKeysInUrl(draft.baseUrl) },
    })
    return await showSaved(ctx, tx, id)
  })
}

/** The settings that it shares with an HTTP connector, whose row it has. */
export function mcpDraftOf({ url, authType, ...given }: NewMcpConnector | UnsavedMcpServer) {
  const usual = typeof given.authValue === 'string' ? 'bearer' : 'none'
  return draftOf({ ...given, baseUrl: url, authType: authType ?? usual, tools: [] })
}

/** A new origin drops the secrets unless the patch brings them again, and quarantines every enabled tool. */
export async function changeMcpConnector(
  ctx: SaveContext,
  caller: Caller,
  id: ConnectorId,
  patch: McpConnectorPatch,
): Promise<McpConnectorShape> {
  // Checked before the transaction, since that may need a DNS lookup; then applied to the row under its lock.
  const stored = await getConnector(ctx.db, id)
  const { after: seen, errors } = apply(ctx, stored, patch)
  errors.push(...refuseToKeep(listUndecryptable(ctx, stored), patch))
  if (patch.authType) errors.push(...refuseMissingSecret(seen, errors))
  await judge(ctx, seen, errors, `connector ${id}`)
  return await ctx.db.transaction().execute(async (tx) => {
    const loaded = await getConnector(tx, id, true)
    const { before, after } = apply(ctx, loaded, patch)
    const replaced = listUndecryptable(ctx, loaded).map(({ field }) => field)
    const changed = [...new Set([...changesOf(before, after), ...replaced])]
    if (changed.length === 0) return await showSaved(ctx, tx, id)
    if (changed.includes('baseUrl')) {
      for (const tool of loaded.tools) requireAdmin(caller.actor, whyAdminOnlyTool(tool))
      if (originOf(before.baseUrl) !== originOf(after.baseUrl)) await quarantineAll(tx, id)
      await makeDue(tx, id)
    }
    await forgetGrantIfOther(tx, id, before, after)
    await updateConnector(tx, connectorColumns(ctx, id, after))
    await replaceHeaders(tx, id, headerRows(ctx, id, after))
    await ctx.voidApprovals(tx, { connectorId: id })
    await ctx.audit(tx, {
      ...caller,
      action: 'connector.changed',
      subject: id,
      detail: {
        name: after.name,
        fields: changed.map((field) => (field === 'baseUrl' ? 'url' : field)),
        ...shortChanges(withUrl(openFacts(before)), withUrl(openFacts(after))),
      },
    })
    return await showSaved(ctx, tx, id)
  })
}

/** Where the API calls it so. */
const withUrl = ({ baseUrl, ...facts }: ReturnType<typeof openFacts>) => ({ ...facts, url: baseUrl })

function apply(ctx: SaveContext, loaded: LoadedConnector, { url, ...patch }: McpConnectorPatch) {
  const before = editableDraft(ctx, { ...loaded, tools: [] })
  const authType = patch.authType ?? impliedType(before, patch)
  const { draft: after, errors } = patchDraft(before, { ...patch, authType, baseUrl: url })
  return { before, after, errors }
}

/** A value without a type is a bearer token; no value and no type is no authentication. */
function impliedType(
  { authType }: Draft,
  given: McpConnectorPatch,
): Exclude<HttpConnectorPatch['authType'], undefined> {
  if (given.authType === null || (authType === 'bearer' && given.authValue === null)) return 'none'
  return authType === 'none' && typeof given.authValue === 'string' ? 'bearer' : authType
}

async function judge(ctx: SaveContext, draft: Draft, errors: FieldError[], purpose: string): Promise<void> {
  const found = [...errors, ...checkUrl(draft.baseUrl), ...checkAuthentication(draft)]
  if (found.length > 0) throw invalidFields(found)
  const refused = await ctx.egress.check(draft.baseUrl, purpose)
  if (refused) throw addressRefused(refused, '/url')
}

function checkUrl(url: string): FieldError[] {
  const refuse = (detail: string) => [{ pointer: '/url', detail }]
  if (!URL.canParse(url))
    return refuse('This is not a complete URL. Write it like https://mcp.example.com/mcp.')
  if (url.includes('#')) return refuse('The URL has no fragment (#…).')
  const key = findKeyInUrl(url)
  return key ? refuse(describeKeyInUrl(key)) : []
}

async function showSaved(ctx: SaveContext, tx: Db, id: ConnectorId): Promise<McpConnectorShape> {
  return showMcpConnector(ctx, await getConnector(tx, id), await readMcpFacts(tx, [id]))
}
