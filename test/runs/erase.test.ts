import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { ApprovalShape } from '../../src/approvals/contract.ts'
import { startReplay } from '../../src/runs/history/start-replay.ts'
import { startRun } from '../../src/runs/loop/start/start-run.ts'
import { postReply } from '../../src/runs/reply/post-reply.ts'
import { systemActor } from '../../src/shared/actor.ts'
import type { EventId, RunId, WebhookId } from '../../src/shared/ids.ts'
import { countWaiting } from '../support/ask-during.ts'
import { dumpDatabase } from '../support/dump-database.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startRefundingModel } from '../support/start-refunding-model.ts'
import { startShopOn } from '../support/start-shop.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

let fault: (point: string) => void | Promise<void> = () => undefined
const sharedApp = shareInFile(() => startTestApp({ env: loopback, faults: (point) => fault(point) }))

/** In no other test's event. */
const plant = () => `jane-${randomUUID()}-planted`
const question = 'and who was that'

verifies(
  'events:erase',
  'after an event is erased, nothing of its content is left in the database',
  async () => {
    const marker = plant()
    await using model = await startStubAnthropic(({ body }) => {
      if (body.includes(question)) return { text: `It was ${marker}.` }
      if (body.includes('tool_result')) return { text: `Paid back to ${marker}.` }
      return { calls: [{ name: 'shop__refund', input: { id: marker } }], text: `For ${marker}:` }
    })
    await using shop = await startShopOn(await sharedApp(), {
      model,
      answer: (_request, response) =>
        response.setHeader('content-type', 'application/json').end(JSON.stringify({ mail: marker })),
    })
    const { app } = shop
    const webhook = await shop.createWebhook()
    const approve = (id: string | null | undefined) => app.api('POST', `/api/v1/approvals/${id}/approve`, {})

    // A finished run, with a follow-up in the thread under its reply.
    const done = await shop.sendEvent(webhook, { name: marker })
    const asked = await shop.runWhen(done.runId, ({ status }) => status === 'waiting')
    await approve(asked.toolCalls[0]?.approvalId)
    const replied = await shop.endedRun(done.runId)
    assert.equal(replied.reply?.text, `Paid back to ${marker}.`)
    const threadId = replied.reply?.messageId
    await app.api('POST', `/api/v1/channels/${shop.channelId}/messages`, { text: question, threadId })
    await until(async () => (await shop.messages()).some(({ text }) => text === `It was ${marker}.`))
    // One that still waits for an approval.
    const open = await shop.sendEvent(webhook, { name: marker })
    const waiting = await shop.runWhen(open.runId, ({ status }) => status === 'waiting')
    const approvalId = waiting.toolCalls[0]?.approvalId
    await until(async () => (await shop.messages()).filter(({ card }) => card !== null).length === 2)
    const { db, store } = app.app.ctx
    const kept = async () =>
      (await dumpDatabase(store.database.pool)).filter(({ text }) => text.includes(marker))
    const before = new Set((await kept()).map(({ table }) => table))
    assert.deepEqual(
      ['approvals', 'events', 'messages', 'replies', 'run_steps', 'tool_calls'].filter(
        (name) => !before.has(name),
      ),
      [],
    )

    for (const { eventId } of [done, open]) {
      assert.equal((await app.api('DELETE', `/api/v1/events/${eventId}`)).status, 204)
    }
    // The cards are rendered again from what is left.
    await until(async () => {
      const { rows } =
        await sql`select from jobs.job where name = 'approval.show' and state < 'completed'`.execute(db)
      return rows.length === 0
    })

    assert.deepEqual(
      (await kept()).map(({ table, column }) => `${table}.${column}`),
      [],
    )
    const messages = await shop.messages()
    assert.deepEqual(
      messages.filter(({ card, author }) => card === null && author.kind === 'agent').map(({ text }) => text),
      ['(erased)', '(erased)', '(erased)'],
    )
    assert.ok(messages.some(({ text }) => text === question))
    const approval = await app.get<ApprovalShape>(`/api/v1/approvals/${approvalId}`)
    assert.deepEqual([approval.status, approval.request.body], ['void', null])
    assert.equal((await approve(approvalId)).status, 409)
    assert.equal((await shop.readRun(open.runId)).status, 'cancelled')
    assert.equal((await shop.readRun(done.runId)).endedAt, replied.endedAt, 'it ended when it did')
    assert.equal(shop.target.seen.length, 1)
    const audit = await app.get<{ items: { subject: string }[] }>('/api/v1/audit?action=event.erased')
    const erased = audit.items.map(({ subject }) => subject)
    assert.deepEqual(
      [done, open].map(({ eventId }) => erased.filter((subject) => subject === eventId).length),
      [1, 1],
    )
  },
)

