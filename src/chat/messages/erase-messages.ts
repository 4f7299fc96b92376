import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { ChannelId, MessageId, RunId } from '../../shared/ids.ts'
import { eraseFilesOf } from '../files/store.ts'
import { announce } from '../store.ts'

/** Replaces a text that was erased. */
export const erasedNote = '(erased)'

/**
 * Replaces the text of messages posted for these runs, of a notice that was posted without one, and of the message in a watched channel
 * that was the event. Whatever else people wrote stays. A copy on a chat platform must be deleted there.
 */
export async function eraseMessages(
  tx: Db,
  runIds: readonly RunId[],
  notice: { channelId: ChannelId; key: string; messageId: MessageId | null } | null = null,
): Promise<void> {
  await eraseFilesOf(tx, runIds, notice?.messageId ?? null)
  await sql`delete from thumbs where run_id = any(${runIds})`.execute(tx)
  const { rows } = await sql<{ id: MessageId; channelId: ChannelId }>`
    select id, channel_id from messages
    where author_kind <> 'user' and (run_id = any(${runIds})
      or channel_id = ${notice?.channelId ?? null} and post_key = ${notice?.key ?? null})
      or id = ${notice?.messageId ?? null}
    order by channel_id, created_seq`.execute(tx)
  for (const { id, channelId } of rows) {
    await sql`
      with numbered as (update channels set last_seq = last_seq + 1 where id = ${channelId} returning last_seq)
      update messages set text = ${erasedNote}, card = null, origin = null, is_reply = false, seq = last_seq, edited_at = now()
      from numbered where id = ${id}`.execute(tx)
    await sql`update message_parts set text = ${erasedNote} where message_id = ${id}`.execute(tx)
    await announce(tx, { channelId })
  }
}
