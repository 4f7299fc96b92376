import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { startService } from '../support/start-service.ts'
import { sceneOf } from '../support/start-shop.ts'
import { startTestApp, testEncryptionKey } from '../support/start-test-app.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

type Event = { id: string; status: string; joinedTo: string | null }

verifies(
  'rules:collect',
  'a process that is killed inside the window loses nothing: the next one makes one run of all events',
  async () => {
    await using database = await createTestDatabase()
    await using web = await startTestApp({ databaseUrl: database.url, env: { ROLE: 'web' } })
    const scene = sceneOf(web)
    const webhook = await scene.createWebhook({
      threadKey: '/k',
      collect: { quietSeconds: 600, maxSeconds: 600 },
    })
    const events = async () => (await web.get<{ items: Event[] }>('/api/v1/events')).items
    const joined = async () => (await events()).filter(({ status }) => status === 'joined').length
    const env = { DATABASE_URL: database.url, ENCRYPTION_KEY: testEncryptionKey, ROLE: 'worker' }
    await scene.ring(webhook, { k: 'a', n: 1 })
    await scene.ring(webhook, { k: 'a', n: 2 })
    {
      await using service = await startService(env)
      await until(async () => (await joined()) === 1)
      service.child.kill('SIGKILL')
    }
    await scene.ring(webhook, { k: 'a', n: 3 })
    await using _next = await startService(env)
    await until(async () => (await joined()) === 2)
    await sql`update events set due_at = now() where status = 'accepted'`.execute(web.app.ctx.db)
    await until(async () => (await events()).at(-1)?.status === 'done')
    const [third, second, first] = await events()
    assert.deepEqual([second?.joinedTo, third?.joinedTo], [first?.id, first?.id])
    assert.equal((await scene.replies()).length, 1)
  },
)
