import { sql } from 'kysely'
import { invalidField } from '../http/problems.ts'
import type { Db } from '../platform/db/database.ts'
import { readTime } from '../platform/db/read-time.ts'
import { publishChange } from '../shared/changes.ts'
import { type ChannelId, type MessageId, newId, type ScheduleId } from '../shared/ids.ts'
import { announceSchedule, insertSchedule } from './store.ts'
import { checkTiming } from './timing/check-timing.ts'

type Context = { db: Db; settings: { read(): Promise<{ timeZone: string }> } }

export type ComeBack = {
  threadId: MessageId
  channelId: ChannelId
  why: string
  inMinutes?: number | undefined
  /** A local time in the zone of the settings. */
  at?: string | undefined
}

const comeBackPrompt =
  'Earlier in this thread you said that you would look again now; your own note says what for. Do that, and tell the people in the thread what you found.'
const longestMs = 30 * 86_400_000
const mostInThread = 10

/** The agent looks again at the thread then, with read tools only. A later time replaces the one that waits. */
export async function comeBack(
  { db, settings }: Context,
  { threadId, channelId, why, inMinutes, at }: ComeBack,
): Promise<{ id: ScheduleId; at: Date; timeZone: string }> {
  const { timeZone } = await settings.read()
  return await db.transaction().execute(async (tx) => {
    const now = await readTime(tx)
    const time =
      inMinutes === undefined
        ? checkTiming({ cron: null, at: at ?? '', timeZone }, now)
        : new Date(now.getTime() + inMinutes * 60_000)
    if (time.getTime() - now.getTime() > longestMs)
      throw invalidField('/at', 'It can be 30 days from now at most. Propose a schedule for later times.')
    if ((await countOf(tx, threadId)) >= mostInThread)
      throw invalidField(
        '/at',
        `You came back to this thread ${mostInThread} times. Propose a schedule instead.`,
      )
    await cancelComeBack(tx, threadId)
    const id = newId('schedule')
    const fields = {
      ...{ name: 'Come back', channelId, prompt: comeBackPrompt, state: 'active' as const },
      ...{ cron: null, at: time.toISOString().slice(0, 16), timeZone: 'UTC', ifMissed: 'run' as const },
      ...{ graceMinutes: 1440, overlap: 'wait' as const, thread: 'new' as const, ceiling: 'read' as const },
      ...{ connectorIds: null, model: null, fallbackModel: null, allowSilence: false, costPerDay: null },
    }
    await insertSchedule(tx, id, fields, time, 'system', { threadId, why })
    return { id, at: time, timeZone }
  })
}

/** True if one was waiting. */
export async function cancelComeBack(tx: Db, threadId: MessageId): Promise<boolean> {
  const { rows } = await sql<{ id: ScheduleId }>`
    update schedules set state = 'deleted', next_at = null, deleted_at = now(), updated_at = now()
    where thread_id = ${threadId} and next_at is not null returning id`.execute(tx)
  for (const { id } of rows) await announceSchedule(tx, id)
  if (rows.length > 0) await publishChange(tx, 'schedules')
  return rows.length > 0
}

async function countOf(tx: Db, threadId: MessageId): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from schedules where thread_id = ${threadId}`.execute(tx)
  return rows[0]?.n ?? 0
}
