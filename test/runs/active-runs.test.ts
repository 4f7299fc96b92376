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
    // No webhook alone gets more than half of the places.
    const webhooks = [
      await shop.createWebhook({ concurrency: 100 }),
      await shop.createWebhook({ concurrency: 100 }),
    ]
    for (let n = 0; n < 6; n++) for (const webhook of webhooks) await shop.sendEvent(webhook)
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

verifies(
  ['dispatch:fair', 'dispatch:no-worker-waits'],
  'a webhook whose model hangs holds half of the workers at most: others are answered, and its further events wait and are counted',
  async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    let hanging = 0
    await using model = await startStubAnthropic(async ({ body }) => {
      if (!body.includes('hang')) return { text: 'Done.' }
      hanging++
      await released
      return { text: 'Late.' }
    })
    await using shop = await startShop({ env: model.env })
    await using stack = new AsyncDisposableStack()
    stack.defer(release)
    await shop.app.api('PATCH', '/api/v1/settings', { limits: { activeRuns: 4 } })
    const slow = await shop.createWebhook({ concurrency: 40 })
    const rung = []
    for (let n = 0; n < 6; n++) rung.push(await shop.sendEvent(slow, '{"please":"hang"}'))
    await until(() => hanging > 0)

    const quick = await shop.sendEvent(await shop.createWebhook())
    assert.equal((await shop.endedRun(quick.runId)).reply?.text, 'Done.')
    const statuses = await Promise.all(
      rung.map(async ({ eventId }) => (await shop.app.get(`/api/v1/events/${eventId}`)).status),
    )
    assert.deepEqual(statuses, ['dispatched', 'dispatched', 'accepted', 'accepted', 'accepted', 'accepted'])
    assert.equal(hanging, 2)
    await until(async () =>
      (await shop.app.api('GET', '/metrics')).text.includes('\nbellhop_events_waiting 4\n'),
    )
  },
)
