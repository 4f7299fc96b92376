import { sql } from 'kysely'
import { fromKysely, PgBoss } from 'pg-boss'
import { type Database, type Db, isUnavailable } from '../db/database.ts'
import type { Notifications } from '../db/notifications.ts'
import { notify } from '../db/notify.ts'
import { isObject } from '../json/is-object.ts'
import { shareReads } from '../share-reads.ts'
import { correctJobTimes } from './correct-job-times.ts'
import { startWorkerPool, type WorkerPool } from './start-worker-pool.ts'

export type JobSettings = {
  /** How often a job may fail before it becomes a dead letter. */
  tries: number
  /** The first pause after a failure; it doubles each time, up to a minute. */
  backoffSeconds: number
  /**
   * With a key: at most one job with that key waits. Sending another adds nothing, but no worker takes the waiting one before the
   * sender has committed, so the worker sees what it was sent for.
   */
  onePerKey?: boolean
}

/** At a time, or after this many milliseconds; by the database's clock in either case. */
type SendOptions = { key?: string; startAfter?: Date | number }
type WorkOptions = { concurrency: number; firstPollMs?: number }
type DeadLetter = { name: string; payload: unknown; error: Error }

export type Queue<Jobs> = AsyncDisposable & {
  /** Enqueues in the transaction of `db`: the job exists if and only if that transaction commits. */
  send<Name extends keyof Jobs & string>(
    db: Db,
    name: Name,
    payload: Jobs[Name],
    options?: SendOptions,
  ): Promise<void>
  sendMany<Name extends keyof Jobs & string>(
    db: Db,
    name: Name,
    entries: readonly ({ payload: Jobs[Name] } & SendOptions)[],
  ): Promise<void>
  /** The signal aborts when the service stops: finish quickly, or throw to return the job. */
  work<Name extends keyof Jobs & string>(
    name: Name,
    options: WorkOptions,
    perform: (payload: Jobs[Name], signal: AbortSignal) => Promise<void>,
  ): void
  /** When the waiting job with this key may be taken; null if that is now, or if none waits. */
  dueAt<Name extends keyof Jobs & string>(db: Db, name: Name, key: string): Promise<Date | null>
  /** Passes on jobs that failed for good. They are deleted once `bury` has returned; until then they are passed on again. */
  takeDeadLetters(bury: (letters: DeadLetter[]) => Promise<void>): Promise<void>
  /** The service stops: no more jobs are taken, and running ones finish while other parts stop too. */
  stopTaking(): void
}

type Options<Jobs> = {
  database: Database
  jobs: { [Name in keyof Jobs]: JobSettings }
  /** A process that only sends has no workers and does not supervise others. */
  supervises: boolean
  /** How often workers look for jobs without a notification: retries, deferred jobs, jobs of a dead worker. */
  pollMs?: number
  /** How workers hear of new jobs; a process without workers needs none. */
  notifications?: Notifications
  onError(error: Error): void
}

const deadLetterQueue = 'dead-letters'
const newJobs = 'bellhop_jobs'
const correctEveryMs = 5_000
/** Within this time a dead worker's job is given to another one. */
const takeOverSeconds = 4
/** Writes and drops some data, to find out whether there is room. Rows of this size are not compressed. */
const someMegabytes = `
  create temporary table bellhop_room on commit drop as select repeat('x', 2000) from generate_series(1, 2000)`

