import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { replaceNul } from '../../platform/db/replace-nul.ts'
import type { ConnectorId, ToolId } from '../../shared/ids.ts'
import type { Capability, Permission } from '../contract.ts'
import { incrementRevision } from '../manage/store.ts'
import type { Decision, KnownTool, McpToolState } from './mcp-tool.ts'

export type McpServerRow = {
  connectorId: ConnectorId
  serverName: string | null
  serverVersion: string | null
  protocolVersion: string | null
  transport: 'streamable-http' | 'sse' | null
  /** JSON text. */
  refused: string
}

/** The row that belongs to one in `tools`. */
export type McpToolRow = KnownTool & {
  toolId: ToolId
  connectorId: ConnectorId
}

// ── servers ──

export async function insertMcpServer(tx: Db, connectorId: ConnectorId): Promise<void> {
  await sql`insert into mcp_servers (connector_id) values (${connectorId})`.execute(tx)
}

export async function listMcpServers(db: Db, ids: readonly ConnectorId[]): Promise<McpServerRow[]> {
  const { rows } = await sql<McpServerRow>`
    select connector_id, server_name, server_version, protocol_version, transport, refused
    from mcp_servers where connector_id = any(${ids})`.execute(db)
  return rows
}

type ServerReport = {
  name: string
  version: string
  protocolVersion: string
  transport: 'streamable-http' | 'sse'
  refused: string
  prompts: string
}

export async function recordServer(tx: Db, id: ConnectorId, report: ServerReport): Promise<void> {
  await sql`
    update mcp_servers set server_name = ${shortened(report.name)}, server_version = ${shortened(report.version)},
      protocol_version = ${report.protocolVersion}, transport = ${report.transport}, refused = ${report.refused},
      prompts = ${replaceNul(report.prompts)}
    where connector_id = ${id}`.execute(tx)
}

/** What the servers of all connectors offer, by the names of the connectors. */
export async function listOfferedPrompts(
  db: Db,
): Promise<{ connectorId: ConnectorId; connectorName: string; prompts: string }[]> {
  const { rows } = await sql<{ connectorId: ConnectorId; connectorName: string; prompts: string }>`
    select c.id as connector_id, c.name as connector_name, s.prompts
    from mcp_servers s join connectors c on c.id = s.connector_id where s.prompts <> '[]' order by c.name, c.id`.execute(
    db,
  )
  return rows
}

/** Gives each due server to one process and schedules its next refresh. */
export async function claimDueServers(db: Db, limit: number): Promise<ConnectorId[]> {
  const { rows } = await sql<{ connectorId: ConnectorId }>`
    update mcp_servers set next_refresh_at = now() + interval '15 minutes'
    where connector_id in (
      select connector_id from mcp_servers where next_refresh_at <= now()
      order by next_refresh_at limit ${limit} for update skip locked)
    returning connector_id`.execute(db)
  return rows.map(({ connectorId }) => connectorId)
}

export async function makeDue(db: Db, id: ConnectorId): Promise<void> {
  await sql`update mcp_servers set next_refresh_at = now() where connector_id = ${id}`.execute(db)
}

// ── tools ──

export async function listMcpTools(db: Db, ids: readonly ConnectorId[]): Promise<McpToolRow[]> {
  const { rows } = await sql<McpToolRow>`
    select tool_id, connector_id, state, state_before_gone, found, found_hash, pinned, pinned_hash
    from mcp_tools where connector_id = any(${ids})`.execute(db)
  return rows
}

export async function findMcpTool(db: Db, id: ToolId): Promise<McpToolRow | null> {
  const { rows } = await sql<McpToolRow>`
    select tool_id, connector_id, state, state_before_gone, found, found_hash, pinned, pinned_hash
    from mcp_tools where tool_id = ${id}`.execute(db)
  return rows[0] ?? null
}

type NewMcpTool = { toolId: ToolId; connectorId: ConnectorId; found: string; foundHash: string }

const insertBatch = 500

export async function insertMcpTools(tx: Db, tools: readonly NewMcpTool[]): Promise<void> {
  for (let at = 0; at < tools.length; at += insertBatch) {
    const values = tools
      .slice(at, at + insertBatch)
      .map(
        ({ toolId, connectorId, found, foundHash }) =>
          sql`(${toolId}, ${connectorId}, 'new', ${found}, ${foundHash})`,
      )
    await sql`
      insert into mcp_tools (tool_id, connector_id, state, found, found_hash) values ${sql.join(values)}`.execute(
      tx,
    )
  }
  await incrementRevision(tx)
}

export async function moveMcpTool(
  tx: Db,
  id: ToolId,
  to: {
    state: McpToolState
    stateBeforeGone: KnownTool['stateBeforeGone']
    found: string
    foundHash: string
  },
): Promise<void> {
  await sql`
    update mcp_tools set state = ${to.state}, state_before_gone = ${to.stateBeforeGone}, found = ${to.found},
      found_hash = ${to.foundHash}, changed_at = now()
    where tool_id = ${id}`.execute(tx)
  await incrementRevision(tx)
}

/**
 * Stores a person's decision. Enabling pins the object as found. The caller holds the lock of the connector, which covers this row.
 */
export async function decideMcpTool(tx: Db, id: ToolId, state: Decision): Promise<void> {
  await sql`
    update mcp_tools set state = ${state}, state_before_gone = null,
      pinned = case ${state} when 'enabled' then found else pinned end,
      pinned_hash = case ${state} when 'enabled' then found_hash else pinned_hash end,
      changed_at = now()
    where tool_id = ${id}`.execute(tx)
  await incrementRevision(tx)
}

/** Another origin is another server: what was enabled for the old one must be reviewed again. */
export async function quarantineAll(tx: Db, connectorId: ConnectorId): Promise<void> {
  await sql`
    update mcp_tools set state = 'quarantined', pinned_hash = null, changed_at = now()
    where connector_id = ${connectorId} and state = 'enabled'`.execute(tx)
  await sql`
    update mcp_tools set state_before_gone = 'quarantined', pinned_hash = null
    where connector_id = ${connectorId} and state = 'gone' and state_before_gone = 'enabled'`.execute(tx)
  await incrementRevision(tx)
}

/** Approvals are bound to the version, so a change of state voids the pending ones. */
export async function incrementToolVersion(tx: Db, id: ToolId): Promise<void> {
  await sql`update tools set version = version + 1, updated_at = now() where id = ${id}`.execute(tx)
  await incrementRevision(tx)
}

type Rights = { capability: Capability; permission: Permission | null }

export async function setRights(tx: Db, id: ToolId, { capability, permission }: Rights): Promise<void> {
  await sql`
    update tools set capability = ${capability}, permission = ${permission}, version = version + 1, updated_at = now()
    where id = ${id}`.execute(tx)
  await incrementRevision(tx)
}

/** Nobody reads more of a server's description of itself. */
function shortened(text: string): string {
  return replaceNul(text).slice(0, 2000)
}
