import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { ChannelId, ConnectorId } from '../../shared/ids.ts'

type ChannelScope = { ceiling: null; connectorIds: ConnectorId[] | null }

/** What the agent may use in a channel now; null once the channel or its workspace is deleted. */
export async function findChannelScope(db: Db, id: ChannelId): Promise<ChannelScope | null> {
  const { rows } = await sql<ChannelScope>`
    select null as ceiling, c.connector_ids from channels c join workspaces w on w.id = c.workspace_id
    where c.id = ${id} and c.deleted_at is null and w.deleted_at is null`.execute(db)
  return rows[0] ?? null
}
