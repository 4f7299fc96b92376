import type { Db } from '../../platform/db/database.ts'
import { shareReads } from '../../platform/share-reads.ts'
import type { ConnectorId, ToolId } from '../../shared/ids.ts'
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
import type { CallableTool } from './callable-tool.ts'

/** A snapshot of every tool that may be called, with what a call of it needs. */
type ToolSnapshot = {
  revision: string
  tools: readonly CallableTool[]
  byName: ReadonlyMap<string, CallableTool>
  toolRows: ReadonlyMap<ToolId, ToolRow>
  connectors: ReadonlyMap<ConnectorId, { row: ConnectorRow; headers: HeaderRow[] }>
}

export type ToolCache = { read(): Promise<ToolSnapshot> }

/** Tools are called far more often than changed: one small query checks whether the cached ones are current. */
export function openToolCache({ db }: { db: Db }): ToolCache {
  let snapshot: ToolSnapshot | undefined
  const currentRevision = shareReads(() => readRevision(db))
  return {
    async read() {
      if (snapshot && snapshot.revision === (await currentRevision())) return snapshot
      snapshot = await load(db)
      return snapshot
    },
  }
}

async function load(db: Db): Promise<ToolSnapshot> {
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
      const tools = rows.map(toCallable)
      return {
        revision,
        tools,
        byName: new Map(tools.map((tool) => [tool.name, tool])),
        toolRows: new Map(rows.map((row) => [row.id, row])),
        connectors: new Map(connectors.map((row) => [row.id, { row, headers: headers.get(row.id) ?? [] }])),
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
    inputSchema: JSON.parse(row.inputSchema),
    outputSchema: row.outputSchema === null ? null : JSON.parse(row.outputSchema),
    capability: row.capability,
    permission: row.permission ?? defaultPermission[row.capability],
    toolVersion: row.version,
    connectorVersion: row.connectorVersion,
  }
}
