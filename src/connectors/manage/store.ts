import { sql } from 'kysely'
import { allOf } from '../../platform/db/all-of.ts'
import type { Db } from '../../platform/db/database.ts'
import { forgetRevisions } from '../../revisions/store.ts'
import type { ConnectorId, ToolId } from '../../shared/ids.ts'
import type { AuthType } from '../auth/contract.ts'
import type { Capability, Method, Permission } from '../contract.ts'

export type ConnectorRow = {
  id: ConnectorId
  type: 'http' | 'mcp'
  name: string
  slug: string
  baseUrl: string
  authType: AuthType
  authName: string | null
  /** Sealed. */
  authValue: string | null
  /** JSON text (auth/oauth-settings.ts). */
  oauth: string | null
  /** Sealed. */
  oauthSecret: string | null
  timeoutMs: number | null
  signRequests: boolean
  version: number
  createdAt: Date
  updatedAt: Date
}

/** A connector with its last known health. */
export type ConnectorWithHealth = ConnectorRow & {
  lastContactAt: Date | null
  lastError: string | null
  lastErrorAt: Date | null
}

const connectorsWithHealth = sql`
  select c.*, h.last_contact_at, h.last_error, h.last_error_at
  from connectors c left join connector_health h on h.connector_id = c.id`

export type HeaderRow = { id: string; name: string; value: string | null; sealedValue: string | null }

export type ToolRow = {
  id: ToolId
  connectorId: ConnectorId
  position: number
  name: string
  modelName: string
  description: string
  method: Method | null
  path: string | null
  capability: Capability
  permission: Permission | null
  locations: string
  bodyFormat: 'json' | 'form'
  inputSchema: string
  outputSchema: string | null
  version: number
}

export async function listConnectorRows(
  db: Db,
  { limit, cursor, q }: { limit: number; cursor?: string; q?: string },
): Promise<ConnectorWithHealth[]> {
  const conditions = [
    cursor && sql`id < ${cursor}`,
    q &&
      sql`(position(lower(${q}) in lower(name || ' ' || base_url)) > 0 or exists (
        select from tools t where t.connector_id = c.id and position(lower(${q}) in lower(t.name)) > 0))`,
  ]
  const { rows } = await sql<ConnectorWithHealth>`
    ${connectorsWithHealth} where ${allOf(conditions)} order by id desc limit ${limit + 1}`.execute(db)
  return rows
}

/** `forUpdate` in a transaction that will write, so that edits of one connector run one after the other. */
export async function findConnectorRow(
  db: Db,
  id: ConnectorId,
  forUpdate = false,
): Promise<ConnectorWithHealth | null> {
  const lock = forUpdate ? sql`for update of c` : sql``
  const { rows } = await sql<ConnectorWithHealth>`${connectorsWithHealth} where c.id = ${id} ${lock}`.execute(
    db,
  )
  return rows[0] ?? null
}

/** Those with a query in their address or in the path of a tool. */
export async function listConnectorsWithQueries(db: Db): Promise<ConnectorId[]> {
  const { rows } = await sql<{ id: ConnectorId }>`
    select id from connectors c where position('?' in base_url) > 0
      or exists (select from tools t where t.connector_id = c.id and position('?' in t.path) > 0)`.execute(db)
  return rows.map(({ id }) => id)
}

export async function listHeaderRows(
  db: Db,
  ids: readonly ConnectorId[],
): Promise<(HeaderRow & { connectorId: ConnectorId })[]> {
  const { rows } = await sql<HeaderRow & { connectorId: ConnectorId }>`
    select id, connector_id, name, value, sealed_value from connector_headers
    where connector_id = any(${ids}) order by position`.execute(db)
  return rows
}

export async function listToolRows(db: Db, ids: readonly ConnectorId[]): Promise<ToolRow[]> {
  const { rows } = await sql<ToolRow>`
    select * from tools where connector_id = any(${ids}) order by position, id`.execute(db)
  return rows
}

/** The server changed them, and nobody has reviewed that. */
export async function listChangedToolRows(db: Db, ids: readonly ConnectorId[]): Promise<ToolRow[]> {
  const { rows } = await sql<ToolRow>`
    select t.* from tools t join mcp_tools m on m.tool_id = t.id
    where t.connector_id = any(${ids}) and m.state = 'quarantined' order by t.position, t.id`.execute(db)
  return rows
}

export async function findToolRow(db: Db, id: ToolId): Promise<ToolRow | null> {
  const { rows } = await sql<ToolRow>`select * from tools where id = ${id}`.execute(db)
  return rows[0] ?? null
}

/** All slugs, to choose a free one. The lock makes concurrent creators choose one after the other. */
export async function lockSlugs(tx: Db): Promise<Set<string>> {
  await sql`select pg_advisory_xact_lock(hashtext('connectors.slug'))`.execute(tx)
  const { rows } = await sql<{ slug: string }>`select slug from connectors`.execute(tx)
  return new Set(rows.map(({ slug }) => slug))
}

export type ConnectorWrite = Omit<ConnectorRow, 'type' | 'slug' | 'version' | 'createdAt' | 'updatedAt'>

