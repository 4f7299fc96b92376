import assert from 'node:assert/strict'
import pg from 'pg'
import type { ScheduleShape } from '../../src/schedules/contract.ts'
import { startService } from '../support/start-service.ts'
import { general } from '../support/start-shop.ts'
import { testApiKey, testEncryptionKey } from '../support/start-test-app.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const count = 40

verifies(
  'schedules:exactly-once',
  'with two replicas, of which one is killed at the due second, every schedule is due once and has one run and one reply',
  async () => {
    await using database = await createTestDatabase()
    const env = { DATABASE_URL: database.url, ENCRYPTION_KEY: testEncryptionKey, API_KEY: testApiKey }
    await using victim = await startService(env)
    await using other = await startService(env)
    const fields = { channelId: general, prompt: 'Say hello.', cron: '0 0 1 1 *', allowSilence: false }
    for (let n = 0; n < count; n++)
      await other.api<ScheduleShape>('POST', '/schedules', { ...fields, name: `Number ${n}` })
    const client = new pg.Client(database.url)
    await client.connect()
    const countEvents = async (where = ''): Promise<number> =>
      (await client.query(`select count(*)::int as n from events ${where}`)).rows[0].n
    try {
      // A handful each 100 ms, so that the kill falls between some of them and into others.
      await client.query(`
        update schedules s set next_at = clock_timestamp() + interval '500 ms' + n.at * interval '25 ms'
        from (select id, row_number() over (order by id) as at from schedules) n where n.id = s.id`)
      await client.query(`select pg_notify('schedules_changed', '')`)
      await until(async () => (await countEvents()) > count / 4)
      victim.child.kill('SIGKILL')
      await until(async () => (await countEvents(`where status = 'done'`)) === count)
      const { rows } = await client.query(`
        select count(*)::int as events, count(distinct source_id)::int as schedules,
          (select count(*)::int from runs) as runs, (select count(*)::int from messages where run_id is not null) as replies
        from events`)
      assert.deepEqual(rows[0], { events: count, schedules: count, runs: count, replies: count })
    } finally {
      await client.end()
    }
  },
)
