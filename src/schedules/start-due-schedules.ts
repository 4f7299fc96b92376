import { type DueTime, findUnfinished, storeDueEvents } from '../events/inbox/store-due-events.ts'
import type { Db } from '../platform/db/database.ts'
import type { ScheduleId } from '../shared/ids.ts'
import { type DueSchedule, lockDue, setNextTimes } from './store.ts'
import { nextDueTime, type Timing } from './timing/due-times.ts'

/** A time that is noticed this late is on time: a restart of some seconds misses nothing. */
const onTimeMs = 60_000
/** Of a long outage, the first so many times are listed as missed, and the last. */
const mostListed = 50
/** In one transaction: the runs of the first would otherwise take the processor from those that are not stored yet. */
const batch = 10_000

/** Stores an event for each schedule that is due now. Returns how many there are, of any kind. */
export async function startDueSchedules(db: Db): Promise<number> {
  let stored = 0
  for (;;) {
    const due = await db.transaction().execute(ringBatch)
    stored += due.events
    if (due.schedules < batch) return stored
  }
}

async function ringBatch(tx: Db): Promise<{ schedules: number; events: number }> {
  const schedules = await lockDue(tx, batch)
  const [first] = schedules
  if (!first) return { schedules: 0, events: 0 }
  const unfinished = await findUnfinished(
    tx,
    schedules.map(({ id }) => id),
  )
  const next = rememberNext()
  const planned = schedules.map((schedule) => {
    const times = listTimes(schedule, next)
    return {
      id: schedule.id,
      nextAt: next(schedule, times.at(-1) ?? schedule.nextAt),
      dueTimes: times.map((time, at) => judge(schedule, time, at === times.length - 1, unfinished)),
    }
  })
  const events = await storeDueEvents(
    tx,
    planned.flatMap(({ dueTimes }) => dueTimes),
    first.now,
  )
  await setNextTimes(tx, planned)
  return { schedules: schedules.length, events: events.length }
}

/** Many schedules are due at the same time and by the same rule. */
function rememberNext(): typeof nextDueTime {
  const known = new Map<string, Date | null>()
  return (timing: Timing, after: Date) => {
    const key = `${timing.cron} ${timing.at} ${timing.timeZone} ${after.getTime()}`
    const found = known.get(key)
    if (found !== undefined) return found
    const next = nextDueTime(timing, after)
    known.set(key, next)
    return next
  }
}

/** The due times until now, oldest first. The last one is always among them. */
function listTimes(schedule: DueSchedule, next: typeof nextDueTime): Date[] {
  const times: Date[] = []
  const graceBegins = schedule.now.getTime() - Math.max(schedule.graceMinutes * 60_000, onTimeMs)
  let time: Date | null = schedule.nextAt
  while (time && time <= schedule.now) {
    if (times.length > mostListed) times.pop()
    times.push(time)
    const isLong: boolean = times.length > mostListed && time.getTime() < graceBegins
    time = next(schedule, isLong ? new Date(graceBegins) : time)
  }
  return times
}

function judge(
  schedule: DueSchedule,
  dueAt: Date,
  isLast: boolean,
  unfinished: ReadonlyMap<ScheduleId, { waits: boolean }>,
): DueTime {
  const lateMs = schedule.now.getTime() - dueAt.getTime()
  const mayBeLateMs = schedule.ifMissed === 'run' ? schedule.graceMinutes * 60_000 : 0
  const due = { scheduleId: schedule.id, name: schedule.name, why: schedule.why, dueAt }
  if (!isLast || lateMs > Math.max(onTimeMs, mayBeLateMs))
    return { ...due, status: 'missed', note: explainMissed(schedule, isLast) }
  const earlier = unfinished.get(schedule.id)
  if (earlier && (schedule.overlap === 'skip' || earlier.waits))
    return {
      ...due,
      status: 'skipped',
      note:
        schedule.overlap === 'skip'
          ? 'The run before it was still at work.'
          : 'Another due time was already waiting for the run before it.',
    }
  return { ...due, status: 'accepted', note: null }
}

function explainMissed({ ifMissed, graceMinutes }: DueSchedule, isLast: boolean): string {
  const cause = 'Bellhop was not running at this time.'
  if (ifMissed === 'skip') return `${cause} The schedule skips missed times.`
  if (!isLast) return `${cause} Only the last missed time is made up for.`
  return `${cause} It was noticed more than ${graceMinutes} minutes late.`
}
