import assert from 'node:assert/strict'
import { join } from '../accounts/visitor.ts'
import { readEvents } from '../chat/support/read-events.ts'
import { textsOf } from '../support/model-script.ts'
import { sayAs } from '../support/say-as.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startShopOn } from '../support/start-shop.ts'
import { loopback, startTestApp, testApiKey } from '../support/start-test-app.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

verifies(
  'runs:thread-continues',
  'a follow-up in the thread of a reply continues with the payload, the tool answers and all prior turns',
  async () => {
    await using model = await startStubAnthropic(({ body }, index) => {
      if (index === 0) return { calls: [{ name: 'shop__get_order', input: { id: 'A-1' } }] }
      if (index === 1) return { text: 'The order was paid.' }
      return { text: body.includes('and the weight?') ? 'Two kilos.' : 'To Berlin.' }
    })
    await using shop = await startShopOn(await sharedApp(), {
      model,
      answer: (_request, response) =>
        response.setHeader('content-type', 'application/json').end('{"to":"Berlin"}'),
    })
    const webhook = await shop.createWebhook({ prompt: 'Speak of the order only.' })
    const event = '{"id":"A-1","n":12345678901234567890}'
    const run = await shop.endedRun((await shop.sendEvent(webhook, event)).runId)
    const threadId = run.reply?.messageId
    const say = (text: string) =>
      shop.app.api('POST', `/api/v1/channels/${shop.channelId}/messages`, { text, threadId })

    await say('where does it go?')
    await until(async () => (await shop.replies()).length === 2)
    await say('and the weight?')
    await until(async () => (await shop.replies()).length === 3)
    const [weight, place, first] = await shop.replies()
    assert.deepEqual(
      [first?.text, place?.text, weight?.text],
      ['The order was paid.', 'To Berlin.', 'Two kilos.'],
    )
    assert.deepEqual([first?.threadId, place?.threadId, weight?.threadId], [null, threadId, threadId])

    const last = model.requests.at(-1)
    const told = JSON.stringify(last?.json.messages)
    const order = [
      event,
      '{"to":"Berlin"}',
      'The order was paid.',
      'where does it go?',
      'To Berlin.',
      'and the weight?',
    ]
    const places = order.map((text) => told.indexOf(JSON.stringify(text).slice(1, -1)))
    assert.ok(
      places.every((at) => at >= 0),
      `all in context: ${places}`,
    )
    assert.deepEqual(
      places,
      places.toSorted((a, b) => a - b),
    )
    assert.match(JSON.stringify(last?.json.system), /Speak of the order only\./)
    const chat = await shop.endedRun(weight?.runId ?? '')
    assert.deepEqual([chat.trigger, chat.status, chat.eventId], ['chat', 'succeeded', null])
  },
)

verifies(
  'runs:reply-in-channel',
  'a mention starts a run that answers in a thread; a message to nobody starts none',
  async () => {
    await using model = await startStubAnthropic([{ text: 'Hello Kim.' }])
    await using shop = await startShopOn(await sharedApp(), { model })
    const post = (text: string) =>
      shop.app.api<{ id: string }>('POST', `/api/v1/channels/${shop.channelId}/messages`, { text })
    await post('just talking among ourselves')
    const asked = await post('@bellhop hello')
    await until(async () => (await shop.replies()).length === 1)
    const [reply] = await shop.replies()
    assert.deepEqual([reply?.text, reply?.threadId], ['Hello Kim.', asked.body.id])
    assert.equal(model.requests.length, 1)
    assert.ok(!model.requests[0]?.body.includes('among ourselves'))
  },
)

verifies(
  'runs:reply-in-channel',
  'the agent answers to its configured name in any spelling, and not to one that only begins with it',
  async () => {
    await using model = await startStubAnthropic(() => ({ text: 'Yes?' }))
    await using shop = await startShopOn(await sharedApp(), { model })
    await shop.app.api('PATCH', '/api/v1/settings', { agent: { name: 'Front desk (A+B)' } })
    const post = async (text: string) =>
      (await shop.app.api<{ id: string }>('POST', `/api/v1/channels/${shop.channelId}/messages`, { text }))
        .body.id
    await post('@front-desk-2 and x@Front desk (A+B) are others')
    const asked = [await post('Hey @front desk (a+b), hello'), await post('@FRONT_DESK_(A+B)?')]
    await until(async () => (await shop.replies()).length === 2)
    assert.deepEqual((await shop.replies()).map(({ threadId }) => threadId).toSorted(), asked.toSorted())
  },
)

