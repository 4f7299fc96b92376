import { invalidField } from '../../http/problems.ts'
import { isTimeZone } from '../../shared/is-time-zone.ts'
import { nextDueTime, parseCron, type Timing } from './due-times.ts'

const localTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/

/** Throws a Problem that says what is wrong and what to write instead. Returns when it is due first. */
export function checkTiming(timing: Timing, now: Date): Date {
  const { cron, at, timeZone } = timing
  if (cron !== null && at !== null)
    throw invalidField('/at', 'Set cron for a schedule that repeats, or at for a single time, not both.')
  if (cron === null && at === null)
    throw invalidField('/cron', 'Say when: cron, such as 0 9 * * 1-5, or at, such as 2026-12-01T09:00.')
  if (!isTimeZone(timeZone))
    throw invalidField(
      '/timeZone',
      `There is no time zone ${JSON.stringify(timeZone)}. Use an IANA name, such as Europe/Berlin.`,
    )
  if (cron !== null) checkCron(cron)
  if (at !== null && !isLocalTime(at))
    throw invalidField('/at', 'Write a local date and time without a zone, such as 2026-12-01T09:00.')
  const first = nextDueTime(timing, now)
  if (first) return first
  if (at !== null) throw invalidField('/at', 'This time is in the past. Choose a later one.')
  throw invalidField('/cron', 'There is no such day in any year, so the schedule would never run.')
}

function checkCron(cron: string): void {
  const count = cron.split(/\s+/).length
  if (count !== 5)
    throw invalidField(
      '/cron',
      `This has ${count} ${count === 1 ? 'field' : 'fields'}; five are needed: minute, hour, day of the month, month, day of the week. Weekdays at nine are 0 9 * * 1-5.`,
    )
  try {
    parseCron(cron)
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : ''
    throw invalidField('/cron', `${reason.replace(/\.?$/, '.')} Weekdays at nine are 0 9 * * 1-5.`)
  }
}

/** 31 February matches the pattern and is no date. */
function isLocalTime(text: string): boolean {
  if (!localTime.test(text)) return false
  const time = new Date(`${text}:00Z`)
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text)
}
