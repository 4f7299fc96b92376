import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { publishChange } from '../../shared/changes.ts'
import type { RunId } from '../../shared/ids.ts'
import type { AttemptShape } from '../contract.ts'
import { lease, type Run, runColumns } from './run-rows.ts'

type Taken = { kind: 'taken'; run: Run } | { kind: 'busy' } | { kind: 'over' }

/** A run whose workers died this often before it made progress may be what kills them. */
const triesOfSuspect = 2
/** A worker that lets a run go clears its lease. */
const isSuspect = sql`lease_until is not null and tries >= ${triesOfSuspect}`
/** Suspects take turns, of all processes. */
const turnOfSuspects = sql`hashtextextended('suspected runs', 0)`

export async function takeRun(db: Db, id: RunId): Promise<Taken> {
  const run = await take(db, id, sql`not (${isSuspect})`)
  if (run) return { kind: 'taken', run }
  // The run is not over, whatever its lease says by now: it may have been released between the two statements.
  const { rows } = await sql<{ suspected: boolean }>`
    select ${isSuspect} and lease_until < now() as suspected from runs
    where id = ${id} and status in ('queued', 'running', 'waiting')`.execute(db)
  const suspect = rows[0]?.suspected ? await takeSuspect(db, id) : null
  if (suspect) return { kind: 'taken', run: suspect }
  return { kind: rows.length > 0 ? 'busy' : 'over' }
}

/**
 * One at a time, until it makes progress: if the process dies again, it was this one or none of them. Each pauses longer after each
 * death, so that the others get their turn.
 */
async function takeSuspect(db: Db, id: RunId): Promise<Run | null> {
  return await db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${turnOfSuspects})`.execute(tx)
    return await take(
      tx,
      id,
      sql`lease_until < now() - 2 ^ tries * interval '1 second' and not exists (
        select from runs other where other.status = 'running' and other.tries > ${triesOfSuspect} and other.lease_until > now())`,
    )
  })
}

async function take(db: Db, id: RunId, and: RawBuilder<unknown>): Promise<Run | null> {
  const { rows } = await sql<Run>`
    update runs set status = 'running', fence = fence + 1, tries = tries + 1, lease_until = ${lease}, resume_at = null, model_silent_since = null, started_at = coalesce(started_at, now())
    where id = ${id} and status in ('queued', 'running', 'waiting') and (lease_until is null or lease_until < now()) and ${and}
    returning ${runColumns}`.execute(db)
  if (rows[0]) await publishChange(db, 'runs', id)
  return rows[0] ?? null
}

/** False once another worker owns the run or it has ended. */
export async function renewLease(db: Db, run: Run): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update runs set lease_until = ${lease} where id = ${run.id} and fence = ${run.fence} and status = 'running'
  `.execute(db)
  return numAffectedRows === 1n
}

/** Kept after the run has gone on or ended: it says why it took so long. */
export async function saveAttempt(db: Db, run: Run, attempt: AttemptShape): Promise<void> {
  await sql`
    update runs set model_attempts = (model_attempts::jsonb || ${JSON.stringify([attempt])}::jsonb)::json
    where id = ${run.id} and fence = ${run.fence} and status = 'running'`.execute(db)
}

/** Since when the model call that is under way is silent; null once it is heard again. */
export async function saveSilence(db: Db, run: Run, since: Date | null): Promise<void> {
  await sql`
    update runs set model_silent_since = ${since} where id = ${run.id} and fence = ${run.fence} and status = 'running'`.execute(
    db,
  )
  await publishChange(db, 'runs', run.id)
}

/**
 * A lease that ends later than any can was taken before the clock was set back. It is cut to the usual length rather than ended: its
 * worker may be alive and renews it in time.
 */
export async function shortenLeases(db: Db): Promise<void> {
  await sql`
    update runs set lease_until = ${lease}
    where status in ('queued', 'running', 'waiting') and lease_until > now() + interval '1 minute'`.execute(
    db,
  )
}

/** Releases the run before its end: for a decision, a pause before the next model call, or another process. */
export async function releaseRun(
  db: Db,
  run: Run,
  as: {
    status: 'running' | 'waiting'
    workMs: number
    madeProgress: boolean
    modelFailures?: number
    /** How long it pauses before its next model call. */
    pauseMs?: number
  },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update runs set status = ${as.status}, lease_until = null, work_ms = ${as.workMs},
      resume_at = now() + ${as.pauseMs ?? null} * interval '1 millisecond', model_silent_since = null,
      model_failures = ${as.modelFailures ?? run.modelFailures}, tries = case when ${as.madeProgress}::boolean then 0 else tries end
    where id = ${run.id} and fence = ${run.fence} and status = 'running'`.execute(db)
  await publishChange(db, 'runs', run.id)
  return numAffectedRows === 1n
}
