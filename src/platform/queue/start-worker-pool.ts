import { setTimeout as pause } from 'node:timers/promises'
import type { Job, PgBoss } from 'pg-boss'
import { asError } from '../as-error.ts'
import { isDiskFull } from '../db/database.ts'

type Options = {
  boss: PgBoss
  name: string
  concurrency: number
  heartbeatMs: number
  /** Finds jobs without a notification: retries, deferred jobs, jobs of a dead worker. */
  pollMs: number
  firstPollMs: number
  perform: (payload: object, signal: AbortSignal) => Promise<void>
  /** False while the database's disk is full. */
  hasRoom: () => Promise<boolean>
  onError(error: Error): void
}

export type WorkerPool = AsyncDisposable & {
  wake(): void
  /** Takes no more jobs and aborts the running ones; disposing waits for them. */
  stopTaking(): void
}

/**
 * Takes as many jobs as there are free workers with one query, and completes finished ones with one query. pg-boss's own workers
 * each query for themselves, and a new job wakes them all.
 */
export function startWorkerPool({
  boss,
  name,
  concurrency,
  heartbeatMs,
  pollMs,
  firstPollMs,
  perform,
  hasRoom,
  onError,
}: Options): WorkerPool {
  const stopping = new AbortController()
  const held = new Map<string, { job: Job<object>; claim: AbortController }>()
  const working = new Set<Promise<void>>()
  let ended: Job<object>[] = []
  let wakeUp: (() => void) | undefined
  let wasWoken = false
  let settling = Promise.resolve()

  const wake = () => {
    wasWoken = true
    wakeUp?.()
  }

  async function take(): Promise<void> {
    if (firstPollMs > 0) await sleep(firstPollMs)
    while (!stopping.signal.aborted) {
      wasWoken = false
      const free = concurrency - held.size
      const jobs = free > 0 ? await fetchSafely(free) : []
      for (const job of jobs) begin(job)
      if (jobs.length < free || free === 0) await sleep(pollMs)
    }
  }

  async function fetchSafely(batchSize: number): Promise<Job<object>[]> {
    try {
      return await boss.fetch<object>(name, { batchSize })
    } catch (error) {
      report(error)
      await pause(pollMs, undefined, { signal: stopping.signal }).catch(() => undefined)
      return []
    }
  }

  async function sleep(maxMs: number): Promise<void> {
    if (wasWoken || stopping.signal.aborted) return
    const { promise, resolve } = Promise.withResolvers<void>()
    wakeUp = resolve
    const timer = setTimeout(resolve, maxMs)
    await promise
    clearTimeout(timer)
    wakeUp = undefined
  }

  function begin(job: Job<object>): void {
    const claim = new AbortController()
    held.set(job.id, { job, claim })
    const done = runJob(job, AbortSignal.any([stopping.signal, claim.signal])).finally(() => {
      held.delete(job.id)
      working.delete(done)
      wake()
    })
    working.add(done)
  }

  async function runJob(job: Job<object>, signal: AbortSignal): Promise<void> {
    try {
      await performWithRoom(job, signal)
      await complete(job)
    } catch (error) {
      const reason =
        error instanceof Error
          ? { name: error.name, message: error.message, stack: error.stack }
          : { message: String(error) }
      // Bound to this attempt: if another worker has the job by now, this changes nothing.
      await boss.fail(name, attempt(job), reason).catch(report)
    }
  }

  /**
   * A full disk does not count as a failed try: otherwise accepted jobs would be dead before anybody makes room. The job starts
   * again only when something can be written, since its model calls cost money each time.
   */
  async function performWithRoom(job: Job<object>, signal: AbortSignal): Promise<void> {
    for (;;) {
      try {
        return await perform(job.data, signal)
      } catch (error) {
        if (!isDiskFull(error)) throw error
        do {
          await pause(pollMs, undefined, { signal }).catch(() => undefined)
          if (signal.aborted) throw error
        } while (!(await hasRoom()))
      }
    }
  }

  /** Jobs that finish while a query is running are completed together by the next one. */
  async function complete(job: Job<object>): Promise<void> {
    ended.push(job)
    settling = settling.then(async () => {
      const jobs = ended
      ended = []
      if (jobs.length > 0) await boss.complete(name, jobs.map(attempt))
    })
    const mine = settling
    settling = settling.catch(() => undefined)
    await mine
  }

  /** Also finds out which jobs were given to other workers, and aborts those here. */
  async function sendHeartbeat(): Promise<void> {
    const jobs = [...held.values()].map(({ job }) => job)
    if (jobs.length === 0) return
    const alive = await touch(jobs)
    // Jobs that finished during the query were not given away.
    const stillHeld = jobs.filter(({ id }) => held.has(id))
    if (alive >= stillHeld.length) return
    for (const job of stillHeld) {
      if ((await touch([job])) === 0) {
        held.get(job.id)?.claim.abort(new Error(`Job ${job.id} was given to another worker.`))
      }
    }
  }

  async function touch(jobs: Job<object>[]): Promise<number> {
    // pg-boss returns this (manager.js, mapCommandResponse) but leaves it out of its types.
    const { affected } = (await boss.touch(name, jobs.map(attempt))) as { affected: number }
    return affected
  }

  function report(error: unknown): void {
    if (!stopping.signal.aborted) onError(asError(error))
  }

  const taking = take()
  const heartbeat = setInterval(() => void sendHeartbeat().catch(report), heartbeatMs)
  const stopTaking = () => {
    stopping.abort(new Error('The service stops.'))
    wake()
  }
  return {
    wake,
    stopTaking,
    async [Symbol.asyncDispose]() {
      stopTaking()
      await taking
      await Promise.allSettled(working)
      clearInterval(heartbeat)
    },
  }
}

function attempt({ id, retryCount }: Job<object>): { id: string; retryCount: number } {
  return { id, retryCount }
}
