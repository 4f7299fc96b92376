import { setTimeout as pause } from 'node:timers/promises'
import type { JobWithMetadata, PgBoss } from 'pg-boss'
import { asError } from '../as-error.ts'
import { createWaker } from '../create-waker.ts'
import { isDiskFull } from '../db/database.ts'
import type { Attempt, JobLeases, LeasedJob } from './job-leases.ts'

type Options = {
  boss: PgBoss
  leases: JobLeases
  name: string
  /** Asked before jobs are taken: it may change while the service runs. */
  concurrency: () => Promise<number>
  /** Finds jobs that become due: retries and deferred ones. Five times as long where none is expected. */
  pollMs: number
  firstPollMs: number
  perform: (job: JobWithMetadata<object>, signal: AbortSignal) => Promise<void>
  /** False while the database's disk is full. */
  hasRoom: () => Promise<boolean>
  /** A job has failed: it is tried again, or is a dead letter. */
  onFailed(): void
  onError(error: Error): void
}

export type WorkerPool = AsyncDisposable & {
  /** There are jobs, the last of which is due in this time. */
  wake(dueInMs?: number): void
  /** Takes no more jobs and aborts the running ones; disposing waits for them. */
  stopTaking(): void
}

/** A queue in which no job is expected is looked at less often: most are empty most of the time. */
const quietFactor = 5
/** One that is due later may also be found a few seconds late. */
const maxExpectedMs = 60_000

/**
 * Takes as many jobs as there are free workers with one query, and deletes finished ones with one query. pg-boss's own workers
 * each query for themselves, and a new job wakes them all.
 */
export function startWorkerPool(options: Options): WorkerPool {
  const { boss, leases, name } = options
  const stopping = new AbortController()
  const waker = createWaker()
  let expectedUntil = 0
  const working = new Set<Promise<void>>()
  // A finished job is deleted rather than marked: the table stays as small as the work that is left.
  const complete = batchCalls((jobs: Attempt[]) => boss.deleteJob(name, jobs))

  async function takeJobs(): Promise<void> {
    await waker.wait(options.firstPollMs)
    while (!stopping.signal.aborted) {
      try {
        const free = (await options.concurrency()) - working.size
        const jobs = free > 0 ? await leases.take(name, free) : []
        for (const job of jobs) start(job)
        if (free > 0 && jobs.length === free) continue
        const isQuiet = performance.now() > expectedUntil
        await waker.wait(isQuiet ? options.pollMs * quietFactor : options.pollMs)
      } catch (error) {
        report(error)
        await pause(options.pollMs, undefined, { signal: stopping.signal }).catch(() => undefined)
      }
    }
  }

  function start({ job, lost }: LeasedJob): void {
    const done = work(job, AbortSignal.any([stopping.signal, lost])).finally(() => {
      working.delete(done)
      waker.wake()
    })
    working.add(done)
  }

  async function work(job: JobWithMetadata<object>, signal: AbortSignal): Promise<void> {
    // Bound to this attempt: if another worker has the job by now, settling it changes nothing.
    const attempt: Attempt = { id: job.id, retryCount: job.retryCount }
    try {
      await performWithRoom(options, job, signal)
        .then(() => complete(attempt))
        .catch(async (error: unknown) => {
          await boss.fail(name, attempt, describe(error))
          wake(maxExpectedMs)
          options.onFailed()
        })
      leases.release(attempt)
    } catch (error) {
      report(error)
      leases.abandon(attempt)
    }
  }

  function wake(dueInMs = 0): void {
    // With the poll that finds it.
    const lastPoll = performance.now() + dueInMs + options.pollMs
    if (dueInMs > 0 && dueInMs <= maxExpectedMs) expectedUntil = Math.max(expectedUntil, lastPoll)
    waker.wake()
  }

  function report(error: unknown): void {
    if (!stopping.signal.aborted) options.onError(asError(error))
  }

  function stopTaking(): void {
    stopping.abort(new Error('The service stops.'))
    waker.wake()
  }

  const taking = takeJobs()
  return {
    wake,
    stopTaking,
    async [Symbol.asyncDispose]() {
      stopTaking()
      await taking
      await Promise.all(working)
    },
  }
}

/**
 * A full disk does not count as a failed try: otherwise accepted jobs would be dead before anybody makes room. The job starts
 * again only when something can be written, since its model calls cost money each time.
 */
async function performWithRoom(
  { perform, pollMs, hasRoom }: Options,
  job: JobWithMetadata<object>,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    try {
      return await perform(job, signal)
    } catch (error) {
      if (!isDiskFull(error)) throw error
      do {
        await pause(pollMs, undefined, { signal }).catch(() => undefined)
        if (signal.aborted) throw error
      } while (!(await hasRoom()))
    }
  }
}

/** Entries that come while a call is under way share the next one. */
function batchCalls<Entry>(call: (entries: Entry[]) => Promise<unknown>): (entry: Entry) => Promise<void> {
  let next: { entries: Entry[]; called: Promise<void> } | undefined
  let last: Promise<unknown> = Promise.resolve()
  return (entry) => {
    if (next) {
      next.entries.push(entry)
      return next.called
    }
    const batch = { entries: [entry], called: last.then(start) }
    next = batch
    last = batch.called.catch(() => undefined)
    return batch.called

    async function start(): Promise<void> {
      next = undefined
      await call(batch.entries)
    }
  }
}

function describe(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) }
  return { name: error.name, message: error.message, stack: error.stack }
}
