import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { newId, type WebhookId } from '../../src/shared/ids.ts'
import type { Stats } from '../../src/status/contract.ts'
import { readStats } from '../../src/status/read-stats.ts'
import { rollHours } from '../../src/status/roll-hours.ts'
import { startShop } from '../support/start-shop.ts'
import { startStubOpenai } from '../support/stub-openai.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

verifies(
  'api:stats',
  'events, ended runs, time to the reply and tokens are counted by hour and by webhook',
  async () => {
    await using model = await startStubOpenai((_request, index) =>
      index === 1 ? { status: 400, message: 'no' } : { text: 'Done.' },
    )
    await using shop = await startShop({ env: model.env })
    const orders = await shop.createWebhook({ connectorIds: [] })
    const quiet = await shop.createWebhook({ name: 'Quiet', connectorIds: [] })
    const good = await shop.endedRun((await shop.sendEvent(orders)).runId)
    assert.equal((await shop.endedRun((await shop.sendEvent(orders, { id: 2 })).runId)).status, 'failed')
    assert.equal(good.status, 'succeeded')

    const stats = await shop.app.get<Stats>('/api/v1/stats')
    assert.equal(stats.hours.length, 24)
    assert.deepEqual(
      stats.hours.slice(0, 22).map(({ events }) => events),
      Array.from({ length: 22 }, () => 0),
    )
    assert.equal(
      stats.hours.reduce((sum, { events }) => sum + events, 0),
      2,
    )
    assert.equal(stats.totals.events, 2)
    assert.deepEqual(stats.totals.runs, { succeeded: 1, failed: 1, cancelled: 0, active: 0 })
    assert.deepEqual(stats.totals.tokens, {
      input: good.usage.inputTokens,
      output: good.usage.outputTokens,
    })
    assert.ok(good.usage.outputTokens > 0)
    const { median, p95 } = stats.totals.seconds
    assert.ok(median !== null && median > 0 && median === p95, `${median} ${p95}`)
    const [own, ...others] = stats.byWebhook
    assert.deepEqual(others, [])
    assert.equal(own?.webhookId, orders.id)
    assert.deepEqual(own?.runs, stats.totals.runs)
    assert.equal(
      own?.perHour.events.reduce((sum, events) => sum + events, 0),
      2,
    )

    const empty = await shop.app.get<Stats>(`/api/v1/stats?hours=2&webhookId=${quiet.id}`)
    assert.deepEqual([empty.hours.length, empty.totals.events, empty.byWebhook], [2, 0, []])
    assert.deepEqual(empty.totals.seconds, { median: null, p95: null })
    assert.equal((await shop.app.get<Stats>(`/api/v1/stats?webhookId=${orders.id}`)).totals.runs.succeeded, 1)
  },
)

verifies('api:stats', 'chat runs count under no webhook, and dry runs do not count', async () => {
  await using shop = await startShop()
  const webhook = await shop.createWebhook({ connectorIds: [] })
  const { eventId, runId } = await shop.sendEvent(webhook)
  await shop.endedRun(runId)
  const replay = await shop.app.api<{ id: string }>('POST', `/api/v1/events/${eventId}/replay`, {
    dryRun: true,
  })
  await shop.endedRun(replay.body.id)
  const { totals } = await shop.app.get<Stats>('/api/v1/stats')
  assert.deepEqual(totals.runs, { succeeded: 1, failed: 0, cancelled: 0, active: 0 })

  await shop.app.api('POST', '/api/v1/channels/chan_00000000-0000-7000-8000-000000000001/messages', {
    text: '@bellhop hello',
  })
  await until(async () => {
    const { byWebhook } = await shop.app.get<Stats>('/api/v1/stats')
    const chat = byWebhook.find(({ webhookId }) => webhookId === null)
    return chat?.runs.succeeded === 1 && chat.events === 0
  })
})

