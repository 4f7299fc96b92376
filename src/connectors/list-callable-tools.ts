import type { Db } from '../platform/db/database.ts'
import type { CallableTool } from './callable-tool.ts'
import { defaultPermission } from './contract.ts'
import { type CallableRow, readCallableRows } from './store.ts'

type Context = { db: Db }

/** Every tool that may be called, as the gate and the model know it. */
export async function listCallableTools({ db }: Context): Promise<CallableTool[]> {
  return (await readCallableRows(db, null)).map(toCallable)
}

/** By the name the model uses. */
export async function findCallableTool({ db }: Context, name: string): Promise<CallableTool | null> {
  const [row] = await readCallableRows(db, name)
  return row ? toCallable(row) : null
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
