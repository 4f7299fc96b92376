import assert from 'node:assert/strict'
import { type RawBuilder, sql } from 'kysely'
import { sweepRuns } from '../../src/runs/loop/sweep-runs.ts'
import { autoTools } from '../support/interrupt-run.ts'
import { namesOf } from '../support/model-script.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startRefundingModel } from '../support/start-refunding-model.ts'
import { sceneOf, startShop, startShopOn } from '../support/start-shop.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

verifies(
  [
    'approvals:wait-together',
    'events:ledger',
    'permissions:write-asks',
    'approvals:denial-is-data',
    'permissions:ceiling',
  ],
  'several writes of one step wait together while a read is sent; each gets its own decision, and the model gets all results',
  async () => {
    await using model = await startStubAnthropic(({ body }) =>
      body.includes('tool_result')
        ? { text: 'One of them.' }
        : {
            calls: [
              { name: 'shop__refund', input: { id: 'A-1' } },
              { name: 'shop__get_order', input: { id: 'A-1' } },
              { name: 'shop__refund', input: { id: 'A-2' } },
              { name: 'shop__drop_order', input: { id: 'A-3' } },
            ],
          },
    )
    await using shop = await startShopOn(await sharedApp(), { model })
    const webhook = await shop.createWebhook()
    const { runId, eventId } = await shop.sendEvent(webhook)
    const waiting = await shop.runWhen(runId, ({ status }) => status === 'waiting')
    const readEvent = async () => {
      const path = `/api/v1/events/${eventId}`
      const event = await shop.app.get<{ status: string; waitsForApproval: boolean }>(path)
      return [event.status, event.waitsForApproval]
    }
    assert.deepEqual(await readEvent(), ['dispatched', true])
    const listed = async (query: string) => {
      const { items } = await shop.app.get<{ items: { id: string }[] }>(`/api/v1/events?${query}`)
      return items.some(({ id }) => id === eventId)
    }
    const filters = ['waitsForApproval=true', 'status=dispatched', 'status=dispatched&waitsForApproval=false']
    assert.deepEqual(await Promise.all(filters.map(listed)), [true, true, false])
    assert.deepEqual(
      await Promise.all(filters.map((filter) => listed(`${filter}&text=order&webhookId=${webhook.id}`))),
      [true, true, false],
    )
    assert.deepEqual(
      shop.target.seen.map(({ method, url }) => `${method} ${url}`),
      ['GET /orders/A-1'],
    )
    const [first, second] = waiting.toolCalls.filter(({ tool }) => tool === 'shop__refund')
    assert.equal(first?.request?.url, `${shop.target.origin}/orders/A-1/refund`)

    await shop.app.api('POST', `/api/v1/approvals/${first?.approvalId}/approve`, {})
    await shop.app.api('POST', `/api/v1/approvals/${second?.approvalId}/deny`, { reason: 'not this one' })
    const run = await shop.endedRun(runId)
    assert.deepEqual([run.status, run.reply?.text], ['succeeded', 'One of them.'])
    assert.deepEqual(await readEvent(), ['done', false])
    assert.equal(await listed('waitsForApproval=true'), false)
    assert.deepEqual(
      shop.target.seen.map(({ method, url }) => `${method} ${url}`),
      ['GET /orders/A-1', 'POST /orders/A-1/refund'],
    )
    assert.equal(model.requests.length, 2)
    // What is above the ceiling stays listed, and is refused at the call.
    assert.ok(namesOf(model.requests[0]?.json.tools).includes('shop__drop_order'))
    const told = model.requests[1]?.body ?? ''
    assert.ok(told.includes('not this one'))
    assert.ok(told.includes('This webhook may use tools up to write'))
  },
)

verifies(
  ['dispatch:concurrency', 'events:replay-dry'],
  'a run that waits for people does not count against the concurrency limit, even after its event was replayed',
  async () => {
    await using model = await startRefundingModel('Done.')
    await using shop = await startShopOn(await sharedApp(), { model })
    const webhook = await shop.createWebhook({ concurrency: 1 })
    const first = await shop.sendEvent(webhook)
    await shop.runWhen(first.runId, ({ status }) => status === 'waiting')
    const replay = await shop.app.api<{ id: string }>('POST', `/api/v1/events/${first.eventId}/replay`, {
      dryRun: true,
    })
    assert.equal((await shop.endedRun(replay.body.id)).status, 'succeeded')
    const event = await shop.app.get<{ status: string }>(`/api/v1/events/${first.eventId}`)
    assert.equal(event.status, 'dispatched', 'the end of a replay is not the end of the event')
    const second = await shop.sendEvent(webhook)
    await shop.runWhen(second.runId, ({ status }) => status === 'waiting')
  },
)