export async function insertConnector(
  tx: Db,
  row: ConnectorWrite & Pick<ConnectorRow, 'type' | 'slug'>,
): Promise<void> {
  await sql`
    insert into connectors (id, type, name, slug, base_url, auth_type, auth_name, auth_value, oauth, oauth_secret, timeout_ms,
      sign_requests)
    values (${row.id}, ${row.type}, ${row.name}, ${row.slug}, ${row.baseUrl}, ${row.authType}, ${row.authName},
      ${row.authValue}, ${row.oauth}, ${row.oauthSecret}, ${row.timeoutMs}, ${row.signRequests})`.execute(tx)
  await incrementRevision(tx)
}

export async function updateConnector(tx: Db, row: ConnectorWrite): Promise<void> {
  await sql`
    update connectors set name = ${row.name}, base_url = ${row.baseUrl}, auth_type = ${row.authType},
      auth_name = ${row.authName}, auth_value = ${row.authValue}, oauth = ${row.oauth},
      oauth_secret = ${row.oauthSecret}, timeout_ms = ${row.timeoutMs},
      sign_requests = ${row.signRequests}, version = version + 1, updated_at = now()
    where id = ${row.id}`.execute(tx)
  await incrementRevision(tx)
}

export async function replaceHeaders(
  tx: Db,
  connectorId: ConnectorId,
  headers: readonly HeaderRow[],
): Promise<void> {
  await sql`delete from connector_headers where connector_id = ${connectorId}`.execute(tx)
  for (const [position, { id, name, value, sealedValue }] of headers.entries()) {
    await sql`
      insert into connector_headers (id, connector_id, position, name, value, sealed_value)
      values (${id}, ${connectorId}, ${position}, ${name}, ${value}, ${sealedValue})`.execute(tx)
  }
  await incrementRevision(tx)
}

export async function deleteConnectorRow(tx: Db, id: ConnectorId): Promise<boolean> {
  const { numAffectedRows } = await sql`delete from connectors where id = ${id}`.execute(tx)
  await incrementRevision(tx)
  return numAffectedRows === 1n
}

export type ToolWrite = Omit<ToolRow, 'version'>

const insertBatch = 500

export async function insertTools(tx: Db, tools: readonly ToolWrite[]): Promise<void> {
  for (let at = 0; at < tools.length; at += insertBatch) {
    const values = tools.slice(at, at + insertBatch).map(
      (tool) => sql`(${tool.id}, ${tool.connectorId}, ${tool.position}, ${tool.name}, ${tool.modelName},
        ${tool.description}, ${tool.method}, ${tool.path}, ${tool.capability}, ${tool.permission}, ${tool.locations},
        ${tool.bodyFormat}, ${tool.inputSchema}, ${tool.outputSchema})`,
    )
    await sql`
      insert into tools (id, connector_id, position, name, model_name, description, method, path, capability, permission,
        locations, body_format, input_schema, output_schema)
      values ${sql.join(values)}`.execute(tx)
  }
  await incrementRevision(tx)
}

export async function updateTool(tx: Db, tool: ToolWrite): Promise<void> {
  await sql`
    update tools set name = ${tool.name}, model_name = ${tool.modelName}, description = ${tool.description},
      method = ${tool.method}, path = ${tool.path}, capability = ${tool.capability}, permission = ${tool.permission},
      locations = ${tool.locations}, body_format = ${tool.bodyFormat}, input_schema = ${tool.inputSchema},
      output_schema = ${tool.outputSchema}, version = version + 1, updated_at = now()
    where id = ${tool.id}`.execute(tx)
  await incrementRevision(tx)
}

export async function moveTool(tx: Db, id: ToolId, position: number): Promise<void> {
  await sql`update tools set position = ${position} where id = ${id} and position <> ${position}`.execute(tx)
  await incrementRevision(tx)
}

export async function deleteTools(tx: Db, ids: readonly ToolId[]): Promise<void> {
  if (ids.length > 0) await sql`delete from tools where id = any(${ids})`.execute(tx)
  await forgetRevisions(tx, ids)
  await incrementRevision(tx)
}

export type CallableRow = ToolRow & {
  connectorName: string
  connectorVersion: number
  /** The last save of the tool by a person; null if nobody has saved it. */
  revision: number | null
}

/** Every function that writes connectors, headers or tools calls this, in its transaction: caches compare the revision. */
export async function incrementRevision(tx: Db): Promise<void> {
  await sql`update connector_revision set revision = revision + 1`.execute(tx)
}

export async function readRevision(db: Db): Promise<string> {
  const { rows } = await sql<{ revision: string }>`select revision from connector_revision`.execute(db)
  return rows[0]?.revision ?? ''
}

/** The tools that the gate may find. A tool of an MCP server must be enabled by a person. */
export async function listCallableRows(db: Db): Promise<CallableRow[]> {
  const { rows } = await sql<CallableRow>`
    select t.*, c.name as connector_name, c.version as connector_version,
      (select max(n) from revisions r where r.subject = t.id) as revision
    from tools t join connectors c on c.id = t.connector_id left join mcp_tools m on m.tool_id = t.id
    where c.type = 'http' or m.state = 'enabled'
    order by t.connector_id, t.position`.execute(db)
  return rows
}

export async function listCallableConnectors(db: Db): Promise<ConnectorRow[]> {
  const { rows } = await sql<ConnectorRow>`select * from connectors`.execute(db)
  return rows
}
