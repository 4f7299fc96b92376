import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { publishChange } from '../../shared/changes.ts'
import type { RunId } from '../../shared/ids.ts'
import { lease, type Run, runColumns } from './run-rows.ts'

type Taken = { kind: 'taken'; run: Run } | { kind: 'busy' } | { kind: 'over' }

export async function takeRun(db: Db, id: RunId): Promise<Taken> {
  const { rows } = await sql<Run>`
    update runs set status = 'running', fence = fence + 1, tries = tries + 1, lease_until = ${lease}, resume_at = null, started_at = coalesce(started_at, now())
    where id = ${id} and status in ('queued', 'running', 'waiting') and (lease_until is null or lease_until < now())
    returning ${runColumns}`.execute(db)
  if (rows[0]) {
    await publishChange(db, 'runs', id)
    return { kind: 'taken', run: rows[0] }
  }
  // The run is not over, whatever its lease says by now: it may have been released between the two statements.
  const { rows: alive } = await sql`
    select from runs where id = ${id} and status in ('queued', 'running', 'waiting')`.execute(db)
  return { kind: alive.length > 0 ? 'busy' : 'over' }
}

/** False once another worker owns the run or it has ended. */
export async function renewLease(db: Db, run: Run): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update runs set lease_until = ${lease} where id = ${run.id} and fence = ${run.fence} and status = 'running'
  `.execute(db)
  return numAffectedRows === 1n
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
      resume_at = now() + ${as.pauseMs ?? null} * interval '1 millisecond',
      model_failures = ${as.modelFailures ?? run.modelFailures}, tries = case when ${as.madeProgress}::boolean then 0 else tries end
    where id = ${run.id} and fence = ${run.fence} and status = 'running'`.execute(db)
  await publishChange(db, 'runs', run.id)
  return numAffectedRows === 1n
}
