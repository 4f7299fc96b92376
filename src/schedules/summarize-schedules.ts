import { sql } from 'kysely'
import type { Db } from '../platform/db/database.ts'

/** For the command `doctor`: a sentence if all is well; throws an error that says what to do if some are paused. */
export async function summarizeSchedules(db: Db): Promise<string> {
  const { rows } = await sql<{ name: string; pauseReason: string | null; nextAt: Date | null }>`
    select name, pause_reason, next_at from schedules where state = 'active' order by next_at`.execute(db)
  const paused = rows.filter(({ pauseReason }) => pauseReason !== null)
  if (paused.length > 0)
    throw new Error(
      `${paused.map(({ name, pauseReason }) => `“${name}” is paused: ${pauseReason}`).join(' ')} Resume it on its page under Schedules.`,
    )
  const next = rows.find(({ nextAt }) => nextAt !== null)?.nextAt
  if (!next) return 'none is due'
  return `${rows.length} active, the next one at ${next.toISOString()}`
}
