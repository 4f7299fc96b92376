import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { ChannelId } from '../../shared/ids.ts'
import { announce } from '../store.ts'
import type { ChannelRow } from './store.ts'

export async function setThreadContext(
  tx: Db,
  id: ChannelId,
  threadContext: ChannelRow['threadContext'],
): Promise<void> {
  await sql`update channels set thread_context = ${threadContext} where id = ${id}`.execute(tx)
  await announce(tx, { channelId: id })
}
