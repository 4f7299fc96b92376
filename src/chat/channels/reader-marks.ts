import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { ChannelId, MessageId } from '../../shared/ids.ts'
import type { ChannelChoice } from '../contract.ts'
import { announce } from '../store.ts'

/** A mark only moves forward. */
export async function markRead(
  db: Db,
  userId: string,
  channelId: ChannelId,
  messageId: MessageId | null,
): Promise<void> {
  await sql`
    insert into read_marks (user_id, channel_id, seq)
    select ${userId}, id, coalesce((select created_seq from messages where id = ${messageId}), last_seq)
    from channels where id = ${channelId}
    on conflict (user_id, channel_id) do update set seq = greatest(read_marks.seq, excluded.seq)`.execute(db)
  await announce(db, { channelId, readBy: userId })
}

/** A star, and what counts as unread; what is left out stays. */
export async function chooseForReader(
  db: Db,
  userId: string,
  channelId: ChannelId,
  { starred, notify }: ChannelChoice,
): Promise<void> {
  await sql`
    insert into read_marks (user_id, channel_id, seq, starred, notify)
    values (${userId}, ${channelId}, 0, ${starred ?? false}, ${notify ?? 'all'})
    on conflict (user_id, channel_id) do update set starred = coalesce(${starred ?? null}, read_marks.starred),
      notify = coalesce(${notify ?? null}, read_marks.notify)`.execute(db)
  await announce(db, { channelId, readBy: userId })
}