export async function openQueue<Jobs>(options: Options<Jobs>): Promise<Queue<Jobs>> {
  const { pool } = options.database
  const boss = new PgBoss({
    // Uses our own pool, which survives database failures, instead of a second one.
    db: { executeSql: (text, values) => pool.query(text, values) },
    schema: 'jobs',
    supervise: options.supervises,
    superviseIntervalSeconds: 2,
    monitorIntervalSeconds: 2,
    schedule: false,
  })
  boss.on('error', options.onError)
  await boss.start()

  const names = Object.keys(options.jobs) as (keyof Jobs & string)[]
  await boss.createQueue(deadLetterQueue)
  for (const name of names) {
    const settings = options.jobs[name]
    const queue = {
      policy: settings.onePerKey ? 'short' : 'standard',
      retryLimit: settings.tries - 1,
      retryDelay: settings.backoffSeconds,
      retryBackoff: true,
      retryDelayMax: 60,
      expireInSeconds: 3600,
      heartbeatSeconds: 10,
      deleteAfterSeconds: 3600,
      deadLetter: deadLetterQueue,
    }
    await boss.createQueue(name, queue)
    const { policy: _, ...changeable } = queue
    await boss.updateQueue(name, changeable)
  }
  // pg-boss refuses heartbeats under 10 s in its own checks, but the column takes any. A run must not wait that long after a crash.
  await pool.query('update jobs.queue set heartbeat_seconds = $1 where heartbeat_seconds is not null', [
    takeOverSeconds,
  ])

  const correcting = options.supervises
    ? setInterval(() => void correctJobTimes(pool, names).catch(options.onError), correctEveryMs)
    : undefined
  const hasRoom = shareReads(() =>
    pool.query(someMegabytes).then(
      () => true,
      (error: unknown) => !isUnavailable(error),
    ),
  )
  const pools = new Map<string, WorkerPool>()
  await options.notifications?.listen(newJobs, (name) => {
    if (name === null) for (const pool of pools.values()) pool.wake()
    else pools.get(name)?.wake()
  })

  const sendMany: Queue<Jobs>['sendMany'] = async (db, name, entries) => {
    // In a fixed order, so that two senders of the same keys do not deadlock.
    let left = entries.toSorted((a, b) => ((a.key ?? '') < (b.key ?? '') ? -1 : 1))
    if (left.length === 0) return
    do {
      await boss.insert(
        name,
        left.map(({ payload, key, startAfter }) => ({
          data: payload as object,
          singletonKey: key,
          startAfter: typeof startAfter === 'number' ? `${startAfter} milliseconds` : startAfter,
        })),
        { db: fromKysely(db) },
      )
      if (!options.jobs[name].onePerKey || !db.isTransaction) break
      const keys = left.flatMap(({ key }) => (key === undefined ? [] : [key]))
      const held = await lockWaiting(db, name, keys)
      left = left.filter(({ key }) => key !== undefined && !held.has(key))
    } while (left.length > 0)
    if (entries.some(({ startAfter }) => startAfter === undefined)) await notify(db, newJobs, name)
  }

  return {
    send: (db, name, payload, sent = {}) => sendMany(db, name, [{ payload, ...sent }]),
    sendMany,
    work(name, { concurrency, firstPollMs = 0 }, perform) {
      const pool = startWorkerPool({
        boss,
        name,
        concurrency,
        heartbeatMs: (takeOverSeconds * 1000) / 4,
        pollMs: options.pollMs ?? 1_000,
        firstPollMs,
        // The payload is what `send` put in.
        perform: (payload, signal) => perform(payload as Jobs[typeof name], signal),
        hasRoom,
        onError: options.onError,
      })
      pools.set(name, pool)
    },
    async dueAt(db, name, key) {
      const { rows } = await sql<{ at: Date }>`
        select start_after as at from jobs.job
        where name = ${name} and singleton_key = ${key} and state < 'active' and start_after > now()`.execute(
        db,
      )
      return rows[0]?.at ?? null
    },
    async takeDeadLetters(bury) {
      const dead = await boss.findJobs<object>(deadLetterQueue)
      if (dead.length === 0) return
      await bury(
        dead.map(({ sourceName, sourceOutput, data }) => ({
          name: sourceName ?? '',
          payload: data,
          error: toError(sourceOutput),
        })),
      )
      await boss.deleteJob(
        deadLetterQueue,
        dead.map(({ id }) => id),
      )
    },
    stopTaking() {
      for (const pool of pools.values()) pool.stopTaking()
    },
    async [Symbol.asyncDispose]() {
      clearInterval(correcting)
      await Promise.all([...pools.values()].map((pool) => pool[Symbol.asyncDispose]()))
      await boss.stop({ graceful: false })
    },
  }
}

/** The error as the worker pool stored it; if no worker could, pg-boss has stored a message of its own. */
function toError(output: unknown): Error {
  const { name = 'Error', message = JSON.stringify(output), stack } = isObject(output) ? output : {}
  return Object.assign(new Error(String(message)), { name, stack })
}

/**
 * Locks the waiting jobs of these keys and returns the keys found: workers skip them until the transaction ends. A missing one
 * was just taken by a worker that may have read too early.
 */
async function lockWaiting(tx: Db, name: string, keys: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ key: string }>`
    select singleton_key as key from jobs.job
    where name = ${name} and coalesce(singleton_key, '') = any(${keys}) and state = 'created' and policy = 'short'
    order by singleton_key for update`.execute(tx)
  return new Set(rows.map(({ key }) => key))
}
