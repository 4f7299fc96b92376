import { isDeepStrictEqual } from 'node:util'
import { fromKysely, type JobWithMetadata, PgBoss, type QueueOptions, type UpdateOptions } from 'pg-boss'
import { type Database, type Db, hasRoom } from '../db/database.ts'
import type { Notifications } from '../db/notifications.ts'
import { notify } from '../db/notify.ts'
import { isObject } from '../json/is-object.ts'
import { shareReads } from '../share-reads.ts'
import { openJobLeases } from './job-leases.ts'
import { startWorkerPool, type WorkerPool } from './worker-pool.ts'

export type JobSettings = {
  /** How often a job may fail before it becomes a dead letter. */
  tries: number
  /** The first pause after a failure; it doubles each time, up to a minute. */
  backoffSeconds: number
  /**
   * With a key: at most one job with that key waits. Sending another in a transaction takes the place of the waiting one, and no worker
   * takes that before the sender has committed, so the worker sees what it was sent for.
   */
  onePerKey?: boolean
}

/** At a time, or after this many milliseconds; by the database's clock in either case. */
type SendOptions = { key?: string; startAfter?: Date | number }
type WorkOptions = { concurrency: number | (() => Promise<number>); firstPollMs?: number }
export type DeadLetter = { name: string; payload: unknown; error: Error }

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
  /** Passes on jobs that failed for good, a few at a time. One is kept until `bury` has returned, however often it throws. */
  workDeadLetters(bury: (letter: DeadLetter) => Promise<void>): void
  /** The service stops: no more jobs are taken, and running ones finish while other parts stop too. */
  stopTaking(): void
}

type Options<Jobs> = {
  database: Database
  jobs: { [Name in keyof Jobs]: JobSettings }
  /** A process that only sends has no workers and does not supervise others. */
  supervises: boolean
  /** How often workers look for jobs that become due, such as retries. */
  pollMs?: number
  /** How workers hear of new jobs; a process without workers needs none. */
  notifications?: Notifications
  onError(error: Error): void
}

const deadLetterQueue = 'dead-letters'
const deadLettersAtOnce = 4
const newJobs = 'bellhop_jobs'
/** Its payload is the queue and in how many milliseconds the job is due. */
const laterJobs = 'bellhop_jobs_later'
const maxRetryPauseSeconds = 60