verifies('api:stats', 'older hours are found by their ids, and a wrong span is refused', async () => {
  const hourMs = 3_600_000
  // Begins in the middle of an hour, so that no hour ends during the test.
  let ahead = hourMs / 2 - (Date.now() % hourMs)
  await using shop = await startShop({ now: () => new Date(Date.now() + ahead) })
  const webhook = await shop.createWebhook({ connectorIds: [] })
  await shop.endedRun((await shop.sendEvent(webhook)).runId)
  ahead += 2 * hourMs
  const later = await shop.app.get<Stats>('/api/v1/stats?hours=4')
  assert.deepEqual(
    later.hours.map(({ events, runs }) => [events, runs.succeeded]),
    [
      [0, 0],
      [1, 1],
      [0, 0],
      [0, 0],
    ],
  )
  ahead += 72 * hourMs
  assert.equal((await shop.app.get<Stats>('/api/v1/stats')).totals.events, 0)

  for (const query of ['hours=0', 'hours=2161', 'hours=x', 'webhookId=run_1']) {
    assert.equal((await shop.app.api('GET', `/api/v1/stats?${query}`)).status, 422, query)
  }
  const unknown = await shop.app.get<Stats>(`/api/v1/stats?webhookId=${newId('webhook')}`)
  assert.equal(unknown.totals.events, 0)
})

verifies('api:stats', 'concurrent requests share one count', async () => {
  await using shop = await startShop()
  await shop.endedRun((await shop.sendEvent(await shop.createWebhook({ connectorIds: [] }))).runId)
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => shop.app.api<Stats>('GET', '/api/v1/stats?hours=3')),
  )
  assert.ok(new Set(answers.map(({ text }) => text)).size < answers.length)
  assert.equal(answers[0]?.body.totals.events, 1)
  // Cached figures expire soon.
  await until(async () => (await shop.app.get<Stats>('/api/v1/stats?hours=3')).to !== answers[0]?.body.to)
})

verifies(
  'api:stats-rolled',
  'stored hourly figures equal a fresh count of the runs, even if a run ends later',
  async () => {
    const hourMs = 3_600_000
    await using model = await startStubOpenai((_request, index) => {
      if (index === 0) return { calls: [{ name: 'shop__refund', input: { id: 'A-1' } }] }
      return index === 2 ? { status: 400, message: 'no' } : { text: 'Done.' }
    })
    let ahead = hourMs / 2 - (Date.now() % hourMs)
    const now = () => new Date(Date.now() + ahead)
    await using shop = await startShop({ env: model.env, now })
    const { db, settings } = shop.app.app.ctx
    const orders = await shop.createWebhook({ name: 'Orders' })
    // The server gives ids of webhooks.
    const ordersId = orders.id as WebhookId
    const others = await shop.createWebhook({ name: 'Others' })
    const waiting = await shop.sendEvent(orders, { n: 0 })
    await shop.runWhen(waiting.runId, ({ status }) => status === 'waiting')
    await shop.endedRun((await shop.sendEvent(orders, { n: 1 })).runId)
    ahead += hourMs
    for (const [webhook, body] of [
      [orders, { n: 2 }],
      [orders, { n: 3 }],
      [others, { n: 4 }],
    ] as const) {
      await shop.endedRun((await shop.sendEvent(webhook, body)).runId)
    }
    ahead += 2 * hourMs

    const read = async (webhookId?: WebhookId) => {
      // Only stored hours are compared with those before.
      const { to, previous, ...stats } = await readStats({ db, now }, { hours: 6, sourceId: webhookId })
      return stats
    }
    /** What ended a moment ago is taken for settled: every end is committed here. */
    const roll = () => rollHours({ db, now, settings }, 0)
    const stored = async () =>
      (
        await sql<{ ended: number }>`
        select coalesce(sum(succeeded + failed + cancelled), 0)::int as ended from hour_figures`.execute(db)
      ).rows[0]?.ended
    /** Counted from the runs, and from the stored hours. */
    const compare = async () => {
      await sql`delete from hour_figures`.execute(db)
      await sql`update counted_hours set first_hour = 0, last_hour = -1, counted_until = '-infinity'`.execute(
        db,
      )
      const counted = [await read(), await read(ordersId)]
      await roll()
      assert.deepEqual([await read(), await read(ordersId)], counted)
      return counted[0]
    }
    const before = await compare()
    assert.deepEqual(before?.totals.runs, { succeeded: 3, failed: 1, cancelled: 0, active: 1 })
    assert.deepEqual(
      before?.hours.map(({ events }) => events),
      [0, 0, 2, 3, 0, 0],
    )
    const { rows } = await sql<{ median: number }>`
      select percentile_disc(0.5) within group (order by greatest(extract(epoch from ended_at - asked_at), 0.001))::float8 as median
      from runs where status = 'succeeded'`.execute(db)
    const [direct] = rows
    const ratio = (before?.totals.seconds.median ?? 0) / (direct?.median ?? 1)
    assert.ok(Math.abs(ratio - 1) <= 0.011, `${ratio}`)

    // A run of an hour that was already counted ends: the hour is counted again.
    const [approval] = (await shop.app.get<{ items: { id: string }[] }>('/api/v1/approvals')).items
    await shop.app.api('POST', `/api/v1/approvals/${approval?.id}/approve`)
    await shop.endedRun(waiting.runId)
    const ended = { succeeded: 4, failed: 1, cancelled: 0, active: 0 }
    assert.deepEqual((await read()).totals.runs, ended)
    assert.equal(await stored(), 4, 'it is added to the stored figures')
    await roll()
    assert.equal(await stored(), 5, 'its hour is counted again')
    assert.deepEqual((await read()).totals.runs, ended)

    // So is that of an event that ends late without a run.
    const rules = [
      { when: 'event.n == 5', then: 'skip' },
      { when: 'true', then: 'notify', text: 'Seen.' },
    ]
    const ruled = await shop.createWebhook({ rules })
    const withStatus = async (status: string) =>
      (await shop.app.get<{ items: unknown[] }>(`/api/v1/events?status=${status}`)).items.length
    await shop.app.api('PATCH', '/api/v1/settings', { agent: { paused: true } })
    for (const n of [5, 6]) await shop.sendEvent(ruled, { n })
    await until(async () => (await withStatus('skipped')) === 1)
    ahead += hourMs
    await roll()
    const unrun = { skipped: 1, notified: 0, joined: 0, missed: 0 }
    assert.deepEqual((await read()).totals.withoutRun, unrun)
    await shop.app.api('PATCH', '/api/v1/settings', { agent: { paused: false } })
    await until(async () => (await withStatus('notified')) === 1)
    assert.deepEqual((await read()).totals.withoutRun, { ...unrun, notified: 1 })
    await roll()
    assert.deepEqual((await read()).totals.withoutRun, { ...unrun, notified: 1 })
    await compare()
  },
)