verifies(
  'permissions:destructive-confirms',
  'a chat request by somebody who is not an admin cannot be destructive, whatever the model does',
  async () => {
    await using model = await startStubAnthropic(({ body }) =>
      body.includes('tool_result')
        ? { text: 'I may not.' }
        : { calls: [{ name: 'shop__drop_order', input: { id: 'A-1' } }] },
    )
    await using shop = await startShopOn(await sharedApp(), { model })
    await shop.app.api('POST', `/api/v1/channels/${shop.channelId}/messages`, { text: '@bellhop drop it' })
    await until(async () => (await shop.replies()).length === 1)
    assert.equal((await shop.replies())[0]?.text, 'I may not.')
    assert.match(model.requests[1]?.body ?? '', /Only an admin may start a destructive tool/)
    assert.equal(shop.target.seen.length, 0)
  },
)

verifies(
  'runs:thread-continues',
  'the notice of a failed run and a card are no turns of the conversation; what a tool answered in the thread is, after the word of its turn',
  async () => {
    await using model = await startStubAnthropic(({ body }, index) => {
      if (index === 0) return { status: 400, message: 'not like this' }
      if (body.includes('and now?')) return { text: 'Paid back.' }
      return body.includes('tool_result')
        ? { text: 'Done.' }
        : { calls: [{ name: 'shop__refund', input: { id: 'A-1' } }] }
    })
    await using shop = await startShopOn(await sharedApp(), { model })
    const run = await shop.endedRun((await shop.sendEvent(await shop.createWebhook())).runId)
    assert.equal(run.status, 'failed')
    const threadId = run.reply?.messageId
    const say = (text: string) =>
      shop.app.api('POST', `/api/v1/channels/${shop.channelId}/messages`, { text, threadId })
    await say('@bellhop pay it back')
    const pending = async () =>
      (await shop.app.get<{ items: { id: string }[] }>('/api/v1/approvals?status=pending')).items[0]?.id
    await until(async () => (await pending()) !== undefined)
    const id = await pending()
    await until(async () => (await shop.messages()).some(({ card }) => card !== null))
    await shop.app.api('POST', `/api/v1/approvals/${id}/approve`, {})
    await until(async () => (await shop.replies()).length === 2)
    await say('@bellhop and now?')
    await until(async () => (await shop.replies()).length === 3)

    const told = textsOf(model.requests.at(-1)?.json.messages)
    assert.ok(!told.some((text) => text.includes('I could not finish this')))
    assert.ok(!told.some((text) => text.includes('approved Shop') || text.includes('May I call')))
    const at = (words: string) => told.findIndex((text) => text.includes(words))
    const order = [at('pay it back'), at('"ok":true'), at('Done.'), at('and now?')]
    assert.ok(
      order.every((place, n) => place > (order[n - 1] ?? -1)),
      `${order}`,
    )
  },
)

verifies(
  'runs:waiting-shown',
  'a mention that waits for a free place says so in its thread, until its run begins',
  async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await using model = await startStubAnthropic(async () => {
      await released
      return { text: 'Done.' }
    })
    await using shop = await startShopOn(await sharedApp(), { model })
    await shop.app.api('PATCH', '/api/v1/settings', { limits: { chatRuns: 1 } })
    await using stream = await readEvents(`${shop.app.url}/api/v1/channels/${shop.channelId}/stream`, {
      authorization: `Bearer ${testApiKey}`,
    })
    const member = await join(shop.app, 'member')
    await sayAs(shop, member, '@bellhop first')
    await until(() => model.requests.length === 1)
    const second = await sayAs(shop, member, '@bellhop second')
    const noteOf = async (threadId: string) => {
      for (;;) {
        const { body } = await stream.nextNamed('agent.working')
        if (body.threadId === threadId) return body.note
      }
    }
    assert.equal(await noteOf(second), 'busy with other requests…')
    release()
    assert.equal(await noteOf(second), 'thinking…')
    assert.equal(await noteOf(second), null)
  },
)
