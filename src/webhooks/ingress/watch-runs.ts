import { sql } from 'kysely'
import { eventSettled } from '../../events/inbox/move-events.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Notifications } from '../../platform/db/notifications.ts'

type RunOutcome = {
  status: string
  reply: { text: string; messageId: string | null; permalink: string | null } | null
  error: { code: string; message: string } | null
}

export type RunWatch = Disposable & {
  /** The state of the event's run when it ends, or after this time. */
  outcome(eventId: string, seconds: number): Promise<RunOutcome>
  /** The service stops: those who wait get the current state now, instead of being cut off later. */
  releaseAll(): void
}

const ended = new Set(['succeeded', 'failed', 'cancelled', 'skipped', 'notified', 'joined'])

/** Lets senders wait for the end of their run without polling the database. */
export async function watchRuns(notifications: Notifications, db: Db): Promise<RunWatch> {
  const waiting = new Map<string, Set<() => void>>()
  let isStopping = false
  const wakeAll = () => {
    for (const wakes of waiting.values()) for (const wake of wakes) wake()
  }
  const stop = await notifications.listen(eventSettled, (eventId) => {
    if (eventId === null) return wakeAll()
    for (const wake of waiting.get(eventId) ?? []) wake()
  })

  return {
    async outcome(eventId, seconds) {
      const overAt = performance.now() + seconds * 1000
      for (;;) {
        const wakeUp = subscribe(waiting, eventId, overAt - performance.now())
        try {
          // Read after subscribing, so that an end in between is heard.
          const outcome = await readOutcome(db, eventId)
          if (ended.has(outcome.status) || isStopping || performance.now() >= overAt) return outcome
          await wakeUp.promise
        } finally {
          wakeUp.unsubscribe()
        }
      }
    },
    releaseAll() {
      isStopping = true
      wakeAll()
    },
    [Symbol.dispose]: stop,
  }
}

function subscribe(waiting: Map<string, Set<() => void>>, eventId: string, ms: number) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, Math.max(0, ms))
  const wakes = waiting.get(eventId) ?? new Set()
  wakes.add(resolve)
  waiting.set(eventId, wakes)
  const unsubscribe = () => {
    clearTimeout(timer)
    wakes.delete(resolve)
    if (wakes.size === 0) waiting.delete(eventId)
  }
  return { promise, unsubscribe }
}

/** Read only: runs and replies belong to the slice `runs`. Without a run, or if there will be none, the event tells. */
async function readOutcome(db: Db, eventId: string): Promise<RunOutcome> {
  const { rows } = await sql<{
    status: string
    errorCode: string | null
    errorMessage: string | null
    text: string | null
    messageId: string | null
    permalink: string | null
  }>`
    select coalesce(r.status, case e.status when 'dead' then 'failed' when 'ignored' then 'cancelled'
        when 'skipped' then 'skipped' when 'notified' then 'notified' when 'joined' then 'joined' else 'queued' end) as status,
      r.error_code, r.error_message, p.text, p.message_id, p.permalink
    from events e left join runs r on r.id = e.run_id left join replies p on p.run_id = r.id and p.state = 'posted'
    where e.id = ${eventId}`.execute(db)
  const run = rows[0]
  if (!run) return { status: 'queued', reply: null, error: null }
  return {
    status: run.status,
    reply: run.text === null ? null : { text: run.text, messageId: run.messageId, permalink: run.permalink },
    error: run.errorCode === null ? null : { code: run.errorCode, message: run.errorMessage ?? '' },
  }
}
