import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { isScheduleId, type MessageId, type SourceId } from '../../shared/ids.ts'

/** The message in whose thread a schedule with `thread: "same"` goes on: the first that it posted there. Null begins a thread. */
export async function findThreadOfSchedule(db: Db, id: SourceId): Promise<MessageId | null> {
  if (!isScheduleId(id)) return null
  const { rows } = await sql<{ messageId: MessageId }>`
    select m.id as message_id from schedules s
    join runs r on r.source_id = s.id and r.channel_id = s.channel_id and r.thread_id is null and not r.dry and r.trigger = 'schedule'
    join messages m on m.run_id = r.id and m.thread_id is null
    where s.id = ${id} and s.thread = 'same' order by r.id limit 1`.execute(db)
  return rows[0]?.messageId ?? null
}
