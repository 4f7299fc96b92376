import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { ChannelId, ConnectorId } from '../../shared/ids.ts'

type ChannelScope = { ceiling: null; connectorIds: ConnectorId[] | null; readsAcross: 'all' }

/** What the agent may use in a channel for a person now, across connectors in any case: no event talks to it. Null once the channel or its workspace is deleted. */
export async function findChannelScope(db: Db, id: ChannelId): Promise<ChannelScope | null> {
  const { rows } = await sql<ChannelScope>`
    select null as ceiling, c.connector_ids, 'all' as reads_across from channels c join workspaces w on w.id = c.workspace_id
    where c.id = ${id} and c.deleted_at is null and w.deleted_at is null`.execute(db)
  return rows[0] ?? null
}
