import type { Db } from '../../platform/db/database.ts'
import { shareReads } from '../../platform/share-reads.ts'
import type { ConnectorId } from '../../shared/ids.ts'
import { usesOauth } from '../auth/oauth-settings.ts'
import { defaultPermission } from '../contract.ts'
import {
  type CallableRow,
  type ConnectorRow,
  type HeaderRow,
  listCallableConnectors,
  listCallableRows,
  listHeaderRows,
  readRevision,
  type ToolRow,
} from '../manage/store.ts'
import { type GrantRow, listGrants } from '../oauth/grant-store.ts'
import type { CallableTool, Tools } from './callable-tool.ts'
import { type CallContext, prepareCall } from './prepare-call.ts'

/** Every tool that may be called, with what a call of it needs. */
type Snapshot = {
  revision: string
  tools: readonly CallableTool[]
  byName: ReadonlyMap<string, { tool: CallableTool; row: ToolRow; connector: Connector }>
}
type Connector = { row: ConnectorRow; headers: HeaderRow[]; grant: GrantRow | null }

/** Tools are called far more often than changed: one small query checks whether the cached ones are current. */
export function openTools(ctx: CallContext): Tools {
  let snapshot: Snapshot | undefined
  const currentRevision = shareReads(() => readRevision(ctx.db))
  const read = async () => {
    if (snapshot?.revision !== (await currentRevision())) snapshot = await load(ctx.db)
    return snapshot
  }
  return {
    list: async () => (await read()).tools,
    async find(name) {
      const found = (await read()).byName.get(name)
      if (!found) return null
      const { tool, row, connector } = found
      return { ...tool, prepare: (input, callId) => prepareCall(ctx, connector, row, input, callId) }
    },
  }
}

async function load(db: Db): Promise<Snapshot> {
  // One snapshot for all of it: the revision must belong to the rows that are read.
  return await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (tx) => {
      const revision = await readRevision(tx)
      const rows = await listCallableRows(tx)
      const connectors = await listCallableConnectors(tx)
      const headers = Map.groupBy(
        await listHeaderRows(
          tx,
          connectors.map(({ id }) => id),
        ),
        ({ connectorId }) => connectorId,
      )
      const granted = await listGrants(
        tx,
        connectors.filter(({ authType }) => usesOauth(authType)).map(({ id }) => id),
      )
      const grants = new Map(granted.map((grant) => [grant.connectorId, grant]))
      const connectorOf = new Map(
        connectors.map((row): [ConnectorId, Connector] => [
          row.id,
          { row, headers: headers.get(row.id) ?? [], grant: grants.get(row.id) ?? null },
        ]),
      )
      const found = rows.flatMap((row) => {
        const connector = connectorOf.get(row.connectorId)
        return connector ? [{ tool: toCallable(row), row, connector }] : []
      })
      return {
        revision,
        tools: found.map(({ tool }) => tool),
        byName: new Map(found.map((one) => [one.tool.name, one])),
      }
    })
}

function toCallable(row: CallableRow): CallableTool {
  return {
    toolId: row.id,
    connectorId: row.connectorId,
    connectorName: row.connectorName,
    name: row.modelName,
    description: row.description,
    path: row.path,
    inputSchema: JSON.parse(row.inputSchema),
    outputSchema: row.outputSchema === null ? null : JSON.parse(row.outputSchema),
    capability: row.capability,
    permission: row.permission ?? defaultPermission[row.capability],
    toolVersion: row.version,
    connectorVersion: row.connectorVersion,
  }
}
