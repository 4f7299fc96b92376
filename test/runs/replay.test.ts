import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { Jobs } from '../../src/jobs.ts'
import type { RunShape } from '../../src/runs/contract.ts'
import { startRun } from '../../src/runs/loop/start/start-run.ts'
import { dumpDatabase } from '../support/dump-database.ts'
import { namesOf } from '../support/model-script.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startShopOn } from '../support/start-shop.ts'
import type { startTarget } from '../support/start-target.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

const readsThenWrites = ({ body }: { body: string }) =>
  body.includes('tool_result')
    ? { text: `I did what was ${body.includes('A draft') ? 'drafted' : 'asked'}.` }
    : {
        calls: [
          { name: 'shop__get_order', input: { id: 'A-1' } },
          { name: 'shop__refund', input: { id: 'A-1' } },
        ],
      }

const tellsMethod: Parameters<typeof startTarget>[0] = ({ method }, response) =>
  response.setHeader('content-type', 'application/json').end(`{"did":"${method}"}`)

verifies(
  'events:replay-dry',
  'a dry replay against a draft makes real reads, takes writes from the recording, and posts nowhere',
  async () => {
    await using model = await startStubAnthropic(readsThenWrites)
    await using shop = await startShopOn(await sharedApp(), { model, answer: tellsMethod })
    const { runId, eventId } = await shop.sendEvent(await shop.createWebhook())
    const waiting = await shop.runWhen(runId, ({ status }) => status === 'waiting')
    const approvalId = waiting.toolCalls.find(({ approvalId }) => approvalId)?.approvalId
    await shop.app.api('POST', `/api/v1/approvals/${approvalId}/approve`, {})
    const original = await shop.endedRun(runId)
    const cards = async () => (await shop.messages()).map(({ card }) => JSON.stringify(card))
    await until(async () => (await cards()).some((card) => card.includes('"approved"')))
    const before = await shop.messages()

    const started = await shop.app.api<RunShape>('POST', `/api/v1/events/${eventId}/replay`, {
      prompt: 'A draft.',
    })
    assert.equal(started.status, 201, started.text)
    const records = await shop.app.get<{ items: { source: string }[] }>(
      `/api/v1/audit?action=event.replayed&subject=${eventId}`,
    )
    assert.deepEqual(
      records.items.map(({ source }) => source),
      ['127.0.0.1'],
    )
    const dry = await shop.endedRun(started.body.id)
    assert.deepEqual(
      [dry.trigger, dry.status, dry.dryRun, dry.replayOf, dry.reply?.text, dry.reply?.messageId],
      ['replay', 'succeeded', true, original.id, 'I did what was drafted.', null],
    )
    assert.equal(dry.prompt, 'A draft.')
    // The read went out again, the write did not: the model saw what the original run saw.
    assert.deepEqual(
      shop.target.seen.map(({ method }) => method),
      ['GET', 'POST', 'GET'],
    )
    assert.match(model.requests.at(-1)?.body ?? '', /did\\":\\"POST/)
    assert.deepEqual(await shop.messages(), before)
    assert.equal((await shop.app.get<{ status: string }>(`/api/v1/events/${eventId}`)).status, 'done')
  },
)

verifies(
  'events:replay-dry',
  'a dry replay that reads from the recording sends nothing at all, and says so where the recording has nothing',
  async () => {
    await using model = await startStubAnthropic(readsThenWrites)
    await using shop = await startShopOn(await sharedApp(), { model, answer: tellsMethod })
    const { runId, eventId } = await shop.sendEvent(await shop.createWebhook())
    await shop.runWhen(runId, ({ status }) => status === 'waiting')
    const replay = (body: object) => shop.app.api<RunShape>('POST', `/api/v1/events/${eventId}/replay`, body)
    const dry = await shop.endedRun((await replay({ reads: 'recorded' })).body.id)
    assert.deepEqual([dry.status, dry.dryRun], ['succeeded', true])
    assert.equal(shop.target.seen.length, 1)
    assert.match(model.requests.at(-1)?.body ?? '', /did\\":\\"GET/)

    await shop.app.api('POST', `/api/v1/runs/${runId}/cancel`, {})
    // Neither the answer to another input nor a missing answer is used.
    for (const change of [sql`error_code = 'timeout'`, sql`input = '{"id":"other"}', error_code = null`]) {
      const { rows } = await sql`
        update tool_calls set ${change} where run_id = ${runId} and state = 'answered' returning id`.execute(
        shop.app.app.ctx.db,
      )
      assert.ok(rows.length > 0)
      await shop.endedRun((await replay({ reads: 'recorded', prompt: 'A draft.' })).body.id)
      assert.match(model.requests.at(-1)?.body ?? '', /reads from a recording, and this call is not in it/)
    }
    assert.equal(shop.target.seen.length, 1)
    const wrong = await replay({ reads: 'recorded', dryRun: false })
    assert.equal(wrong.status, 422, wrong.text)
  },
)

