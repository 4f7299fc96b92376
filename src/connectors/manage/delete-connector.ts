import { problem } from '../../http/problems.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Caller } from '../../shared/actor.ts'
import type { Audit } from '../../shared/audit.ts'
import type { ConnectorId } from '../../shared/ids.ts'
import type { VoidApprovals } from '../../shared/ports/voided.ts'
import { deleteConnectorRow, deleteTools, findConnectorRow, listToolRows } from './store.ts'

type Context = {
  db: Db
  audit: Audit
  voidApprovals: VoidApprovals
  connectors: { sessions: { forget(id: ConnectorId): void } }
}

/** Its tools can no longer be called, and its pending approvals are void. */
export async function deleteConnector(ctx: Context, caller: Caller, id: ConnectorId): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const row = await findConnectorRow(tx, id, true)
    await deleteTools(
      tx,
      (await listToolRows(tx, [id])).map((tool) => tool.id),
    )
    if (!row || !(await deleteConnectorRow(tx, id)))
      throw problem('not-found', 'There is no connector with this id.')
    await ctx.voidApprovals(tx, { connectorId: id })
    await ctx.audit(tx, { ...caller, action: 'connector.deleted', subject: id, detail: { name: row.name } })
  })
  ctx.connectors.sessions.forget(id)
}
