import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { startShop } from '../support/start-shop.ts'
import { startTestApp } from '../support/start-test-app.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

verifies(
  'dispatch:concurrency',
  'one worker process works on as many runs as the setting allows, and two work on twice as many',
  async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    let atOnce = 0
    let most = 0
    await using model = await startStubAnthropic(async () => {
      most = Math.max(most, ++atOnce)
      await released
      atOnce--
      return { text: 'Done.' }
    })
    await using shop = await startShop({ env: model.env })
    await using stack = new AsyncDisposableStack()
    stack.defer(release)
    await shop.app.api('PATCH', '/api/v1/settings', { limits: { activeRuns: 2 } })
    const webhook = await shop.createWebhook({ concurrency: 100 })
    for (let n = 0; n < 12; n++) await shop.ring(webhook)
    await until(() => atOnce === 2)
    assert.equal(await countEvents('dispatched'), 2)

    stack.use(
      await startTestApp({ databaseUrl: shop.app.databaseUrl, env: { ...model.env, ROLE: 'worker' } }),
    )
    await until(() => atOnce === 4)
    assert.equal(await countEvents('dispatched'), 4)
    // It takes effect without a restart.
    await shop.app.api('PATCH', '/api/v1/settings', { limits: { activeRuns: 4 } })
    await until(() => atOnce === 8)
    assert.equal(await countEvents('dispatched'), 8)

    release()
    await until(async () => (await countEvents('done')) === 12)
    assert.equal(most, 8)
    assert.equal((await shop.replies()).length, 12)

    async function countEvents(status: string): Promise<number> {
      const { rows } = await sql`select from events where status = ${status}`.execute(shop.app.app.ctx.db)
      return rows.length
    }
  },
)
