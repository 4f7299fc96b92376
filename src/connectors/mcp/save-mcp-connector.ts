import { addressRefused, type FieldError, invalidFields } from '../../http/problems.ts'
import type { Db } from '../../platform/db/database.ts'
import { isHeaderValue } from '../../platform/egress/judge-headers.ts'
import { originOf } from '../../platform/http-server/origin-of.ts'
import { Secret } from '../../platform/secret.ts'
import type { Caller } from '../../shared/actor.ts'
import type { ConnectorId } from '../../shared/ids.ts'
import { authPlace, getConnector, type LoadedConnector } from '../manage/get-connector.ts'
import {
  connectorColumns,
  insertConnectorColumns,
  requireAdmin,
  type SaveContext,
} from '../manage/save-draft.ts'
import { updateConnector } from '../manage/store.ts'
import { listUndecryptable, refuseToKeep } from '../manage/undecryptable-secrets.ts'
import { whyAdminOnlyTool } from './change-mcp-tool.ts'
import type { McpConnectorPatch, McpConnectorShape, NewMcpConnector } from './contract.ts'
import { readMcpFacts, showMcpConnector } from './show-mcp-connector.ts'
import { insertMcpServer, makeDue, quarantineAll } from './store.ts'

type Facts = { name: string; url: string; token: Secret | null; timeoutMs: number | null }

/** No tool is callable yet: a test, a refresh or the schedule finds the tools, and a person enables them. */
export async function createMcpConnector(
  ctx: SaveContext,
  caller: Caller,
  given: NewMcpConnector,
): Promise<McpConnectorShape> {
  const { token, errors } = chooseToken(null, given.authValue)
  const facts: Facts = { name: given.name, url: given.url, token, timeoutMs: given.timeoutMs ?? null }
  await judge(ctx, facts, errors, 'a new connector')
  return await ctx.db.transaction().execute(async (tx) => {
    const { id } = await insertConnectorColumns(ctx, tx, 'mcp', asHttp(facts))
    await insertMcpServer(tx, id)
    await ctx.audit(tx, {
      ...caller,
      action: 'connector.created',
      subject: id,
      detail: { name: given.name, url: given.url },
    })
    return await showSaved(ctx, tx, id)
  })
}

/** A new origin drops the token unless the patch brings it again, and quarantines every enabled tool. */
export async function changeMcpConnector(
  ctx: SaveContext,
  caller: Caller,
  id: ConnectorId,
  patch: McpConnectorPatch,
): Promise<McpConnectorShape> {
  // Checked before the transaction, since that may need a DNS lookup; then applied to the row under its lock.
  const stored = await getConnector(ctx.db, id)
  const seen = apply(ctx, stored, patch)
  const errors = [...seen.errors, ...refuseToKeep(listUndecryptable(ctx, stored), patch)]
  await judge(ctx, seen.after, errors, `connector ${id}`)
  return await ctx.db.transaction().execute(async (tx) => {
    const loaded = await getConnector(tx, id, true)
    const { before, after } = apply(ctx, loaded, patch)
    const replaced = listUndecryptable(ctx, loaded).map(({ field }) => field)
    const changed = [...new Set([...changesOf(before, after), ...replaced])]
    if (changed.length === 0) return await showSaved(ctx, tx, id)
    if (changed.includes('url')) {
      for (const tool of loaded.tools) requireAdmin(caller.actor, whyAdminOnlyTool(tool))
      if (originOf(before.url) !== originOf(after.url)) await quarantineAll(tx, id)
      await makeDue(tx, id)
    }
    await updateConnector(tx, connectorColumns(ctx, id, asHttp(after)))
    await ctx.voidApprovals(tx, { connectorId: id })
    await ctx.audit(tx, {
      ...caller,
      action: 'connector.changed',
      subject: id,
      detail: { name: after.name, fields: changed },
    })
    return await showSaved(ctx, tx, id)
  })
}

function apply(ctx: SaveContext, { row }: LoadedConnector, patch: McpConnectorPatch) {
  const before: Facts = {
    name: row.name,
    url: row.baseUrl,
    token: row.authValue === null ? null : ctx.vault.openIfKeyIsKnown(row.authValue, authPlace(row.id)),
    timeoutMs: row.timeoutMs,
  }
  const url = patch.url ?? before.url
  const kept = originOf(url) === originOf(before.url) ? before.token : null
  const { token, errors } = chooseToken(kept, patch.authValue)
  const timeoutMs = patch.timeoutMs === undefined ? before.timeoutMs : patch.timeoutMs
  return { before, after: { name: patch.name ?? before.name, url, token, timeoutMs } satisfies Facts, errors }
}

function chooseToken(
  kept: Secret | null,
  given: NewMcpConnector['authValue'],
): { token: Secret | null; errors: FieldError[] } {
  const refuse = (detail: string) => ({ token: kept, errors: [{ pointer: '/authValue', detail }] })
  if (given === null) return { token: null, errors: [] }
  if (typeof given === 'string') {
    return isHeaderValue(given)
      ? { token: new Secret(given), errors: [] }
      : refuse('A token has no line breaks and only ASCII characters.')
  }
  if (given?.set && !kept) return refuse('No token is stored for this address; send the token itself.')
  return { token: kept, errors: [] }
}

async function judge(ctx: SaveContext, { url }: Facts, errors: FieldError[], purpose: string): Promise<void> {
  const found = [...errors]
  if (!URL.canParse(url)) {
    found.push({
      pointer: '/url',
      detail: 'This is not a complete URL. Write it like https://mcp.example.com/mcp.',
    })
  } else if (url.includes('#')) found.push({ pointer: '/url', detail: 'The URL has no fragment (#…).' })
  if (found.length > 0) throw invalidFields(found)
  const refused = await ctx.egress.check(url, purpose)
  if (refused) throw addressRefused(refused, '/url')
}

function changesOf(before: Facts, after: Facts): string[] {
  return [
    before.name === after.name ? [] : ['name'],
    before.url === after.url ? [] : ['url'],
    before.token?.reveal() === after.token?.reveal() ? [] : ['authValue'],
    before.timeoutMs === after.timeoutMs ? [] : ['timeoutMs'],
  ].flat()
}

/** As the fields of an HTTP connector, which share the row. */
function asHttp({ name, url, token, timeoutMs }: Facts) {
  const authType = token ? ('bearer' as const) : ('none' as const)
  return { name, baseUrl: url, authType, authHeaderName: null, authValue: token, timeoutMs }
}

async function showSaved(ctx: SaveContext, tx: Db, id: ConnectorId): Promise<McpConnectorShape> {
  const { row, tools } = await getConnector(tx, id)
  return showMcpConnector(ctx, row, tools, await readMcpFacts(tx, [id]))
}
