import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { sql } from 'kysely'
import { sweepRehearsals } from '../../src/runs/rehearsals/sweep-rehearsals.ts'
import { startTestApp } from '../support/start-test-app.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'
import { draft, orders, startRehearsedShop } from './start-rehearsed-shop.ts'

for (const point of ['rehearsal.begun', 'step.saved'] as const) {
  verifies(
    'rehearsals:survives',
    `a rehearsal whose worker is killed at ${point} goes on with another one, and compares each event once`,
    async () => {
      await using stack = new AsyncDisposableStack()
      const { url: databaseUrl } = stack.use(await createTestDatabase())
      const loopback = { EGRESS_PRIVATE_EXCEPTIONS: '127.0.0.0/8' }
      const first = await startTestApp({ databaseUrl, env: loopback })
      stack.use(first)
      const shop = stack.use(await startRehearsedShop(first))
      const webhook = await shop.createWebhook()
      await shop.handle(webhook, [orders.same, orders.replyDiffers, orders.newWrite])
      await shop.app.api('PATCH', '/api/v1/settings', { agent: { paused: true } })
      const { id } = await shop.rehearse({ target: { webhookId: webhook.id }, change: { prompt: draft } })
      // From here on only the victim works, and then only the heir.
      first.app.ctx.queue.stopTaking()
      const env = { ...loopback, ROLE: 'worker' }
      const child = spawn(
        process.execPath,
        [
          join(import.meta.dirname, '../support/faulty-app.ts'),
          databaseUrl,
          point,
          'SIGKILL',
          JSON.stringify(env),
        ],
        { stdio: ['ignore', 'pipe', 'inherit'] },
      )
      const ended = once(child, 'exit')
      stack.defer(async () => {
        child.kill('SIGKILL')
        await ended
      })
      const lines: string[] = []
      createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
      await until(() => lines.includes('ready'))
      await shop.app.api('PATCH', '/api/v1/settings', { agent: { paused: false } })
      await until(() => lines.includes('struck'))
      await ended
      const heir = stack.use(await startTestApp({ databaseUrl, env }))
      const { db } = heir.app.ctx
      await sql`update runs set lease_until = now() - interval '1 minute' where rehearsal_id = ${id} and lease_until is not null`.execute(
        db,
      )
      await sweepRehearsals(heir.app.ctx)
      const done = await shop.ended(id)
      assert.deepEqual(
        [done.status, done.counts.same, done.counts.replyDiffers, done.counts.newWrite, done.compared],
        ['done', 1, 1, 1, 3],
      )
      const { rows } = await sql<{ n: number }>`
        select count(*)::int as n from runs where rehearsal_id = ${id}`.execute(db)
      assert.equal(rows[0]?.n, 3)
      assert.equal(shop.target.seen.filter(({ method }) => method === 'POST').length, 0)
    },
  )
}
