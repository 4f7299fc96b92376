import { sql } from 'kysely'
import type { ChannelId, ConnectorId } from '../../ids.ts'
import type { Db } from '../../platform/db/database.ts'

type ChannelScope = { ceiling: null; connectorIds: ConnectorId[] | null }

/** What the agent may use in a channel at this moment; null once it is deleted. */
export async function findChannelScope(db: Db, id: ChannelId): Promise<ChannelScope | null> {
  const { rows } = await sql<ChannelScope>`
    select null as ceiling, connector_ids from channels where id = ${id} and deleted_at is null`.execute(db)
  return rows[0] ?? null
}