/** By pg-boss's public calls only: its tables are its own. */
export async function openQueue<Jobs>(options: Options<Jobs>): Promise<Queue<Jobs>> {
  const { database, supervises, onError } = options
  const { pool } = database
  let isStarting = true
  let last: Promise<unknown> = Promise.resolve()
  const boss = new PgBoss({
    // Uses our own pool, which survives database failures, instead of a second one.
    db: {
      executeSql(text, values) {
        if (!isStarting) return pool.query(text, values)
        // A start asks several things at once. Opening a connection for each would cost more than waiting.
        const asked = last.then(() => pool.query(text, values))
        last = asked.catch(() => undefined)
        return asked
      },
    },
    schema: 'jobs',
    supervise: supervises,
    // Deletes what failed for good; the default is once a day.
    maintenanceIntervalSeconds: 60,
    monitorVacuum: false,
    // No job of ours waits for others; the default looks for such jobs every five seconds.
    flowIntervalSeconds: 86_400,
    schedule: false,
  })
  boss.on('error', onError)
  await boss.start()
  await createQueues(boss, options.jobs)
  isStarting = false

  const notifyLater = (db: Db, name: string, ms: number) => notify(db, laterJobs, `${name} ${ms}`)
  const onReturned = (tx: Db, name: string) => notifyLater(tx, name, maxRetryPauseSeconds * 1000)
  const leases = openJobLeases({ database, boss, supervises, onReturned, onError })
  const sharedHasRoom = shareReads(() => hasRoom(database.db))
  const pools = new Map<string, WorkerPool>()
  await options.notifications?.listen(newJobs, (name) => {
    // Perhaps of jobs that are due later, too.
    if (name === null) for (const pool of pools.values()) pool.wake(maxRetryPauseSeconds * 1000)
    else pools.get(name)?.wake()
  })
  await options.notifications?.listen(laterJobs, (payload) => {
    const [name = '', ms] = payload?.split(' ') ?? []
    pools.get(name)?.wake(Number(ms))
  })

  function startPool(
    name: string,
    { concurrency, firstPollMs = 0 }: WorkOptions,
    perform: (job: JobWithMetadata<object>, signal: AbortSignal) => Promise<void>,
  ): void {
    const pool = startWorkerPool({
      boss,
      leases,
      name,
      concurrency: typeof concurrency === 'number' ? async () => concurrency : concurrency,
      pollMs: options.pollMs ?? 1_000,
      firstPollMs,
      perform,
      hasRoom: sharedHasRoom,
      onFailed: () => pools.get(deadLetterQueue)?.wake(),
      onError,
    })
    pools.set(name, pool)
  }

  const sendMany: Queue<Jobs>['sendMany'] = async (db, name, entries) => {
    if (entries.length === 0) return
    const connection = { db: fromKysely(db) }
    // In a fixed order, so that two senders of the same keys do not deadlock.
    const sorted = entries.toSorted((a, b) => ((a.key ?? '') < (b.key ?? '') ? -1 : 1))
    const jobs = sorted.map(({ payload, key, startAfter = 0 }) => ({
      data: payload as object, // every payload in `Jobs` is one
      singletonKey: key,
      startAfter: typeof startAfter === 'number' ? `${startAfter} milliseconds` : startAfter,
    }))
    // Without a transaction there is nothing that a worker could miss.
    if (!options.jobs[name].onePerKey || !db.isTransaction) await boss.insert(name, jobs, connection)
    else for (const { data, ...job } of jobs) await sendOnce(boss, name, data, { ...job, ...connection })
    const dueInMs = ({ startAfter = 0 }: SendOptions) =>
      typeof startAfter === 'number' ? startAfter : startAfter.getTime() - Date.now()
    // Of deferred ones as well: workers look more often until they are due.
    const lastInMs = entries.reduce((ms, entry) => Math.max(ms, Math.round(dueInMs(entry))), 0)
    if (lastInMs > 0) await notifyLater(db, name, lastInMs)
    else await notify(db, newJobs, name)
  }

  return {
    send: (db, name, payload, sent = {}) => sendMany(db, name, [{ payload, ...sent }]),
    sendMany,
    work(name, how, perform) {
      // The payload is what `send` put in.
      startPool(name, how, ({ data }, signal) => perform(data as Jobs[typeof name], signal))
    },
    workDeadLetters(bury) {
      startPool(deadLetterQueue, { concurrency: deadLettersAtOnce }, ({ sourceName, sourceOutput, data }) =>
        bury({ name: sourceName ?? '', payload: data, error: toError(sourceOutput) }),
      )
    },
    stopTaking() {
      for (const pool of pools.values()) pool.stopTaking()
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...pools.values()].map((pool) => pool[Symbol.asyncDispose]()))
      await leases[Symbol.asyncDispose]()
      await boss.stop({ graceful: false })
    },
  }
}

type QueueSettings = QueueOptions & { deadLetter?: string }

async function createQueues(boss: PgBoss, jobs: Record<string, JobSettings>): Promise<void> {
  // Usually all are there and as they should be: then one statement is all that a start needs.
  const found = new Map((await boss.getQueues()).map((queue) => [queue.name, queue]))
  const create = async (name: string, policy: string, settings: QueueSettings) => {
    const queue = found.get(name)
    if (!queue) await boss.createQueue(name, { policy, ...settings })
    else if (!isDeepStrictEqual({ ...queue, ...settings }, { ...queue }))
      await boss.updateQueue(name, settings)
  }
  const backoff = { retryBackoff: true, retryDelayMax: maxRetryPauseSeconds }
  // Whoever handles them is tried until it succeeds.
  await create(deadLetterQueue, 'standard', { ...backoff, retryDelay: 1, retryLimit: 1_000_000 })
  for (const [name, { tries, backoffSeconds, onePerKey }] of Object.entries(jobs)) {
    await create(name, onePerKey ? 'short' : 'standard', {
      ...backoff,
      retryLimit: tries - 1,
      retryDelay: backoffSeconds,
      expireInSeconds: 3600,
      deleteAfterSeconds: 3600,
      deadLetter: deadLetterQueue,
    })
  }
}

/**
 * Changes the waiting job, which locks it: workers skip it until the sender's transaction ends. If a worker has just taken it, that
 * worker may have read too early, and another job is added.
 */
async function sendOnce(boss: PgBoss, name: string, data: object, options: UpdateOptions): Promise<void> {
  for (;;) {
    const { updated, inserted } = await boss.upsert(name, data, options)
    // Neither, if the job that was in the way of a new one was taken before it could be changed.
    if (updated + inserted > 0) return
  }
}

/** The error as the worker pool stored it; if no worker could, pg-boss has stored a message of its own. */
function toError(output: unknown): Error {
  const { name = 'Error', message = JSON.stringify(output), stack } = isObject(output) ? output : {}
  return Object.assign(new Error(String(message)), { name, stack })
}
