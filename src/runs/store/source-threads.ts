import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { isScheduleId, type MessageId, type SourceId } from '../../shared/ids.ts'

/**
 * The thread in which a schedule goes on: that to which the agent comes back, or with `thread: "same"` that of the first message it
 * posted. Null begins a thread.
 */
export async function findThreadOfSchedule(db: Db, id: SourceId): Promise<MessageId | null> {
  if (!isScheduleId(id)) return null
  const { rows } = await sql<{ messageId: MessageId }>`
    select coalesce(s.thread_id, m.id) as message_id from schedules s
    left join runs r on r.source_id = s.id and r.channel_id = s.channel_id and r.thread_id is null and not r.dry and r.trigger = 'schedule'
    left join messages m on m.run_id = r.id and m.thread_id is null
    where s.id = ${id} and (s.thread_id is not null or s.thread = 'same' and m.id is not null) order by r.id limit 1`.execute(
    db,
  )
  return rows[0]?.messageId ?? null
}

/** What was written in a watched channel, if it is still there. */
export async function findThreadOfMessage(db: Db, id: MessageId): Promise<MessageId | null> {
  const { rows } = await sql<{ id: MessageId }>`select id from messages where id = ${id}`.execute(db)
  return rows[0]?.id ?? null
}
