import type { Db } from '../../platform/db/database.ts'
import { systemActor } from '../../shared/actor.ts'
import type { Audit } from '../../shared/audit.ts'
import { pauseOutdated } from './store.ts'

/**
 * In the transaction that changed a tool or its connector, or took another pin of an MCP server. A policy that was saved for the
 * former one does not match any more in any case; this says so, and records it.
 */
export async function pauseChanged({ db, audit }: { db: Db; audit: Audit }): Promise<void> {
  for (const { id, tool } of await pauseOutdated(db)) {
    const detail = { tool, because: 'The tool or its connector was changed.' }
    await audit(db, { actor: systemActor, action: 'policy.paused', subject: id, detail })
  }
}