verifies(
  ['runs:pause-agent', 'dispatch:paused-keeps', 'api:filters'],
  'a paused agent starts nothing and calls no tool, and continues where it stopped when it is resumed',
  async () => {
    await using model = await startRefundingModel('Paid back.')
    await using shop = await startShopOn(await sharedApp(), { model })
    const webhook = await shop.createWebhook()
    const { runId } = await shop.sendEvent(webhook)
    const waiting = await shop.runWhen(runId, ({ status }) => status === 'waiting')
    await shop.app.api('PATCH', '/api/v1/settings', { agent: { paused: true } })
    await shop.app.api('POST', `/api/v1/approvals/${waiting.toolCalls[0]?.approvalId}/approve`, {})
    const later = await shop.sendEvent(webhook)
    // The decision woke the run: its status is running, and nothing was sent.
    await shop.runWhen(runId, ({ status }) => status === 'running')
    const queued = await shop.readRun(later.runId)
    assert.equal(queued.status, 'queued')
    assert.equal(shop.target.seen.length, 0)
    assert.equal(model.requests.length, 1)
    await shop.app.api('PATCH', '/api/v1/settings', { agent: { paused: false } })
    assert.equal((await shop.endedRun(runId)).reply?.text, 'Paid back.')
    const started = await shop.runWhen(later.runId, ({ status }) => status === 'waiting')
    const { receivedAt } = await shop.app.get<{ receivedAt: string }>(`/api/v1/events/${later.eventId}`)
    assert.deepEqual([queued.createdAt, started.createdAt], [receivedAt, receivedAt])
    const approvals = async (query: string) =>
      (
        await shop.app.get<{ items: { runId: string }[] }>(
          `/api/v1/approvals?webhookId=${webhook.id}${query}`,
        )
      ).items.map((approval) => approval.runId)
    assert.deepEqual(await approvals(''), [later.runId, runId])
    assert.deepEqual(await approvals(`&runId=${runId}`), [runId])
    assert.deepEqual(await approvals('&status=pending'), [later.runId])
    assert.deepEqual(await approvals(`&status=pending&runId=${runId}`), [])
  },
)

verifies(
  'runs:pause-agent',
  'of several calls in a row, those not yet sent when the agent is paused wait until it is resumed',
  async () => {
    const calls = ['A-1', 'A-2', 'A-3'].map((id) => ({ name: 'shop__refund', input: { id } }))
    await using model = await startStubAnthropic(({ body }) =>
      body.includes('tool_result') ? { text: 'Paid back.' } : { calls },
    )
    const first = Promise.withResolvers<void>()
    const paused = Promise.withResolvers<void>()
    await using shop = await startShopOn(await sharedApp(), {
      model,
      tools: autoTools,
      answer: async (_request, response) => {
        first.resolve()
        await paused.promise
        response.setHeader('content-type', 'application/json').end('{"ok":true}')
      },
    })
    const { runId } = await shop.sendEvent(await shop.createWebhook())
    await first.promise
    await shop.app.api('PATCH', '/api/v1/settings', { agent: { paused: true } })
    paused.resolve()
    const { db } = shop.app.app.ctx
    await until(async () => {
      const { rows } = await sql`select from runs where id = ${runId} and lease_until is null`.execute(db)
      return rows.length === 1
    })
    assert.deepEqual(
      shop.target.seen.map(({ url }) => url),
      ['/orders/A-1/refund'],
    )
    await shop.app.api('PATCH', '/api/v1/settings', { agent: { paused: false } })
    assert.equal((await shop.endedRun(runId)).reply?.text, 'Paid back.')
    assert.equal(shop.target.seen.length, 3)
  },
)

