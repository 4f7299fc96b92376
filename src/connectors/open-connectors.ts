import type { Vault } from '../platform/crypto/vault.ts'
import type { Db } from '../platform/db/database.ts'
import type { Egress } from '../platform/egress/open-egress.ts'
import type { Audit } from '../shared/audit.ts'
import type { RefuseMissingConnectors } from '../shared/ports/connector-ids.ts'
import { openRecordHealth, type RecordHealth } from './manage/record-health.ts'
import { refuseMissingConnectors } from './manage/refuse-missing-connectors.ts'
import { type McpSessions, openMcpSessions } from './mcp/session/open-sessions.ts'
import { makeDue } from './mcp/store.ts'
import { type Grants, openGrants } from './oauth/open-grants.ts'
import { createSchemaCache, type SchemaCache } from './schema/compile-schema.ts'

/** What the calls of all connectors share as long as the service runs. */
export type Connectors = {
  schemas: SchemaCache
  sessions: McpSessions
  grants: Grants
  recordHealth: RecordHealth
  refuseMissing: RefuseMissingConnectors
}

type Context = {
  db: Db
  vault: Vault
  egress: Egress
  audit: Audit
  faults?: (point: string) => void | Promise<void>
  onError(error: Error): void
}

/** The stack ends the MCP sessions. */
export function openConnectors(ctx: Context, stack: AsyncDisposableStack): Connectors {
  const { db, egress, onError } = ctx
  const onToolsChanged = (id: Parameters<typeof makeDue>[1]) => void makeDue(db, id).catch(onError)
  return {
    schemas: createSchemaCache(),
    sessions: stack.use(openMcpSessions({ egress, onToolsChanged })),
    grants: openGrants(ctx),
    recordHealth: openRecordHealth(ctx),
    refuseMissing: refuseMissingConnectors,
  }
}
