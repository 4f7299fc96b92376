import { listOutcomes, type Outcome } from '../events/inbox/store-due-events.ts'
import type { Db } from '../platform/db/database.ts'
import { readTime } from '../platform/db/read-time.ts'
import type { ScheduleShape } from './contract.ts'
import type { ScheduleRow } from './store.ts'
import { describeTiming } from './timing/describe-timing.ts'
import { nextDueTimes } from './timing/due-times.ts'

const shown = { nextTimes: 5, outcomes: 10 }

/** Schedules as the API shows them. */
export async function showSchedules(db: Db, rows: readonly ScheduleRow[]): Promise<ScheduleShape[]> {
  const now = await readTime(db)
  const outcomes = await listOutcomes(
    db,
    rows.map(({ id }) => id),
    shown.outcomes,
  )
  return rows.map((row) => showSchedule(row, now, outcomes.get(row.id) ?? []))
}

export async function showOne(db: Db, row: ScheduleRow): Promise<ScheduleShape> {
  const [shape] = await showSchedules(db, [row])
  if (!shape) throw new Error('One row gives one schedule.')
  return shape
}

function showSchedule(row: ScheduleRow, now: Date, outcomes: readonly Outcome[]): ScheduleShape {
  const { id, state, pausedAt, nextAt, resumedAt: _, createdAt, updatedAt, ...fields } = row
  const isScheduled = state === 'active' && pausedAt === null && nextAt !== null
  return {
    id,
    ...fields,
    active: state === 'active',
    inWords: describeTiming(row),
    paused: pausedAt !== null,
    nextTimes: isScheduled ? nextDueTimes(row, now, shown.nextTimes).map((time) => time.toISOString()) : [],
    lastOutcomes: outcomes.map(({ eventId, runId, dueAt, status, note }) => ({
      eventId,
      runId,
      dueAt: dueAt.toISOString(),
      // Only events writes the column, and only along its transitions.
      status: status as ScheduleShape['lastOutcomes'][number]['status'],
      note,
    })),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }
}