verifies(
  ['approvals:survive-restart', 'runs:outbox', 'runs:pause-agent'],
  'a run continues after any lost wake-up: after a decision, with an unposted reply, and not before the agent is resumed',
  async () => {
    await using model = await startRefundingModel('Paid back.')
    await using shop = await startShopOn(await sharedApp(), { model })
    const { runId } = await shop.sendEvent(await shop.createWebhook())
    const waiting = await shop.runWhen(runId, ({ status }) => status === 'waiting')
    const { ctx } = shop.app.app
    const { db } = ctx
    await sql`
      update approvals set status = 'approved', decided_at = now() - interval '1 minute'
      where id = ${waiting.toolCalls[0]?.approvalId}`.execute(db)
    await sweepRuns(ctx)
    assert.equal((await shop.endedRun(runId)).reply?.text, 'Paid back.')
    assert.equal(shop.target.seen.length, 1)

    const wakeUps = async () =>
      (await sql`select from jobs.job where name = 'run.advance' and singleton_key = ${runId}`.execute(db))
        .rows.length
    /** As if the worker and every job of the run had been lost a minute ago. */
    const forget = (reply: RawBuilder<unknown>) =>
      sql`
      with reply as (${reply})
      update runs set status = 'running', ended_at = null, lease_until = now() - interval '1 minute'
      where id = ${runId}`.execute(db)
    const before = await wakeUps()
    await forget(sql`update replies set state = 'pending' where run_id = ${runId}`)
    await sweepRuns(ctx)
    assert.equal((await shop.endedRun(runId)).status, 'succeeded')
    await shop.app.api('PATCH', '/api/v1/settings', { agent: { paused: true } })
    await forget(sql`delete from replies where run_id = ${runId}`)
    await sweepRuns(ctx)
    assert.equal(await wakeUps(), before)
    assert.equal(model.requests.length, 2)
    await shop.app.api('PATCH', '/api/v1/settings', { agent: { paused: false } })
    assert.equal((await shop.endedRun(runId)).reply?.text, 'Paid back.')
    assert.equal((await shop.replies()).length, 1)
  },
)

verifies(
  ['approvals:survive-restart', 'runs:journal'],
  'a waiting run survives a restart and continues after the approval, without repeating model calls',
  async () => {
    await using database = await createTestDatabase()
    await using model = await startRefundingModel('Paid back.')
    let runId = ''
    let approvalId: string | null | undefined
    await using target = await (async () => {
      const shop = await startShop({ databaseUrl: database.url, env: model.env })
      runId = (await shop.sendEvent(await shop.createWebhook())).runId
      const waiting = await shop.runWhen(runId, ({ status }) => status === 'waiting')
      approvalId = waiting.toolCalls[0]?.approvalId
      await shop.app[Symbol.asyncDispose]()
      return shop.target
    })()
    await using again = await startTestApp({
      databaseUrl: database.url,
      env: { ...model.env, EGRESS_PRIVATE_EXCEPTIONS: target.pair },
    })
    assert.equal((await again.get<{ status: string }>(`/api/v1/runs/${runId}`)).status, 'waiting')
    assert.equal((await again.api('POST', `/api/v1/approvals/${approvalId}/approve`, {})).status, 200)
    const run = await sceneOf(again).endedRun(runId)
    assert.deepEqual([run.status, run.reply?.text, model.requests.length], ['succeeded', 'Paid back.', 2])
    assert.equal(target.seen.length, 1)
  },
)

verifies(
  ['house:clean-stop', 'runs:journal'],
  'a stopping service does not wait for a model: it releases the run, and the next process finishes it',
  async () => {
    await using database = await createTestDatabase()
    let thinks = true
    await using model = await startStubAnthropic(() => (thinks ? { hang: true } : { text: 'Done.' }))
    await using first = await startShop({ databaseUrl: database.url, env: model.env })
    const { runId } = await first.sendEvent(await first.createWebhook())
    await until(() => model.requests.length === 1)
    // The model never answers this one: only a service that aborts the call can stop.
    await first.app[Symbol.asyncDispose]()
    thinks = false

    await using next = await startTestApp({ databaseUrl: database.url, env: model.env })
    const run = await sceneOf(next).endedRun(runId)
    assert.deepEqual([run.status, run.reply?.text, run.steps.length], ['succeeded', 'Done.', 1])
    assert.equal((await sceneOf(next).replies()).length, 1)
  },
)