verifies(
  'api:stats-compared',
  'more than a week is counted by day, with the span before, by model, and with what was refused',
  async () => {
    const hourMs = 3_600_000
    const dayMs = 24 * hourMs
    let ahead = hourMs / 2 - (Date.now() % hourMs)
    const now = () => new Date(Date.now() + ahead)
    await using model = await startStubOpenai(() => ({ text: 'Done.' }))
    await using shop = await startShop({ env: model.env, now })
    const { db, settings } = shop.app.app.ctx
    await shop.app.api('PATCH', '/api/v1/settings', { retention: { days: 365 } })
    const orders = await shop.createWebhook({ connectorIds: [] })
    await shop.endedRun((await shop.sendEvent(orders)).runId)
    ahead += 10 * dayMs
    await shop.endedRun((await shop.sendEvent(orders, { n: 1 })).runId)
    await shop.endedRun((await shop.sendEvent(orders, { n: 2 })).runId)
    assert.equal((await fetch(orders.endpointUrl, { method: 'POST', body: 'no json' })).status, 415)
    await rollHours({ db, now, settings }, 0)

    const month = await shop.app.get<Stats>('/api/v1/stats?hours=720')
    assert.equal(month.slotHours, 24)
    assert.equal(month.hours.length, 30)
    assert.deepEqual([month.hours.at(-1)?.events, month.hours.at(-11)?.events], [2, 1])
    assert.ok(month.hours.every(({ at }) => at.endsWith('T00:00:00.000Z')))
    assert.equal(month.totals.runs.succeeded, 3)
    assert.equal(month.previous?.events, 0)
    assert.equal(month.previous?.hours.length, 30)
    const week = await shop.app.get<Stats>('/api/v1/stats?hours=168')
    assert.deepEqual([week.slotHours, week.totals.events, week.previous?.events], [1, 2, 1])
    // Ten days ago is three days before the end of the week before.
    assert.equal(week.previous?.hours.length, 168)
    assert.equal(week.previous?.hours.at(-73)?.events, 1)
    const [used, ...others] = month.byModel
    assert.deepEqual(others, [])
    assert.equal(used?.model, model.env.MODEL_NAME)
    assert.equal(used?.tokens.input, month.totals.tokens.input)
    assert.equal(
      used?.perHour.tokens.reduce((sum, tokens) => sum + tokens, 0),
      month.totals.tokens.input + month.totals.tokens.output,
    )
    // The time of a refusal is that of the database, whose clock is not ahead. Refusals are stored after their answer.
    await until(async () => {
      const { byWebhook } = await readStats({ db, now }, { hours: 720 })
      return byWebhook[0]?.refusedPerHour.filter((refused) => refused > 0).join() === '1'
    })
  },
)
