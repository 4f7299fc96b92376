import { sql } from 'kysely'
import { eventMoved, tellOfMoved } from '../../events/inbox/move-events.ts'
import type { Db } from '../../platform/db/database.ts'
import { replaceNul } from '../../platform/db/replace-nul.ts'
import { publishChange } from '../../shared/changes.ts'
import type { EventId, MessageId, RunId, SourceId } from '../../shared/ids.ts'
import { statesBefore } from '../loop/run.ts'
import { LeaseLost, lease, type Run, runColumns } from './run-rows.ts'

export type Reply = {
  runId: RunId
  kind: 'answer' | 'notice' | 'silence'
  text: string
  state: 'pending' | 'posted' | 'withheld'
  messageId: MessageId | null
  permalink: string | null
}

/** Stores why a run cannot go on, and the notice that becomes its reply. */
export async function saveFailure(
  db: Db,
  run: Run,
  failure: { code: string; message: string; notice: string; workMs: number },
): Promise<void> {
  const { rows } = await sql`
    with owned as (
      update runs set error_code = ${failure.code}, error_message = ${replaceNul(failure.message)},
        work_ms = ${failure.workMs}, lease_until = ${lease}
      where id = ${run.id} and fence = ${run.fence} and status = 'running'
      returning id
    )
    insert into replies (run_id, kind, text, state)
    select id, 'notice', ${replaceNul(failure.notice)}, 'pending' from owned
    on conflict (run_id) do nothing
    returning run_id`.execute(db)
  if (rows.length === 0) throw new LeaseLost(run.id)
  await publishChange(db, 'runs', run.id)
}

export async function findReply(db: Db, runId: RunId): Promise<Reply | null> {
  const { rows } = await sql<Reply>`
    select run_id, kind, text, state, message_id, permalink from replies where run_id = ${runId}`.execute(db)
  return rows[0] ?? null
}

export type Settled = { state: 'posted' | 'withheld'; messageId: MessageId | null; permalink: string | null }

/** Not in any channel, and not to be posted. */
export const withheld: Settled = { state: 'withheld', messageId: null, permalink: null }

/**
 * Stores that the reply was posted, and ends the run and its event: one statement, since every run needs it. Null if it had already ended or, where the number matters, if another worker has
 * taken it.
 */
export async function endRun(
  db: Db,
  run: Run,
  settled: Settled,
  fence: number | null = null,
): Promise<{ seconds: number } | null> {
  const [status, outcome] =
    run.errorCode === null ? (['succeeded', 'done'] as const) : (['failed', 'failed'] as const)
  const { rows } = await sql<{ seconds: number; eventId: EventId | null; sourceId: SourceId }>`
    with posted as (
      update replies set state = ${settled.state}, message_id = ${settled.messageId}, permalink = ${settled.permalink},
        problem = null, posted_at = now()
      where run_id = ${run.id} and state = 'pending'
    ), ended as (
      update runs set status = ${status}, error_code = ${run.errorCode}, error_message = ${run.errorMessage && replaceNul(run.errorMessage)},
        ended_at = now(), lease_until = null
      where id = ${run.id} and status = any(${statesBefore(status)}) and fence = coalesce(${fence}::bigint, fence)
      returning event_id, trigger, extract(epoch from ended_at - asked_at)::float8 as seconds
    ), moved as (
      ${eventMoved(outcome, sql`(select event_id from ended where trigger <> 'replay')`)}
    )
    select e.seconds, m.id as event_id, m.source_id from ended e left join moved m on true`.execute(db)
  const [ended] = rows
  if (!ended) return null
  await publishChange(db, 'runs', run.id)
  const { eventId, sourceId, seconds } = ended
  await tellOfMoved(db, eventId && { id: eventId, sourceId })
  return { seconds }
}

/** For a run that was over before: it was cancelled, or its reply was posted again. */
export async function markPosted(db: Db, run: Run, settled: Settled): Promise<void> {
  await sql`
    with locked as (
      select id from runs where id = ${run.id} for update
    ), corrected as (
      update runs set error_code = ${run.errorCode}, error_message = ${run.errorMessage}
      where id = ${run.id} and status = 'failed'
    )
    update replies set state = ${settled.state}, message_id = ${settled.messageId}, permalink = ${settled.permalink},
      problem = null, posted_at = now()
    where run_id = (select id from locked) and state = 'pending'`.execute(db)
  await publishChange(db, 'runs', run.id)
}

/** Posting was tried and given up. A reply withheld on purpose was never tried, and an erased one is gone. */
const givenUp = sql`state = 'withheld' and tries > 0 and exists (
  select from runs r where r.id = run_id and r.erased_at is null and r.status in ('failed', 'cancelled'))`

export async function canBeReopened(db: Db, runId: RunId): Promise<boolean> {
  const { rows } = await sql`select from replies where run_id = ${runId} and ${givenUp}`.execute(db)
  return rows.length > 0
}

export async function reopenReply(tx: Db, runId: RunId): Promise<boolean> {
  // Waits for whoever erases the run; the next statement sees what became of it.
  await sql`select from runs where id = ${runId} for share`.execute(tx)
  const { rows } = await sql`
    update replies set state = 'pending', tries = 0, problem = null, posted_at = null
    where run_id = ${runId} and ${givenUp} returning run_id`.execute(tx)
  await publishChange(tx, 'runs', runId)
  return rows.length > 0
}

/** Returns how often posting has failed so far. */
export async function recordReplyProblem(db: Db, runId: RunId, text: string): Promise<number> {
  const { rows } = await sql<{ tries: number }>`
    update replies set problem = ${replaceNul(text)}, tries = tries + 1 where run_id = ${runId} and state = 'pending'
    returning tries`.execute(db)
  return rows[0]?.tries ?? 0
}

/** Null if it is over, or its reply is already stored. The lock waits for a worker that is storing one. */
export async function endAsCancelled(
  tx: Db,
  id: RunId,
  message: string,
  notice: string,
): Promise<Run | null> {
  await sql`select from runs where id = ${id} for update`.execute(tx)
  const { rows } = await sql<Run>`
    update runs set status = 'cancelled', lease_until = null, ended_at = now(),
      error_code = 'cancelled', error_message = ${message}
    where id = ${id} and status = any(${statesBefore('cancelled')})
      and not exists (select from replies where run_id = ${id})
    returning ${runColumns}`.execute(tx)
  if (rows[0]) {
    await sql`insert into replies (run_id, kind, text, state) values (${id}, 'notice', ${notice}, 'pending')`.execute(
      tx,
    )
  }
  await publishChange(tx, 'runs', id)
  return rows[0] ?? null
}

/** Replies that have waited to be posted for a while. Most have a job that will retry; the others' jobs were lost. */
export async function listForgottenReplies(db: Db, limit: number): Promise<RunId[]> {
  const { rows } = await sql<{ runId: RunId }>`
    select p.run_id from replies p join runs r on r.id = p.run_id
    where p.state = 'pending' and coalesce(r.ended_at, r.lease_until, r.created_at) < now() - interval '5 seconds'
    order by p.created_at limit ${limit}`.execute(db)
  return rows.map(({ runId }) => runId)
}