verifies('events:erase', 'a tool’s answer after the event was erased is not stored', async () => {
  const marker = plant()
  const asked = Promise.withResolvers<void>()
  const erased = Promise.withResolvers<void>()
  await using shop = await startShopOn(await sharedApp(), {
    answer: async (_request, response) => {
      asked.resolve()
      await erased.promise
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ mail: marker }))
    },
  })
  const { runId, eventId } = await shop.sendEvent(await shop.createWebhook(), { id: 'A-1', name: marker })
  await asked.promise
  assert.equal((await shop.app.api('DELETE', `/api/v1/events/${eventId}`)).status, 204)
  erased.resolve()
  const { ctx } = shop.app.app
  await until(async () => {
    const { rows } = await sql`select from jobs.job where name like 'run.%' and state = 'active'`.execute(
      ctx.db,
    )
    return rows.length === 0
  })
  assert.equal((await shop.readRun(runId)).status, 'cancelled')
  // It no longer counts against its webhook's concurrency limit.
  const event = await shop.app.get<{ status: string; settledAt: string | null }>(`/api/v1/events/${eventId}`)
  assert.deepEqual([event.status, event.settledAt !== null], ['failed', true])
  const kept = (await dumpDatabase(ctx.store.database.pool)).filter(({ text }) => text.includes(marker))
  assert.deepEqual(
    kept.map(({ table, column }) => `${table}.${column}`),
    [],
  )
  assert.deepEqual(await shop.replies(), [])
})

verifies(
  'events:erase',
  'a reply that was being posted while the event was erased is erased, too',
  async () => {
    const marker = plant()
    const saved = Promise.withResolvers<void>()
    const erased = Promise.withResolvers<void>()
    await using shop = await startShopOn(await sharedApp())
    fault = async (point) => {
      if (point !== 'reply.saved') return
      saved.resolve()
      await erased.promise
    }
    const { faults: _faults, ...ctx } = shop.app.app.ctx
    const { eventId, runId } = await shop.sendEvent(await shop.createWebhook({ connectorIds: [] }), {
      name: marker,
    })
    await saved.promise
    assert.equal((await shop.app.api('DELETE', `/api/v1/events/${eventId}`)).status, 204)
    // No worker posts it meanwhile.
    await postReply(ctx, runId as RunId) // the answer of the ingress
    const early = await shop.replies()
    fault = () => undefined
    erased.resolve()
    assert.deepEqual(early, [])
    await until(async () => (await shop.replies())[0]?.text === '(erased)')
    const kept = (await dumpDatabase(shop.app.app.ctx.store.database.pool)).filter(({ text }) =>
      text.includes(marker),
    )
    assert.deepEqual(
      kept.map(({ table, column }) => `${table}.${column}`),
      [],
    )
  },
)

