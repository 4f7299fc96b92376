import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { startService } from '../support/start-service.ts'
import { sceneOf } from '../support/start-shop.ts'
import { startTestApp, testEncryptionKey } from '../support/start-test-app.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

type Event = { id: string; status: string; threadKey: string | null; joinedTo: string | null }

verifies(
  'rules:collect',
  'of two workers, one is killed inside the window and the other when it ends: each key has one run of all its events, and nothing is lost',
  async () => {
    await using database = await createTestDatabase()
    await using web = await startTestApp({ databaseUrl: database.url, env: { ROLE: 'web' } })
    const scene = sceneOf(web)
    const webhook = await scene.createWebhook({
      threadKey: '/k',
      collect: { quietSeconds: 600, maxSeconds: 600 },
    })
    const events = async () => (await web.get<{ items: Event[] }>('/api/v1/events?limit=100')).items
    const count = async (...wanted: string[]) =>
      (await events()).filter(({ status }) => wanted.includes(status)).length
    const env = { DATABASE_URL: database.url, ENCRYPTION_KEY: testEncryptionKey, ROLE: 'worker' }
    const keys = ['a', 'b', 'c', 'd']
    const sendOneOfEach = () => Promise.all(keys.map((k) => scene.sendEvent(webhook, { k })))
    {
      await using first = await startService(env)
      await using second = await startService(env)
      for (let n = 0; n < 4; n++) await sendOneOfEach()
      await until(async () => (await count('joined')) > 0)
      first.child.kill('SIGKILL')
      for (let n = 0; n < 4; n++) await sendOneOfEach()
      await until(async () => (await count('joined')) === 28)
      await sql`update events set due_at = now() where status = 'accepted'`.execute(web.app.ctx.db)
      await until(async () => (await count('dispatched', 'done')) > 0)
      second.child.kill('SIGKILL')
    }
    await using _next = await startService(env)
    await until(async () => (await count('done')) === keys.length)
    const all = await events()
    assert.deepEqual([all.length, all.filter(({ status }) => status === 'joined').length], [32, 28])
    for (const k of keys) {
      const [first, ...others] = all.filter(({ threadKey }) => threadKey === k).toReversed()
      assert.deepEqual(
        [first?.status, new Set(others.map(({ joinedTo }) => joinedTo))],
        ['done', new Set([first?.id])],
      )
    }
    assert.equal((await scene.replies()).length, keys.length)
  },
)
