import type { z } from 'zod'
import type { Vault } from '../../platform/crypto/vault.ts'
import { usesOauth } from '../auth/oauth-settings.ts'
import {
  defaultPermission,
  defaultTimeoutMs,
  type httpConnectorShape,
  type Location,
  type toolShape,
} from '../contract.ts'
import { showGrant, showOauth } from '../oauth/show-grant.ts'
import { lintSchema } from '../schema/lint-schema.ts'
import { headerPointer } from './draft/draft.ts'
import type { LoadedConnector } from './get-connector.ts'
import type { ToolRow } from './store.ts'
import { describeUndecryptable, listUndecryptable } from './undecryptable-secrets.ts'

export type ShownConnector = z.input<typeof httpConnectorShape>
export type ShownTool = z.input<typeof toolShape>

/** Everything about an HTTP connector except its secrets. */
export function showConnector(ctx: { vault: Vault }, loaded: LoadedConnector): ShownConnector {
  const { row, tools } = loaded
  return {
    ...showCommon(ctx, loaded),
    type: 'http',
    baseUrl: row.baseUrl,
    tools: tools.map(showTool),
  }
}

/** What both types have. A secret that cannot be opened any more counts as not set: somebody must enter it. */
export function showCommon(ctx: { vault: Vault }, { row, headers, grant }: Omit<LoadedConnector, 'tools'>) {
  const lacksCredential = row.authType !== 'none' && !usesOauth(row.authType) && row.authValue === null
  const lost = listUndecryptable(ctx, { row, headers })
  const isLost = (pointer: string) => lost.some((one) => one.pointer === pointer)
  const explained = describeUndecryptable(row.name, lost)
  const oauth = showOauth(row, isLost('/oauth/clientSecret'))
  const lacksClient = row.authType === 'oauth_client' && !(oauth?.clientId && oauth.clientSecret.set)
  return {
    id: row.id,
    name: row.name,
    slug: row.slug,
    timeoutMs: row.timeoutMs ?? defaultTimeoutMs,
    signRequests: row.signRequests,
    health: healthOf(row),
    version: row.version,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    defaultHeaders: Object.fromEntries(
      headers.map(({ name, value }) => [name, value ?? { set: !isLost(headerPointer(name)) }]),
    ),
    authType: row.authType,
    authName: row.authName,
    authValue: { set: row.authValue !== null && !isLost('/authValue') },
    oauth,
    grant: showGrant(ctx, row, grant),
    warnings: [
      ...(lacksCredential
        ? ['The auth value is missing: requests go out without credentials until it is set.']
        : []),
      ...(lacksClient
        ? ['The client ID or the client secret is missing: nothing is sent until both are set.']
        : []),
      ...(explained ? [explained] : []),
    ],
  }
}

/** Errors from before the last edit no longer apply. */
function healthOf(row: LoadedConnector['row']): ShownConnector['health'] {
  const { lastErrorAt: at } = row
  const error = at && at >= row.updatedAt ? { lastError: row.lastError, lastErrorAt: at.toISOString() } : null
  return {
    lastContactAt: row.lastContactAt?.toISOString() ?? null,
    ...(error ?? { lastError: null, lastErrorAt: null }),
  }
}

export function showTool(tool: ToolRow): ShownTool {
  // These texts were checked before they were written.
  const inputSchema = JSON.parse(tool.inputSchema) as Record<string, unknown>
  const { modelName, description } = tool
  return {
    id: tool.id,
    connectorId: tool.connectorId,
    name: tool.name,
    modelName,
    description,
    method: tool.method,
    path: tool.path,
    capability: tool.capability,
    permission: tool.permission ?? defaultPermission[tool.capability],
    permissionIsSet: tool.permission !== null,
    locations: JSON.parse(tool.locations) as Record<string, Location>,
    bodyFormat: tool.bodyFormat,
    inputSchema,
    outputSchema: tool.outputSchema === null ? null : JSON.parse(tool.outputSchema),
    version: tool.version,
    warnings: lintSchema({ modelName, description, inputSchema }),
  }
}
