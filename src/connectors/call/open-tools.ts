import { shareReads } from '../../platform/share-reads.ts'
import { usesOauth } from '../auth/oauth-settings.ts'
import { defaultPermission } from '../contract.ts'
import {
  type CallableRow,
  listCallableConnectors,
  listCallableRows,
  listHeaderRows,
  readRevision,
} from '../manage/store.ts'
import { listGrants } from '../oauth/grant-store.ts'
import type { CallableTool, FoundTool, Tools } from './callable-tool.ts'
import { type CallContext, openCallsLater } from './prepare-call.ts'

/** Every tool that may be called, with what a call of it needs. */
type Snapshot = {
  revision: string
  tools: readonly CallableTool[]
  byName: ReadonlyMap<string, FoundTool>
}

/** Tools are called far more often than changed: one small query checks whether the cached ones are current. */
export function openTools(ctx: CallContext): Tools {
  let snapshot: Snapshot | undefined
  const currentRevision = shareReads(() => readRevision(ctx.db))
  const read = async () => {
    if (snapshot?.revision !== (await currentRevision())) snapshot = await load(ctx)
    return snapshot
  }
  return {
    list: async () => (await read()).tools,
    find: async (name) => (await read()).byName.get(name) ?? null,
  }
}

async function load(ctx: CallContext): Promise<Snapshot> {
  // One snapshot for all of it: the revision must belong to the rows that are read.
  return await ctx.db
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
      const callsOf = new Map(
        connectors.map((row) => {
          const stored = { row, headers: headers.get(row.id) ?? [], grant: grants.get(row.id) ?? null }
          return [row.id, openCallsLater(ctx, stored)]
        }),
      )
      const tools = rows.flatMap((row) => {
        const calls = callsOf.get(row.connectorId)
        return calls ? [{ ...toCallable(row), prepare: calls(row) }] : []
      })
      return { revision, tools, byName: new Map(tools.map((tool) => [tool.name, tool])) }
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
    revision: row.revision,
  }
}