verifies(
  'events:replay-dry',
  'in a dry replay a write that was not made in the original run is refused, and no approval is requested',
  async () => {
    await using model = await startStubAnthropic(readsThenWrites)
    await using shop = await startShopOn(await sharedApp(), { model })
    const { runId, eventId } = await shop.sendEvent(await shop.createWebhook())
    await shop.runWhen(runId, ({ status }) => status === 'waiting')
    const pending = (await shop.app.get<{ items: unknown[] }>('/api/v1/approvals?status=pending')).items
      .length
    const { channelId } = await shop.app.get<RunShape>(`/api/v1/runs/${runId}`)
    for (const [id, count] of [
      [channelId, pending],
      ['chan_none', 0],
    ] as const) {
      const here = await shop.app.get<{ items: unknown[] }>(`/api/v1/approvals?channelId=${id}`)
      assert.equal(here.items.length, count)
    }
    const started = await shop.app.api<RunShape>('POST', `/api/v1/events/${eventId}/replay`, { dryRun: true })
    const dry = await shop.endedRun(started.body.id)
    assert.equal(dry.status, 'succeeded')
    assert.match(model.requests.at(-1)?.body ?? '', /This is a dry run, so nothing was sent/)
    assert.equal(shop.target.seen.filter(({ method }) => method === 'POST').length, 0)
    assert.equal(
      (await shop.app.get<{ items: unknown[] }>('/api/v1/approvals?status=pending')).items.length,
      pending,
    )
  },
)

verifies(
  'events:replay-dry',
  'a replay with another tool set is dry, offers exactly those tools, and is shown beside the original',
  async () => {
    await using model = await startStubAnthropic([{ text: 'Fine.' }])
    await using shop = await startShopOn(await sharedApp(), { model })
    const { runId, eventId } = await shop.sendEvent(await shop.createWebhook())
    const original = await shop.endedRun(runId)
    assert.equal(original.tools.length, 3)
    const replay = async (draft?: object) => {
      const started = await shop.app.api<RunShape>('POST', `/api/v1/events/${eventId}/replay`, draft)
      assert.equal(started.status, 201, started.text)
      return await shop.endedRun(started.body.id)
    }
    const none = await replay({ connectorIds: [] })
    assert.deepEqual([none.dryRun, none.replayOf, none.tools], [true, runId, []])
    assert.deepEqual(namesOf(model.requests.at(-1)?.json.tools), [])
    assert.deepEqual((await replay({ connectorIds: [shop.connectorId] })).tools, original.tools)
    assert.equal((await replay()).dryRun, false)
  },
)

verifies('events:replay', 'a replay that is not dry is a run of its own with its own reply', async () => {
  await using shop = await startShopOn(await sharedApp())
  const { runId, eventId } = await shop.sendEvent(await shop.createWebhook({ connectorIds: [] }))
  await shop.endedRun(runId)
  const started = await shop.app.api<RunShape>('POST', `/api/v1/events/${eventId}/replay`, {})
  const again = await shop.endedRun(started.body.id)
  assert.deepEqual(
    [again.trigger, again.status, again.dryRun, again.replayOf],
    ['replay', 'succeeded', false, runId],
  )
  assert.equal((await shop.replies()).length, 2)
  const unknown = await shop.app.api(
    'POST',
    '/api/v1/events/evt_01a1dd14-a609-7560-8304-8eb28ad4ba19/replay',
    {},
  )
  assert.equal(unknown.status, 404)
  const noAccount = await shop.app.api('POST', `/api/v1/events/${eventId}/replay`, {
    model: { provider: 'google', name: 'x' },
  })
  assert.equal(noAccount.status, 422)
})

