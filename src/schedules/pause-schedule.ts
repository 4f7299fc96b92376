import { sql } from 'kysely'
import type { Db } from '../platform/db/database.ts'
import type { ScheduleId } from '../shared/ids.ts'

/** It rings no more until somebody resumes it; an event that waits is kept. Returns since when; null if it is deleted. */
export async function pauseSchedule(tx: Db, id: ScheduleId, reason: string): Promise<Date | null> {
  const { rows } = await sql<{ pausedAt: Date }>`
    update schedules set paused_at = coalesce(paused_at, now()), pause_reason = ${reason}, next_at = null
    where id = ${id} and state <> 'deleted' returning paused_at`.execute(tx)
  return rows[0]?.pausedAt ?? null
}
