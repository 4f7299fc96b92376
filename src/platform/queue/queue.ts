import { fromKysely, PgBoss } from 'pg-boss'
import type { Database, Db } from '../db/database.ts'

export type JobSettings = {
  /** How often a job may fail before it becomes a dead letter. */
  tries: number
  /** The first pause after a failure; it doubles with each, up to a minute. */
  backoffSeconds: number
  /** With a key: at most one job of it waits. Sending another while one waits does nothing. */
  onePerKey?: boolean
}

type SendOptions = { key?: string; startAfter?: Date; priority?: number }
type WorkOptions = { concurrency: number }
export type DeadLetter = { id: string; name: string; payload: unknown; error: unknown; failedAt: Date }

export type Queue<Jobs> = AsyncDisposable & {
  /** Enqueues in the transaction of `db`: the job exists if and only if the fact that asks for it does. */
  send<Name extends keyof Jobs & string>(
    db: Db,
    name: Name,
    payload: Jobs[Name],
    options?: SendOptions,
  ): Promise<void>
  sendMany<Name extends keyof Jobs & string>(
    db: Db,
    name: Name,
    entries: readonly { payload: Jobs[Name]; key?: string }[],
  ): Promise<void>
  /** The signal fires when the service stops: finish quickly or hand back by throwing. */
  work<Name extends keyof Jobs & string>(
    name: Name,
    options: WorkOptions,
    perform: (payload: Jobs[Name], signal: AbortSignal) => Promise<void>,
  ): Promise<void>
  deadLetters(): Promise<DeadLetter[]>
}

type Options<Jobs> = {
  database: Database
  jobs: { [Name in keyof Jobs]: JobSettings }
  /** A process that only sends holds no worker and watches over nobody. */
  supervises: boolean
  /** Within this time a job whose worker died is given to another one. */
  takeOverSeconds?: number
  onError(error: Error): void
}

const deadLetterQueue = 'dead-letters'

export async function openQueue<Jobs>(options: Options<Jobs>): Promise<Queue<Jobs>> {
  const boss = new PgBoss({
    ...options.database.connection,
    // pg allows a null password, pg-boss says undefined.
    password: undefined,
    ...(typeof options.database.connection.password === 'string'
      ? { password: options.database.connection.password }
      : {}),
    application_name: 'bellhop queue',
    schema: 'jobs',
    max: 6,
    supervise: options.supervises,
    superviseIntervalSeconds: 2,
    monitorIntervalSeconds: 2,
    schedule: false,
    useListenNotify: true,
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
      notify: true,
    }
    await boss.createQueue(name, queue)
    const { policy: _, ...changeable } = queue
    await boss.updateQueue(name, changeable)
  }
  const takeOverSeconds = options.takeOverSeconds ?? 4
  // pg-boss refuses heartbeats under 10 s in its own checks; the column takes any. A run must not wait that long after a crash.
  await boss
    .getDb()
    .executeSql('update jobs.queue set heartbeat_seconds = $1 where heartbeat_seconds is not null', [
      takeOverSeconds,
    ])

  const stopping = new AbortController()
  return {
    async send(db, name, payload, { key, startAfter, priority } = {}) {
      await boss.send(name, payload as object, {
        db: fromKysely(db),
        ...(key === undefined ? {} : { singletonKey: key }),
        ...(startAfter === undefined ? {} : { startAfter }),
        ...(priority === undefined ? {} : { priority }),
      })
    },
    async sendMany(db, name, entries) {
      if (entries.length === 0) return
      await boss.insert(
        name,
        entries.map(({ payload, key }) => ({
          data: payload as object,
          ...(key === undefined ? {} : { singletonKey: key }),
        })),
        { db: fromKysely(db) },
      )
    },
    async work(name, { concurrency }, perform) {
      await boss.work<object>(
        name,
        {
          localConcurrency: concurrency,
          pollingIntervalSeconds: 1,
          notifyPollingIntervalSeconds: 1,
          heartbeatRefreshSeconds: takeOverSeconds / 4,
        },
        async ([job]) => {
          // With the default batch size of 1 there is exactly one; the payload is what `send` put in.
          if (job)
            await perform(job.data as Jobs[typeof name], AbortSignal.any([stopping.signal, job.signal]))
        },
      )
    },
    async deadLetters() {
      const letters = await boss.findJobs<object>(deadLetterQueue)
      return letters.map(({ id, sourceName, sourceOutput, data, createdOn }) => ({
        id,
        name: sourceName ?? '',
        payload: data,
        error: sourceOutput,
        failedAt: createdOn,
      }))
    },
    async [Symbol.asyncDispose]() {
      stopping.abort(new Error('The service stops.'))
      await boss.stop({ graceful: true, timeout: 25_000 })
    },
  }
}