verifies(
  'events:erase',
  'erasing an event wipes what its runs, replies and tool calls kept of it',
  async () => {
    const marker = 'jane@example.com'
    await using shop = await startShopOn(await sharedApp(), {
      answer: (_request, response) =>
        response.setHeader('content-type', 'application/json').end(`{"mail":"${marker}"}`),
    })
    const { runId, eventId } = await shop.sendEvent(await shop.createWebhook(), { id: 'A-1', mail: marker })
    const run = await shop.endedRun(runId)
    assert.match(JSON.stringify(run), new RegExp(marker))
    assert.equal((await shop.app.api('DELETE', `/api/v1/events/${eventId}`)).status, 204)
    const erased = await shop.readRun(runId)
    assert.equal(erased.status, 'succeeded')
    assert.ok(!JSON.stringify(erased).includes(marker))
    const cells = await dumpDatabase(shop.app.app.ctx.store.database.pool)
    assert.deepEqual(
      cells.filter(({ text }) => text.includes(marker)),
      [],
    )
    assert.equal((await shop.app.api('POST', `/api/v1/events/${eventId}/replay`, {})).status, 410)
    const audit = await shop.app.get<{ items: { action: string; subject: string }[] }>('/api/v1/audit')
    assert.ok(audit.items.some(({ action, subject }) => action === 'event.erased' && subject === eventId))
  },
)

verifies(
  'runs:webhook-budgets',
  'a webhook that used up its runs per hour is paused with one notice; its events are kept and handled on resume',
  async () => {
    await using shop = await startShopOn(await sharedApp())
    const webhook = await shop.createWebhook({ runsPerHour: 2, connectorIds: [] })
    const { runId, eventId } = await shop.sendEvent(webhook)
    await shop.endedRun(runId)
    // Dry runs do not count.
    const tried = { dryRun: true }
    const dry = await shop.app.api<RunShape>('POST', `/api/v1/events/${eventId}/replay`, tried)
    await shop.endedRun(dry.body.id)
    const second = await shop.sendEvent(webhook)
    assert.equal((await shop.endedRun(second.runId)).status, 'succeeded')
    // Continuing after a crash does not count it twice.
    const again = { ...second, sourceId: webhook.id } as Jobs['run.start'] // ids as the ingress gives them
    await startRun(shop.app.app.ctx, again, new AbortController().signal)
    const { paused } = await shop.app.get<{ paused: boolean }>(`/api/v1/webhooks/${webhook.id}`)
    assert.equal(paused, false)
    const kept = [await shop.sendEvent(webhook), await shop.sendEvent(webhook)]
    const notice = () => shop.messages().then((all) => all.filter(({ text }) => text.includes('is paused')))
    await until(async () => (await notice()).length === 1)
    assert.match((await notice())[0]?.text ?? '', /its limit is 2/)
    assert.equal((await shop.app.get<{ paused: boolean }>(`/api/v1/webhooks/${webhook.id}`)).paused, true)
    for (const { runId } of kept) assert.equal((await shop.readRun(runId)).status, 'queued')

    // Resumed without budget left, it is paused again with another notice.
    await shop.app.api('PATCH', `/api/v1/webhooks/${webhook.id}`, { paused: false })
    await until(async () => (await notice()).length === 2)
    // An hour later there is budget again.
    await sql`update runs set created_at = created_at - interval '61 minutes'`.execute(shop.app.app.ctx.db)
    await shop.app.api('PATCH', `/api/v1/webhooks/${webhook.id}`, { paused: false })
    for (const { runId } of kept) assert.equal((await shop.endedRun(runId)).status, 'succeeded')
    assert.equal((await notice()).length, 2)
  },
)

verifies('runs:webhook-budgets', 'a webhook that used up its cost per day is paused', async () => {
  await using model = await startStubAnthropic([{ text: 'Dear.' }])
  await using shop = await startShopOn(await sharedApp(), { model })
  await shop.app.api('PATCH', '/api/v1/settings', {
    prices: { 'claude-sonnet': { input: 5000, output: 5000 } },
  })
  const webhook = await shop.createWebhook({ costPerDay: 0.5, connectorIds: [] })
  const run = await shop.endedRun((await shop.sendEvent(webhook)).runId)
  assert.equal(run.cost, 0.6)
  await shop.sendEvent(webhook)
  await until(async () => (await shop.app.get<{ paused: boolean }>(`/api/v1/webhooks/${webhook.id}`)).paused)
  assert.equal(model.requests.length, 1)
  const notices = async () => (await shop.messages()).filter(({ text }) => text.includes('is paused'))
  await until(async () => (await notices()).length === 1)
  assert.match((await notices())[0]?.text ?? '', /0\.5/)
  // A day later there is budget again.
  await sql`update runs set created_at = created_at - interval '25 hours'`.execute(shop.app.app.ctx.db)
  await shop.app.api('PATCH', `/api/v1/webhooks/${webhook.id}`, { paused: false })
  await until(() => model.requests.length === 2)
})
