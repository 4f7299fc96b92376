import type { Db } from '../../platform/db/database.ts'
import { readTime } from '../../platform/db/read-time.ts'
import type { TimingPreview } from '../contract.ts'
import { checkTiming } from './check-timing.ts'
import { describeTiming } from './describe-timing.ts'
import { nextDueTimes } from './due-times.ts'

type Context = { db: Db; settings: { read(): Promise<{ timeZone: string }> } }
type Asked = { cron?: string | null; at?: string | null; timeZone?: string }

/** What a schedule with these times would do. Throws a Problem that says what is wrong with them. */
export async function previewTiming(
  { db, settings }: Context,
  { cron = null, at = null, timeZone }: Asked,
): Promise<TimingPreview> {
  const timing = { cron, at, timeZone: timeZone ?? (await settings.read()).timeZone }
  const now = await readTime(db)
  checkTiming(timing, now)
  const nextTimes = nextDueTimes(timing, now, 5).map((time) => time.toISOString())
  return { inWords: describeTiming(timing), timeZone: timing.timeZone, nextTimes }
}
