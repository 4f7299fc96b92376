import { sql } from 'kysely'
import { invalidField } from '../http/problems.ts'
import type { Db } from '../platform/db/database.ts'
import type { ChannelId } from '../shared/ids.ts'

/** For a source of events whose replies go there. A concurrent deletion waits until the transaction ends. False if it is deleted. */
export async function lockChannel(tx: Db, id: ChannelId): Promise<boolean> {
  const { rows } = await sql`
    select from channels c join workspaces w on w.id = c.workspace_id
    where c.id = ${id} and c.kind = 'channel' and c.deleted_at is null and w.deleted_at is null for share`.execute(
    tx,
  )
  return rows.length > 0
}

/** In the transaction that saves the source: the channel cannot be deleted before it ends. */
export async function refuseMissingChannel(tx: Db, id: ChannelId): Promise<void> {
  if (await lockChannel(tx, id)) return
  throw invalidField('/channelId', 'There is no such channel. Choose one from GET /api/v1/channels.')
}
