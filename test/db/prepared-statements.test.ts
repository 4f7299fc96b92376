import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { isUnavailable, openDatabase } from '../../src/platform/db/database.ts'
import { shareReads } from '../../src/platform/share-reads.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const one = { maxConnections: 1, onError: () => undefined }

verifies(
  'db:plans-kept',
  'a frequent statement keeps its plan, and survives a change of its table by a newer version',
  async () => {
    await using test = await createTestDatabase()
    await using database = openDatabase({ connectionString: test.url }, one)
    const { db } = database
    await sql`create table things (id int, name text)`.execute(db)
    await sql`insert into things values (1, 'bell')`.execute(db)
    const read = async (id: number) => (await sql`select * from things where id = ${id}`.execute(db)).rows
    for (let n = 0; n < 10; n++) assert.deepEqual(await read(1), [{ id: 1, name: 'bell' }])
    const { rows } = await sql`
      select statement from pg_prepared_statements where statement like '%from things%'`.execute(db)
    assert.equal(rows.length, 1)

    await sql`alter table things add column size int default 7`.execute(db)
    assert.deepEqual(await read(1), [{ id: 1, name: 'bell', size: 7 }])
    for (let n = 0; n < 10; n++) assert.deepEqual(await read(1), [{ id: 1, name: 'bell', size: 7 }])
  },
)

verifies(
  'db:plans-kept',
  'inside a transaction such a change fails the transaction with a transient error',
  async () => {
    await using test = await createTestDatabase()
    await using database = openDatabase({ connectionString: test.url }, one)
    const { db } = database
    await sql`create table things (id int)`.execute(db)
    const read = () =>
      db
        .transaction()
        .execute(async (tx) => (await sql`select * from things where id = ${1}`.execute(tx)).rows)
    for (let n = 0; n < 10; n++) await read()
    await sql`alter table things add column size int`.execute(db)
    await assert.rejects(read, (error) => isUnavailable(error))
    assert.deepEqual(await read(), [])
  },
)

verifies(
  'db:connections-renewed',
  'an old connection is replaced between two uses, never during one',
  async () => {
    await using test = await createTestDatabase()
    await using database = openDatabase({ connectionString: test.url }, { ...one, lifetimeSeconds: 1 })
    const whoServes = async (db = database.db) =>
      (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)).rows[0]?.pid
    const first = await database.db.transaction().execute(async (tx) => {
      const served = await whoServes(tx)
      await sql`select pg_sleep(1.5)`.execute(tx)
      assert.equal(await whoServes(tx), served)
      return served
    })
    await until(async () => (await whoServes()) !== first)
  },
)

verifies('db:plans-kept', 'a script of several statements works however often it is repeated', async () => {
  await using test = await createTestDatabase()
  await using database = openDatabase({ connectionString: test.url }, one)
  for (let n = 0; n < 10; n++) await database.pool.query('select 1; select 2', [])
})

verifies(
  'db:plans-kept',
  'a caller during a running read gets the result of a later one, shared with other callers',
  async () => {
    let reads = 0
    const answers: ((value: number) => void)[] = []
    const read = shareReads(() => {
      reads++
      return new Promise<number>((resolve) => answers.push(resolve))
    })
    const first = read()
    const others = [read(), read(), read()]
    assert.equal(reads, 1)
    answers[0]?.(1)
    assert.equal(await first, 1)
    await Promise.resolve()
    answers[1]?.(2)
    assert.deepEqual(await Promise.all(others), [2, 2, 2])
    assert.equal(reads, 2)
  },
)
