import { setTimeout as pause } from 'node:timers/promises'
import type { Vault } from '../../../platform/crypto/vault.ts'
import type { Egress } from '../../../platform/egress/open-egress.ts'
import type { ConnectorId } from '../../../shared/ids.ts'
import type { Lifecycle } from '../../../shared/lifecycle.ts'
import { defaultTimeoutMs } from '../../contract.ts'
import { draftFromRows } from '../../manage/get-connector.ts'
import { type ConnectorRow, findConnectorRow, type HeaderRow, listHeaderRows } from '../../manage/store.ts'
import { explainUndecryptable } from '../../manage/undecryptable-secrets.ts'
import { authenticatorOf, type GrantsContext } from '../../oauth/grant-authenticator.ts'
import type { Connectors } from '../../open-connectors.ts'
import { explainMcpFailure, McpFailure } from '../mcp-failure.ts'
import { type McpServer, plainHeaders } from '../mcp-server.ts'
import { toPrompts } from '../prompts/to-prompts.ts'
import { openMcpSession } from '../session/open-session.ts'
import { claimDueServers } from '../store.ts'
import { listRawPrompts, listRawTools } from './list-raw-tools.ts'
import {
  type Discovery,
  type DiscoveryResult,
  type SaveDiscoveryContext,
  saveDiscovery,
} from './save-discovery.ts'

export type DiscoverContext = SaveDiscoveryContext & {
  egress: Egress
  vault: Vault
  connectors: Pick<Connectors, 'recordHealth' | 'grants'>
}

type StoredServer = { row: ConnectorRow; headers: HeaderRow[] }

/** Throws an `McpFailure` if a secret cannot be opened any more. */
export function serverOf(ctx: GrantsContext & { vault: Vault }, stored: StoredServer): McpServer {
  const lost = explainUndecryptable(ctx, stored)
  if (lost) throw new McpFailure('denied', lost, { tookNoEffect: true })
  const draft = draftFromRows(ctx, { ...stored, tools: [] })
  return {
    url: draft.baseUrl,
    headers: plainHeaders(draft),
    auth: authenticatorOf(ctx, stored.row.id, draft),
    timeoutMs: draft.timeoutMs ?? defaultTimeoutMs,
  }
}

/** Connects and reads the whole list. Throws an `McpFailure`. */
export async function readServer(ctx: { egress: Egress }, server: McpServer): Promise<Discovery> {
  try {
    await using session = await openMcpSession(ctx, server)
    const tools = await listRawTools(session)
    const prompts = toPrompts(await listRawPrompts(session))
    const { protocolVersion, transport } = session
    return { ...session.server, protocolVersion, transport, tools, prompts }
  } catch (error) {
    throw explainMcpFailure(error, server)
  }
}

export type Discovered =
  | { ok: true; discovery: Discovery; result: DiscoveryResult | null }
  | { ok: false; failure: McpFailure }

/** Asks a saved server for its tools and stores the list, or that it could not be reached. */
export async function discoverTools(ctx: DiscoverContext, stored: StoredServer): Promise<Discovered> {
  const { row } = stored
  try {
    const discovery = await readServer(ctx, serverOf(ctx, stored))
    return { ok: true, discovery, result: await saveDiscovery(ctx, row, discovery) }
  } catch (failure) {
    // Any other error is our own fault.
    if (!(failure instanceof McpFailure)) throw failure
    // That nobody has signed in yet is no failure of the server.
    if (failure.code !== 'not_connected') await ctx.connectors.recordHealth(row, failure.message)
    return { ok: false, failure }
  }
}

const batchSize = 4
const pollMs = 250

/** Runs on a schedule. A slow or unreachable server delays only its own batch, and does not delay a shutdown. */
export async function refreshDueServers(ctx: DiscoverContext & { lifecycle: Lifecycle }): Promise<void> {
  const due = await claimDueServers(ctx.db, batchSize)
  let isDone = false
  const refreshed = Promise.all(due.map((id) => refreshOne(ctx, id))).finally(() => {
    isDone = true
  })
  // On a shutdown the egress closes the connections of unfinished refreshes; nobody waits for them.
  refreshed.catch(() => undefined)
  while (!isDone && ctx.lifecycle.phase !== 'stopping') await Promise.race([refreshed, pause(pollMs)])
}

async function refreshOne(ctx: DiscoverContext, id: ConnectorId): Promise<void> {
  const row = await findConnectorRow(ctx.db, id)
  if (row?.type === 'mcp') await discoverTools(ctx, { row, headers: await listHeaderRows(ctx.db, [id]) })
}
