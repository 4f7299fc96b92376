import { sql } from 'kysely'
import { fromKysely, type JobWithMetadata, type PgBoss } from 'pg-boss'
import { asError } from '../as-error.ts'
import type { Database, Db } from '../db/database.ts'

/** One try of a job: whoever holds an earlier one can no longer change the job. */
export type Attempt = { id: string; retryCount: number }

export type LeasedJob = {
  job: JobWithMetadata<object>
  /** Aborts when the job was given to another worker. */
  lost: AbortSignal
}

export type JobLeases = AsyncDisposable & {
  /** Takes waiting jobs. They stay ours while this process lives, until they are released. */
  take(queue: string, limit: number): Promise<LeasedJob[]>
  /** The job is done, or failed. */
  release(job: Attempt): void
  /** We could not say what became of the job: its lease lapses, and another worker takes it. */
  abandon(job: Attempt): void
}

type Options = {
  database: Database
  boss: PgBoss
  /** Also returns the jobs of dead workers to their queues. */
  supervises: boolean
  /** Jobs of a dead worker will soon be due again. */
  onReturned(tx: Db, queue: string): Promise<void>
  onError(error: Error): void
}

const leaseEnd = "now() + interval '4 seconds'"
const renewEveryMs = 1_000
/** Whoever has been silent for longer cannot tell dead workers from those that could not reach the database either. */
const maxSilenceMs = 3_000
const maxExpired = 100

/**
 * Who holds which job is written by the statement that takes it, so the job of a killed worker is never stuck. pg-boss has
 * heartbeats of its own, but none under ten seconds, and then a job would be taken over after fourteen.
 */
export function openJobLeases(options: Options): JobLeases {
  const { database, boss, supervises, onError } = options
  const { db, pool } = database
  const held = new Map<string, { attempt: Attempt; lost: AbortController }>()
  let released: Attempt[] = []
  let renewedAt = performance.now()

  async function renew(): Promise<void> {
    const done = released
    released = []
    await deleteLeases(db, done)
    const mine = [...held.values()]
    const renewed = await renewLeases(
      db,
      mine.map(({ attempt }) => attempt),
    )
    for (const { attempt, lost } of mine) {
      if (!renewed.has(attempt.id))
        lost.abort(new Error(`The job ${attempt.id} was given to another worker.`))
    }
    const silenceMs = performance.now() - renewedAt
    renewedAt = performance.now()
    if (supervises && silenceMs < maxSilenceMs) await returnExpired(db, options)
  }

  let renewing = Promise.resolve()
  const timer = setInterval(() => {
    renewing = renewing.then(renew).catch((error: unknown) => onError(asError(error)))
  }, renewEveryMs)

  return {
    async take(queue, limit) {
      const jobs = await boss.fetch<object>(queue, {
        batchSize: limit,
        includeMetadata: true,
        db: { executeSql: (text, values = []) => pool.query(withLeases(text, values), [...values, queue]) },
      })
      return jobs.map((job) => {
        const lost = new AbortController()
        held.set(job.id, { attempt: job, lost })
        return { job, lost: lost.signal }
      })
    },
    release({ id, retryCount }) {
      held.delete(id)
      released.push({ id, retryCount })
    },
    abandon: ({ id }) => void held.delete(id),
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await renewing
      await deleteLeases(db, released).catch((error: unknown) => onError(asError(error)))
    },
  }
}

/** The statement with which pg-boss takes jobs, which then also leases them: all or nothing, in one round trip. */
function withLeases(fetch: string, values: readonly unknown[]): string {
  return `
    with fetched as (${fetch}), leased as (
      insert into job_leases (queue, job_id, attempt, expires_at)
      select $${values.length + 1}, id, "retryCount", ${leaseEnd} from fetched
      on conflict (job_id) do update set attempt = excluded.attempt, expires_at = excluded.expires_at
    )
    select * from fetched`
}

/** Returns the ids of the jobs that are still ours. */
async function renewLeases(db: Db, jobs: readonly Attempt[]): Promise<Set<string>> {
  if (jobs.length === 0) return new Set()
  const { rows } = await sql<{ id: string }>`
    update job_leases l set expires_at = ${sql.raw(leaseEnd)} from ${attempts(jobs)}
    where l.job_id = a.id and l.attempt = a.attempt returning l.job_id as id`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

async function deleteLeases(db: Db, jobs: readonly Attempt[]): Promise<void> {
  if (jobs.length === 0) return
  await sql`
    delete from job_leases l using ${attempts(jobs)} where l.job_id = a.id and l.attempt = a.attempt`.execute(
    db,
  )
}

/** A dead worker's try counts as failed, so a job that kills its workers ends as a dead letter. */
async function returnExpired(
  db: Db,
  { boss, onReturned }: Pick<Options, 'boss' | 'onReturned'>,
): Promise<void> {
  const { rows: expired } = await sql`select from job_leases where expires_at < now() limit 1`.execute(db)
  if (expired.length === 0) return
  await db.transaction().execute(async (tx) => {
    const { rows } = await sql<Attempt & { queue: string }>`
      delete from job_leases where job_id in (
        select job_id from job_leases where expires_at < now() order by job_id limit ${maxExpired} for update skip locked)
      returning queue, job_id as id, attempt as retry_count`.execute(tx)
    for (const [queue, jobs = []] of Object.entries(Object.groupBy(rows, (row) => row.queue))) {
      await boss.fail(queue, jobs, { message: 'The worker of the job died.' }, { db: fromKysely(tx) })
      await onReturned(tx, queue)
    }
  })
}

function attempts(jobs: readonly Attempt[]) {
  const ids = jobs.map(({ id }) => id)
  const numbers = jobs.map(({ retryCount }) => retryCount)
  return sql`unnest(${ids}::uuid[], ${numbers}::integer[]) as a (id, attempt)`
}
