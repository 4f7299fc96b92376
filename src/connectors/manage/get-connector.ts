import { problem } from '../../http/problems.ts'
import type { Vault } from '../../platform/crypto/vault.ts'
import type { Db } from '../../platform/db/database.ts'
import type { ConnectorId } from '../../shared/ids.ts'
import { readOauth } from '../auth/oauth-settings.ts'
import type { Location } from '../contract.ts'
import { findGrant, type GrantRow } from '../oauth/grant-store.ts'
import type { Draft, DraftTool } from './draft/draft.ts'
import {
  type ConnectorRow,
  type ConnectorWithHealth,
  findConnectorRow,
  type HeaderRow,
  listHeaderRows,
  listToolRows,
  type ToolRow,
  type ToolWrite,
} from './store.ts'

type Context = { db: Db; vault: Vault }

export type LoadedConnector = {
  row: ConnectorWithHealth
  headers: HeaderRow[]
  grant: GrantRow | null
  tools: ToolRow[]
}

export async function getConnector(db: Db, id: ConnectorId, forUpdate = false): Promise<LoadedConnector> {
  const row = await findConnectorRow(db, id, forUpdate)
  if (!row) throw problem('not-found', 'There is no connector with this id.')
  return {
    row,
    headers: await listHeaderRows(db, [id]),
    grant: await findGrant(db, id),
    tools: await listToolRows(db, [id]),
  }
}

type StoredConnector = Omit<LoadedConnector, 'row' | 'grant'> & { row: ConnectorRow }

/** The stored connector as a draft, its secrets decrypted but still `Secret`. */
export function draftFromRows({ vault }: Pick<Context, 'vault'>, stored: StoredConnector): Draft {
  return toDraft(vault.open, stored)
}

/** For a change of it: without secrets that cannot be opened any more (undecryptable-secrets.ts). */
export function editableDraft({ vault }: Pick<Context, 'vault'>, stored: StoredConnector): Draft {
  return toDraft(vault.openIfKeyIsKnown, stored)
}

function toDraft(open: Vault['openIfKeyIsKnown'], { row, headers, tools }: StoredConnector): Draft {
  return {
    name: row.name,
    baseUrl: row.baseUrl,
    headers: headers.flatMap(({ id, name, value, sealedValue }) => {
      const opened = sealedValue === null ? (value ?? '') : open(sealedValue, headerPlace(id))
      return opened === null ? [] : [{ name, value: opened }]
    }),
    authType: row.authType,
    authName: row.authName,
    authValue: row.authValue === null ? null : open(row.authValue, authPlace(row.id)),
    oauth: readOauth(
      row.oauth,
      row.oauthSecret === null ? null : open(row.oauthSecret, clientSecretPlace(row.id)),
    ),
    timeoutMs: row.timeoutMs,
    signRequests: row.signRequests,
    tools: tools.map(draftToolFromRow),
  }
}

export function draftToolFromRow(tool: ToolWrite): DraftTool {
  const { name, description, capability, permission, bodyFormat } = tool
  return {
    name,
    description,
    // Only tools of MCP servers lack method and path, and those are never drafts.
    method: tool.method ?? 'GET',
    path: tool.path ?? '',
    capability,
    permission,
    bodyFormat,
    // These texts were checked before they were written.
    locations: JSON.parse(tool.locations) as Record<string, Location>,
    inputSchema: JSON.parse(tool.inputSchema) as DraftTool['inputSchema'],
    outputSchema:
      tool.outputSchema === null ? null : (JSON.parse(tool.outputSchema) as DraftTool['outputSchema']),
  }
}

export const authPlace = (row: string) => ({ table: 'connectors', row, column: 'auth_value' })
export const clientSecretPlace = (row: string) => ({ table: 'connectors', row, column: 'oauth_secret' })
export const headerPlace = (row: string) => ({ table: 'connector_headers', row, column: 'sealed_value' })
