import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setImmediate } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import { type Db, openDatabase } from '../../src/platform/db/database.ts'
import { openNotifications } from '../../src/platform/db/notifications.ts'
import { type DeadLetter, type JobSettings, openQueue, type Queue } from '../../src/platform/queue/queue.ts'
import { someoneWaits } from '../support/ask-during.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

/** PostgreSQL's error when the disk is full. */
const fillDisk = (db: Db) =>
  sql`do $$ begin raise 'No space left on device' using errcode = 'disk_full'; end $$`.execute(db)

type TestJobs = { 'parcel.carry': { parcel: number } }

const sharedDatabase = shareInFile(createTestDatabase)

async function openTestQueue(settings: JobSettings = { tries: 2, backoffSeconds: 1 }, pollMs = 1_000) {
  const stack = new AsyncDisposableStack()
  const { url } = await sharedDatabase()
  const database = stack.use(
    openDatabase({ connectionString: url }, { maxConnections: 4, onError: () => undefined }),
  )
  const notifications = stack.use(
    await openNotifications({ connection: database.connection, onError: () => undefined }),
  )
  const open = (jobs: JobSettings) =>
    openQueue<TestJobs>({
      database,
      jobs: { 'parcel.carry': jobs },
      notifications,
      pollMs,
      supervises: true,
      onError: () => undefined,
    })
  // What other tests have left.
  await sql`truncate jobs.job, job_leases`.execute(database.db)
  await sql`delete from jobs.queue where name = 'parcel.carry'`.execute(database.db)
  const queue: Queue<TestJobs> = stack.use(await open(settings))
  return {
    url,
    db: database.db,
    queue,
    openAgain: async (jobs: JobSettings) => stack.use(await open(jobs)),
    /** Jobs that are not over, dead letters included. */
    waitingJobs: () => countJobs(database.db, sql`state < 'completed'`),
    storedJobs: () => countJobs(database.db, sql`true`),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

async function countJobs(db: Db, where: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int from jobs.job where ${where}`.execute(db)
  return rows[0]?.count ?? 0
}

verifies('jobs:in-transaction', 'a job of a transaction that is rolled back never exists', async () => {
  await using test = await openTestQueue()
  const carried: number[] = []
  test.queue.work('parcel.carry', { concurrency: 1 }, async ({ parcel }) => void carried.push(parcel))

  const rolledBack = test.db.transaction().execute(async (tx) => {
    await test.queue.send(tx, 'parcel.carry', { parcel: 1 })
    throw new Error('changed my mind')
  })
  await assert.rejects(rolledBack, /changed my mind/)
  await test.db.transaction().execute((tx) => test.queue.send(tx, 'parcel.carry', { parcel: 2 }))

  await until(() => carried.length > 0)
  assert.deepEqual(carried, [2])
})

verifies('jobs:wake-up', 'a new job wakes a worker that would poll only after ten minutes', async () => {
  await using test = await openTestQueue({ tries: 2, backoffSeconds: 1 }, 600_000)
  const carried: number[] = []
  test.queue.work('parcel.carry', { concurrency: 2 }, async ({ parcel }) => void carried.push(parcel))
  for (let parcel = 0; parcel < 10; parcel++) {
    await test.queue.send(test.db, 'parcel.carry', { parcel })
    await until(() => carried.includes(parcel))
  }
})

verifies('jobs:wake-up', 'a job that failed for good is passed on without a poll', async () => {
  await using test = await openTestQueue({ tries: 1, backoffSeconds: 1 }, 600_000)
  const dead: unknown[] = []
  test.queue.workDeadLetters(async ({ payload }) => void dead.push(payload))
  test.queue.work('parcel.carry', { concurrency: 1 }, async () => {
    throw new Error('too heavy')
  })
  await test.queue.send(test.db, 'parcel.carry', { parcel: 7 })
  await until(() => dead.length > 0)
  assert.deepEqual(dead, [{ parcel: 7 }])
})

verifies(
  'jobs:retries-then-dead-letter',
  'a job that keeps failing is tried the configured number of times, with growing pauses, and then kept with its error',
  async () => {
    await using test = await openTestQueue({ tries: 4, backoffSeconds: 10 }, 100)
    let tries = 0
    test.queue.work('parcel.carry', { concurrency: 1 }, async () => {
      tries++
      throw new Error('too heavy')
    })
    await test.queue.send(test.db, 'parcel.carry', { parcel: 7 })

    const pauses: number[] = []
    const dead: DeadLetter[] = []
    let burials = 0
    // A failed handler gets it again.
    test.queue.workDeadLetters(async (letter) => {
      if (++burials === 1) throw new Error('not now')
      dead.push(letter)
    })
    await until(async () => {
      // Reads the delay after this failure, and then makes the job due now.
      const { rows } = await sql<{ seconds: number }>`
        update jobs.job set start_after = now() from (
          select id, extract(epoch from start_after - started_on)::float8 as seconds from jobs.job
          where name = 'parcel.carry' and state = 'retry' and start_after > now() for update) waiting
        where job.id = waiting.id returning waiting.seconds`.execute(test.db)
      pauses.push(...rows.map(({ seconds }) => seconds))
      return (await test.waitingJobs()) === 0
    })
    assert.deepEqual([burials, dead.length], [2, 1])
    assert.equal(tries, 4)
    assert.equal(pauses.length, 3)
    // 10 to 20 s, 20 to 40, 40 to 60: by chance, so that what failed together does not come back together.
    const [first = 0, , third = 0] = pauses
    assert.ok(first >= 10 && third >= 40 && third > first, `${pauses} s`)
    const [letter] = dead
    assert.equal(letter?.name, 'parcel.carry')
    assert.deepEqual(letter?.payload, { parcel: 7 })
    assert.equal(letter?.error.message, 'too heavy')
  },
)

verifies(
  'jobs:waits-for-room',
  'a job that fails because of a full disk is retried until there is space, however few tries it has',
  async () => {
    await using test = await openTestQueue({ tries: 1, backoffSeconds: 1 }, 10)
    let tries = 0
    test.queue.work('parcel.carry', { concurrency: 1 }, async () => {
      if (++tries < 10) await fillDisk(test.db)
    })
    await test.queue.send(test.db, 'parcel.carry', { parcel: 1 })
    await until(async () => (await test.storedJobs()) === 0)
    assert.equal(tries, 10)
  },
)

verifies(
  'jobs:in-transaction',
  'at most one job per key waits, and sending it again does nothing',
  async () => {
    await using test = await openTestQueue({ tries: 2, backoffSeconds: 1, onePerKey: true })
    for (let copy = 0; copy < 5; copy++)
      await test.queue.send(test.db, 'parcel.carry', { parcel: 1 }, { key: 'one' })
    await test.queue.sendMany(test.db, 'parcel.carry', [
      { payload: { parcel: 1 }, key: 'one' },
      { payload: { parcel: 2 }, key: 'two' },
    ])
    const carried: number[] = []
    test.queue.work('parcel.carry', { concurrency: 1 }, async ({ parcel }) => void carried.push(parcel))

    // Sent after all of them, and taken after all of them.
    await test.queue.send(test.db, 'parcel.carry', { parcel: 3 }, { key: 'three' })
    await until(() => carried.includes(3))
    assert.deepEqual(carried.sort(), [1, 2, 3])
  },
)

verifies('jobs:takeover', 'the job of a killed worker is done by another one', async () => {
  await using test = await openTestQueue({ tries: 3, backoffSeconds: 1 })
  const child = spawn(process.execPath, [join(import.meta.dirname, 'carry-parcels.ts'), test.url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  assert.equal((await lines.next()).value, 'ready')
  await test.queue.send(test.db, 'parcel.carry', { parcel: 9 })
  assert.equal((await lines.next()).value, 'begun 9')
  child.kill('SIGKILL')
  await once(child, 'exit')

  const carried: number[] = []
  test.queue.work('parcel.carry', { concurrency: 1 }, async ({ parcel }) => void carried.push(parcel))
  await until(() => carried.includes(9))
})

verifies('jobs:takeover', 'a worker whose job was given to another one is told to stop', async () => {
  await using test = await openTestQueue({ tries: 3, backoffSeconds: 1 })
  const { promise: told, resolve: tell } = Promise.withResolvers<string>()
  test.queue.work('parcel.carry', { concurrency: 1 }, async (_payload, signal) => {
    await once(signal, 'abort')
    tell(String(signal.reason))
  })
  await test.queue.send(test.db, 'parcel.carry', { parcel: 3 })
  await until(async () => {
    const { rows } = await sql`update job_leases set attempt = attempt + 1 returning job_id`.execute(test.db)
    return rows.length > 0
  })
  assert.match(await told, /was given to another worker/)
})

for (const way of ['send', 'sendMany'] as const) {
  verifies(
    'jobs:wake-up',
    `a waiting job is not taken before the commit of a sender that found it waiting (${way})`,
    async () => {
      await using test = await openTestQueue({ tries: 2, backoffSeconds: 1, onePerKey: true })
      const { db, queue } = test
      await sql`drop table if exists facts`.execute(db)
      await sql`create table facts (parcel integer)`.execute(db)
      const payload = { parcel: 1 }
      const key = 'one'
      const seen: [number, number][] = []
      await queue.send(db, 'parcel.carry', payload, { key })
      await db.transaction().execute(async (tx) => {
        await sql`insert into facts values (1)`.execute(tx)
        if (way === 'send') await queue.send(tx, 'parcel.carry', payload, { key })
        else await queue.sendMany(tx, 'parcel.carry', [{ payload, key }])
        queue.work('parcel.carry', { concurrency: 1 }, async ({ parcel }) => {
          const { rows } = await sql`select from facts`.execute(db)
          seen.push([parcel, rows.length])
        })
        // Once this one is done, the worker has looked at the waiting jobs and skipped the other.
        await queue.send(db, 'parcel.carry', { parcel: 2 }, { key: 'another' })
        await until(() => seen.length > 0)
      })
      await until(() => seen.length > 1)
      assert.deepEqual(seen, [
        [2, 0],
        [1, 1],
      ])
    },
  )
}

for (const moment of ['chosen', 'marked'] as const) {
  verifies(
    'jobs:wake-up',
    `a sender that finds a job at the moment it is taken sends another one (${moment})`,
    async () => {
      await using test = await openTestQueue({ tries: 2, backoffSeconds: 1, onePerKey: true })
      const { db, queue } = test
      const carried: number[] = []
      await queue.send(db, 'parcel.carry', { parcel: 1 }, { key: 'one' })
      const mark = (tx: Db) =>
        sql`update jobs.job set state = 'active' where name = 'parcel.carry' and state = 'created'`.execute(
          tx,
        )
      // What a worker does: it locks the job, marks it as its own and commits. Whoever sends meanwhile must wait for it.
      const sending = await db.transaction().execute(async (tx) => {
        if (moment === 'marked') await mark(tx)
        else await sql`select from jobs.job where name = 'parcel.carry' for update`.execute(tx)
        const sent = db
          .transaction()
          .execute((own) => queue.send(own, 'parcel.carry', { parcel: 2 }, { key: 'one' }))
        await until(() => someoneWaits(db))
        if (moment === 'chosen') await mark(tx)
        return { sent }
      })
      await sending.sent
      queue.work('parcel.carry', { concurrency: 1 }, async ({ parcel }) => void carried.push(parcel))
      await until(() => carried.length > 0)
      assert.deepEqual(carried, [2])
    },
  )
}

verifies(
  'jobs:wake-up',
  'concurrent senders of many keyed jobs do not deadlock, whatever the order of the keys',
  async () => {
    await using test = await openTestQueue({ tries: 2, backoffSeconds: 1, onePerKey: true })
    const { db, queue } = test
    const entry = (key: string) => ({ payload: { parcel: 1 }, key })
    const meet = async () => {
      const { both } = await db.transaction().execute(async (tx) => {
        await queue.sendMany(tx, 'parcel.carry', [entry('a')])
        const other = db.transaction().execute(async (own) => {
          // As on a small table: the jobs are read in the order in which they were written, which is another one.
          for (const way of ['indexscan', 'bitmapscan']) {
            await sql`set local ${sql.raw(`enable_${way}`)} = off`.execute(own)
          }
          await queue.sendMany(own, 'parcel.carry', [entry('b'), entry('a')])
        })
        await until(() => someoneWaits(db))
        await queue.sendMany(tx, 'parcel.carry', [entry('b')])
        return { both: other }
      })
      await both
      const { rows } = await sql`select from jobs.job where name = 'parcel.carry'`.execute(db)
      assert.equal(rows.length, 2)
    }
    await meet()
    // Also where both wait already, in another order.
    await sql`delete from jobs.job`.execute(db)
    for (const key of ['b', 'a']) await queue.send(db, 'parcel.carry', { parcel: 1 }, { key })
    await meet()
  },
)

verifies(
  'jobs:retries-then-dead-letter',
  'many dead letters are passed on a few at a time, and each of them once',
  async () => {
    await using test = await openTestQueue({ tries: 1, backoffSeconds: 1 }, 100)
    const parcels = Array.from({ length: 50 }, (_, parcel) => parcel)
    test.queue.work('parcel.carry', { concurrency: 50 }, async () => {
      throw new Error('too heavy')
    })
    await test.queue.sendMany(
      test.db,
      'parcel.carry',
      parcels.map((parcel) => ({ payload: { parcel } })),
    )
    await until(async () => (await countJobs(test.db, sql`name = 'dead-letters'`)) === 50)
    const buried: unknown[] = []
    let atOnce = 0
    let most = 0
    test.queue.workDeadLetters(async ({ payload }) => {
      most = Math.max(most, ++atOnce)
      await setImmediate()
      atOnce--
      buried.push(payload)
    })
    await until(async () => (await test.waitingJobs()) === 0)
    assert.equal(buried.length, 50)
    assert.equal(new Set(buried.map((payload) => JSON.stringify(payload))).size, 50)
    assert.ok(most <= 4, `${most} at once`)
  },
)

verifies(
  'jobs:retries-then-dead-letter',
  'another number of tries counts from the next start on; a start without a change writes nothing',
  async () => {
    await using test = await openTestQueue({ tries: 4, backoffSeconds: 1 }, 100)
    const changedAt = async () =>
      (await sql`select name, updated_on from jobs.queue order by name`.execute(test.db)).rows
    const before = await changedAt()
    await test.openAgain({ tries: 4, backoffSeconds: 1 })
    assert.deepEqual(await changedAt(), before)

    const queue = await test.openAgain({ tries: 1, backoffSeconds: 1 })
    let tries = 0
    queue.work('parcel.carry', { concurrency: 1 }, async () => {
      tries++
      throw new Error('too heavy')
    })
    await queue.send(test.db, 'parcel.carry', { parcel: 7 })
    await until(async () => (await countJobs(test.db, sql`name = 'dead-letters'`)) === 1)
    assert.equal(tries, 1)
  },
)

verifies('jobs:finished-are-deleted', 'a finished job leaves nothing behind in the database', async () => {
  await using test = await openTestQueue()
  let carried = 0
  test.queue.work('parcel.carry', { concurrency: 20 }, async () => void carried++)
  for (let round = 1; round <= 2; round++) {
    const entries = Array.from({ length: 200 }, (_, parcel) => ({ payload: { parcel } }))
    await test.queue.sendMany(test.db, 'parcel.carry', entries)
    await until(() => carried === round * 200)
  }
  await until(async () => (await test.storedJobs()) === 0)
  await until(async () => (await sql`select from job_leases`.execute(test.db)).rows.length === 0)
})