verifies(
  'events:erase',
  'an event that is erased after a worker has read it starts no run and no replay',
  async () => {
    await using model = await startStubAnthropic([{ text: 'Read.' }])
    await using shop = await startShopOn(await sharedApp(), { model })
    const { app } = shop
    const { ctx } = app.app
    const webhook = await shop.createWebhook()
    await app.api('PATCH', '/api/v1/settings', { agent: { paused: true } })
    // The first statement reads the event.
    const erasing = (eventId: string) => {
      let statements = 0
      const db = ctx.db.withPlugin({
        transformQuery: ({ node }) => node,
        async transformResult({ result }) {
          if (statements++ > 0) return result
          assert.equal((await app.api('DELETE', `/api/v1/events/${eventId}`)).status, 204)
          return result
        },
      })
      return { ...ctx, db }
    }
    // The server gives ids of these kinds.
    const sendEvent = async () => (await shop.sendEvent(webhook)) as { eventId: EventId; runId: RunId }
    const webhookId = webhook.id as WebhookId
    const first = await sendEvent()
    await startRun(erasing(first.eventId), { ...first, sourceId: webhookId }, new AbortController().signal)
    const second = await sendEvent()
    const replay = startReplay(
      erasing(second.eventId),
      { actor: systemActor, source: '127.0.0.1' },
      second.eventId,
      {},
    )
    await assert.rejects(replay, { type: 'body-erased' })

    const { rows } = await sql`select from runs where source_id = ${webhook.id}`.execute(ctx.db)
    assert.equal(rows.length, 0)
    assert.equal(model.requests.length, 0)
  },
)

verifies(
  'events:erase',
  'a call that waits for an admin, or is under way, ends when its event is erased',
  async () => {
    const asked = Promise.withResolvers<void>()
    const erased = Promise.withResolvers<void>()
    await using model = await startRefundingModel('Done.')
    await using shop = await startShopOn(await sharedApp(), {
      model,
      answer: async (_request, response) => {
        asked.resolve()
        await erased.promise
        response.setHeader('content-type', 'application/json').end('{}')
      },
    })
    const { app } = shop
    const webhook = await shop.createWebhook()
    const sendAndAsk = async () => {
      const rung = await shop.sendEvent(webhook)
      const run = await shop.runWhen(rung.runId, ({ status }) => status === 'waiting')
      return { ...rung, approvalId: run.toolCalls[0]?.approvalId }
    }
    const waiting = await sendAndAsk()
    const underWay = await sendAndAsk()
    await app.api('POST', `/api/v1/approvals/${underWay.approvalId}/approve`, {})
    await asked.promise
    for (const { eventId } of [waiting, underWay]) {
      assert.equal((await app.api('DELETE', `/api/v1/events/${eventId}`)).status, 204)
    }
    erased.resolve()
    const endOf = async (runId: string) =>
      (await shop.readRun(runId)).toolCalls.map(({ state, error, endedAt }) => [
        state,
        error?.code,
        endedAt !== null,
      ])
    assert.deepEqual(await endOf(waiting.runId), [['refused', 'approval_void', true]])
    assert.deepEqual(await endOf(underWay.runId), [['unknown', 'outcome_unknown', true]])
  },
)

verifies(
  'events:erase',
  'a question in the thread that is asked while the event is being erased is answered without its content',
  async () => {
    const marker = plant()
    await using model = await startStubAnthropic(({ body }) => ({
      text: body.includes(marker) ? `It was ${marker}.` : 'That is erased.',
    }))
    await using shop = await startShopOn(await sharedApp(), { model })
    const { app } = shop
    const { db, store } = app.app.ctx
    const { runId, eventId } = await shop.sendEvent(await shop.createWebhook(), { name: marker })
    const { reply } = await shop.endedRun(runId)
    const answers = async () => (await shop.replies()).filter(({ threadId }) => threadId !== null)

    // Somebody else holds a step of the run for a moment, so that the erasure has begun and is not done.
    const { erasing, asking } = await db.transaction().execute(async (tx) => {
      await sql`select from run_steps where run_id = ${runId} for update`.execute(tx)
      const erased = app.api('DELETE', `/api/v1/events/${eventId}`)
      await until(async () => (await countWaiting(db)) === 1)
      const message = { text: question, threadId: reply?.messageId }
      const asked = app.api('POST', `/api/v1/channels/${shop.channelId}/messages`, message)
      await until(async () => (await countWaiting(db)) === 2 || (await answers()).length === 1)
      return { erasing: erased, asking: asked }
    })
    assert.equal((await erasing).status, 204)
    assert.equal((await asking).status, 201)
    await until(async () => (await answers()).length === 1)

    const kept = (await dumpDatabase(store.database.pool)).filter(({ text }) => text.includes(marker))
    assert.deepEqual(
      kept.map(({ table, column }) => `${table}.${column}`),
      [],
    )
  },
)
