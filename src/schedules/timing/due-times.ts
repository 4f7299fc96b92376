import { Cron } from 'croner'
import { type LocalMs, localTimeAt, momentAfterSkipped, momentsOf } from './local-time.ts'

/** When a schedule is due: again and again, or once at a local time such as `2026-12-01T09:00`. */
export type Timing = { cron: string | null; at: string | null; timeZone: string }

/** Clocks are changed by less than this. */
const changeMs = 3 * 3_600_000
const parsed = new Map<string, Cron>()
const mostParsed = 1000

/** Throws an Error that says what is wrong with the text. */
export function parseCron(text: string): Cron {
  const known = parsed.get(text)
  if (known) return known
  // Local times are computed as if they were UTC: how clocks change is decided here and not by the library.
  const cron = new Cron(text, { mode: '5-part', paused: true, utcOffset: 0 })
  if (parsed.size >= mostParsed) parsed.clear()
  parsed.set(text, cron)
  return cron
}

/** The first due time after this one; null if there is none. */
export function nextDueTime({ cron, at, timeZone }: Timing, after: Date): Date | null {
  const moment =
    cron === null ? onceAt(timeZone, at ?? '') : nextMoment(parseCron(cron), cron, timeZone, after.getTime())
  return moment !== null && moment > after.getTime() ? new Date(moment) : null
}

export function nextDueTimes(timing: Timing, after: Date, count: number): Date[] {
  const times: Date[] = []
  while (times.length < count) {
    const next = nextDueTime(timing, times.at(-1) ?? after)
    if (!next) break
    times.push(next)
  }
  return times
}

function onceAt(timeZone: string, at: string): number {
  const local = Date.parse(`${at}Z`)
  return momentsOf(timeZone, local)[0] ?? momentAfterSkipped(timeZone, local)
}

function nextMoment(cron: Cron, text: string, timeZone: string, after: number): number | null {
  const now = localTimeAt(timeZone, after)
  const offsetAt = (instant: number) => localTimeAt(timeZone, instant) - instant
  // Near a change of the clocks, later local times may come earlier: look at all of them.
  const isNearChange = [-changeMs, changeMs].some((by) => offsetAt(after + by) !== now - after)
  let local: LocalMs = isNearChange ? now - changeMs : now
  const found: number[] = []
  while (found.length === 0 || (isNearChange && local < now + changeMs)) {
    const next = cron.nextRun(new Date(local))
    if (!next) break
    local = next.getTime()
    found.push(...momentsFor(text, timeZone, local).filter((moment) => moment > after))
  }
  return found.length === 0 ? null : Math.min(...found)
}

/**
 * A time that is skipped is due at the next valid minute, one that comes twice is due once. A schedule for every hour goes by elapsed
 * time instead: it must not fall silent for an hour, nor be due twice.
 */
function momentsFor(text: string, timeZone: string, local: LocalMs): number[] {
  const moments = momentsOf(timeZone, local)
  if (text.trim().split(/\s+/)[1]?.startsWith('*')) return moments
  return moments.length === 0 ? [momentAfterSkipped(timeZone, local)] : moments.slice(0, 1)
}
