import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { endOutage } from '../../src/runs/outages/end-outage.ts'
import { makeJobsDue } from '../support/make-jobs-due.ts'
import { startShop } from '../support/start-shop.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

type Replayed = { runIds: string[]; more: boolean }

verifies(
  ['models:outage', 'events:replay-failed', 'dispatch:no-worker-waits'],
  'after three runs in a row without an answer events wait instead of failing; one question at a time finds out that the model is back',
  async () => {
    let isDown = true
    await using model = await startStubAnthropic(() => (isDown ? { status: 503 } : { text: 'Here again.' }))
    await using shop = await startShop({ env: model.env })
    const { ctx } = shop.app.app
    const { db } = ctx
    const webhook = await shop.createWebhook()
    const early = await Promise.all([
      shop.sendEvent(webhook),
      shop.sendEvent(webhook),
      shop.sendEvent(webhook),
    ])
    const readAll = (ids: { runId: string }[]) => Promise.all(ids.map(({ runId }) => shop.readRun(runId)))
    await until(async () => {
      await makeJobsDue(db)
      return (await readAll(early)).some(({ modelPause }) => modelPause && modelPause.until === null)
    })
    const runs = await readAll(early)
    assert.deepEqual(runs.map(({ status }) => status).sort(), ['failed', 'failed', 'running'])

    // What needs the model waits and is not asked for; what does not goes on.
    const asked = model.requests.length
    const waiting = await Promise.all([shop.sendEvent(webhook), shop.sendEvent(webhook)])
    const other = await shop.createWebhook({ model: { provider: 'offline', name: '' } })
    assert.equal((await shop.endedRun((await shop.sendEvent(other)).runId)).status, 'succeeded')
    for (const { eventId } of waiting)
      assert.equal((await shop.app.get(`/api/v1/events/${eventId}`)).status, 'accepted')
    type Outages = { items: { model: string; heldSince: string | null; problem: string }[] }
    const { items } = await shop.app.get<Outages>('/api/v1/models/outages')
    assert.deepEqual(
      items.map(({ model: name, heldSince }) => [name, heldSince !== null]),
      [['Anthropic · claude-sonnet-4-5', true]],
    )
    assert.match(items[0]?.problem ?? '', /answered 503/)

    await until(async () =>
      (await shop.app.api('GET', '/metrics')).text.includes('\nbellhop_models_unavailable 1\n'),
    )
    await probe()
    await until(() => model.requests.length === asked + 1)
    assert.equal((await shop.app.get<Outages>('/api/v1/models/outages')).items.length, 1)
    // A process that dies while it wakes what waits leaves the outage to the next one.
    const killed = { ...ctx.queue, sendMany: () => Promise.reject(new Error('killed')) }
    const name = { provider: 'anthropic', name: 'claude-sonnet-4-5' }
    await assert.rejects(endOutage({ ...ctx, queue: killed }, name, 'on-purpose'), /killed/)
    assert.equal((await shop.app.get<Outages>('/api/v1/models/outages')).items.length, 1)
    isDown = false
    await probe()
    const kept = runs.flatMap(({ id, status }) => (status === 'running' ? [{ runId: id }] : []))
    for (const { runId } of [...waiting, ...kept])
      assert.equal((await shop.endedRun(runId)).reply?.text, 'Here again.')
    assert.equal((await shop.app.get<Outages>('/api/v1/models/outages')).items.length, 0)
    const notices = (await shop.messages()).filter(({ text }) => /^[⏸▶]/u.test(text)).map(({ text }) => text)
    assert.equal(notices.length, 2)
    assert.match(notices.join(), /claude-sonnet-4-5 did not answer 3 runs in a row/)
    assert.match(notices.join(), /claude-sonnet-4-5 answers again after 1 minute/)

    // The two that failed before anybody knew.
    const failed = { failedWith: 'model_unavailable', since: runs[0]?.createdAt, webhookId: webhook.id }
    const replayed = await shop.app.api<Replayed>('POST', '/api/v1/events/replay', failed)
    assert.deepEqual([replayed.status, replayed.body.runIds.length, replayed.body.more], [200, 2, false])
    for (const id of replayed.body.runIds) assert.equal((await shop.endedRun(id)).reply?.text, 'Here again.')
    const again = await shop.app.api<Replayed>('POST', '/api/v1/events/replay', failed)
    assert.equal(again.body.runIds.length, 0, 'nothing is replayed twice')

    async function probe(): Promise<void> {
      await sql`update model_outages set probe_at = now()`.execute(db)
    }
  },
)
