import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { Channel } from '../../src/chat/contract.ts'
import { insertMessage } from '../../src/chat/store.ts'
import { type ChannelId, type MessageId, newId } from '../../src/shared/ids.ts'
import { namesOf } from '../support/model-script.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startShopOn } from '../support/start-shop.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

type Shop = Awaited<ReturnType<typeof startShopOn>>

async function addStore(shop: Shop): Promise<string> {
  const { body } = await shop.app.api<{ id: string }>('POST', '/api/v1/connectors', {
    type: 'http',
    name: 'Store',
    baseUrl: shop.target.origin,
    authType: 'none',
    tools: [
      {
        name: 'count',
        description: 'Counts',
        method: 'POST',
        path: '/count',
        capability: 'write',
        permission: 'auto',
        inputSchema: { type: 'object' },
      },
    ],
  })
  return body.id
}

const scopeTo = (shop: Shop, connectorIds: string[] | null) =>
  shop.app.api<Channel>('PATCH', `/api/v1/channels/${shop.channelId}`, { connectorIds })

async function say(shop: Shop, text: string, threadId?: string | null) {
  const before = (await shop.replies()).length
  await shop.app.api('POST', `/api/v1/channels/${shop.channelId}/messages`, { text, threadId })
  await until(async () => (await shop.replies()).length > before)
}

/** Messages between people in a thread, which the agent does not answer. */
async function talk(shop: Shop, threadId: MessageId, times: number) {
  for (let n = 0; n < times; n++) {
    await insertMessage(shop.app.app.ctx.db, {
      id: newId('message'),
      channelId: shop.channelId as ChannelId, // the server gives ids of channels
      threadId,
      authorKind: 'user',
      authorId: 'somebody',
      authorName: 'Kim',
      text: `line ${n}`,
    })
  }
}

verifies(
  'runs:scope',
  'a request in a channel can use only the connectors in its list: others are not shown, and cannot be called by name',
  async () => {
    await using model = await startStubAnthropic(({ body }) =>
      body.includes('tool_result') ? { text: 'Done.' } : { calls: [{ name: 'store__count', input: {} }] },
    )
    await using shop = await startShopOn(await sharedApp(), { model })
    await addStore(shop)
    const scoped = await scopeTo(shop, [shop.connectorId])
    assert.deepEqual([scoped.status, scoped.body.connectorIds], [200, [shop.connectorId]])

    await say(shop, '@bellhop count')
    assert.deepEqual(namesOf(model.requests[0]?.json.tools), [
      'shop__get_order',
      'shop__refund',
      'shop__drop_order',
    ])
    assert.match(model.requests[1]?.body ?? '', /There is no tool store__count/)
    assert.equal(shop.target.seen.length, 0)

    const everything = await scopeTo(shop, null)
    assert.equal(everything.body.connectorIds, null)
    await say(shop, '@bellhop count')
    assert.equal(shop.target.seen.length, 1)

    const refused = await shop.app.api('PATCH', `/api/v1/channels/${shop.channelId}`, {
      connectorIds: ['shop'],
    })
    assert.equal(refused.status, 422)
    const { items } = await shop.app.get<{ items: unknown[] }>(
      `/api/v1/audit?action=channel.scoped&subject=${shop.channelId}`,
    )
    assert.equal(items.length, 2)
  },
)

verifies(
  'runs:scope',
  'a connector list accepts only existing connectors; one that is deleted later stays in it and grants nothing',
  async () => {
    await using shop = await startShopOn(await sharedApp())
    const store = await addStore(shop)
    const webhook = await shop.createWebhook()
    const { eventId } = await shop.sendEvent(webhook)
    const asked = async (method: string, path: string, connectorIds: string[]) => {
      const body = path === 'channels' ? { name: 'new', connectorIds } : { connectorIds }
      const answer = await shop.app.api<{ errors?: { pointer: string }[] }>(method, `/api/v1/${path}`, body)
      return [answer.status, answer.body.errors?.[0]?.pointer]
    }
    for (const [method, path] of [
      ['PATCH', `webhooks/${webhook.id}`],
      ['POST', 'channels'],
      ['PATCH', `channels/${shop.channelId}`],
      ['POST', `events/${eventId}/replay`],
    ] as const) {
      const unknown = [store, newId('connector')]
      assert.deepEqual(await asked(method, path, unknown), [422, '/connectorIds/1'], path)
    }
    await scopeTo(shop, [store])
    await shop.app.api('DELETE', `/api/v1/connectors/${store}`)
    assert.equal((await scopeTo(shop, [store, shop.connectorId])).status, 200)
    assert.equal((await scopeTo(shop, [store])).status, 200)
    const { tools } = await shop.endedRun((await shop.sendEvent(webhook)).runId)
    assert.deepEqual(tools, [])
  },
)

verifies(
  'runs:scope',
  'a webhook with a list of its own uses that one, and one without uses the list of its channel',
  async () => {
    await using model = await startStubAnthropic([{ text: 'Done.' }])
    await using shop = await startShopOn(await sharedApp(), { model })
    const store = await addStore(shop)
    await scopeTo(shop, [store])
    const toolsOf = async (fields: object) =>
      (await shop.endedRun((await shop.sendEvent(await shop.createWebhook({ ...fields }))).runId)).tools
    assert.deepEqual(await toolsOf({}), ['store__count'])
    assert.equal((await toolsOf({ connectorIds: [shop.connectorId] })).length, 3)
  },
)

verifies(
  ['runs:scope', 'permissions:ceiling'],
  'in the thread of a webhook its list and ceiling apply, even after a hundred messages and whatever the channel allows',
  async () => {
    await using model = await startStubAnthropic(({ json, body }) => {
      const asked = JSON.stringify((json.messages as unknown[]).at(-1)) // Anthropic's wire format
      if (!asked.includes('count, please')) return { text: `Fine. ${body.includes('order.paid')}` }
      return { calls: [{ name: 'store__count', input: {} }] }
    })
    await using shop = await startShopOn(await sharedApp(), { model })
    const store = await addStore(shop)
    const webhook = await shop.createWebhook({ connectorIds: [store], ceiling: 'read' })
    const run = await shop.endedRun((await shop.sendEvent(webhook)).runId)
    const threadId = run.reply?.messageId
    await scopeTo(shop, [shop.connectorId])
    await talk(shop, threadId as MessageId, 110) // the reply is posted

    await say(shop, 'count, please', threadId)
    const [reply] = await shop.replies()
    assert.equal(reply?.text, 'Fine. true', 'the event is still in context')
    const followUp = await shop.readRun(reply?.runId ?? '')
    assert.deepEqual(followUp.tools, ['store__count'])
    assert.match(
      followUp.toolCalls[0]?.reason ?? '',
      /The webhook or schedule that this thread began with may use tools up to read; this one is write/,
    )

    // The thread does not gain what the webhook gains later, but loses what the webhook loses.
    const change = { ceiling: 'write', connectorIds: [shop.connectorId] }
    assert.equal((await shop.app.api('PATCH', `/api/v1/webhooks/${webhook.id}`, change)).status, 200)
    await say(shop, 'anything else?', threadId)
    const [later] = await shop.replies()
    assert.deepEqual((await shop.readRun(later?.runId ?? '')).tools, [])
    assert.equal(shop.target.seen.length, 0)
  },
)

verifies(
  ['permissions:rights-of-now', 'runs:scope'],
  'a request in the thread of a webhook is void once the webhook may no longer use the connector; other requests keep waiting',
  async () => {
    await using model = await startStubAnthropic(({ json }) => {
      const asked = JSON.stringify((json.messages as unknown[]).at(-1)) // Anthropic's wire format
      if (!asked.includes('refund, please')) return { text: 'Fine.' }
      return { calls: [{ name: 'shop__refund', input: { id: 'A-1' } }] }
    })
    await using shop = await startShopOn(await sharedApp(), { model })
    const webhook = await shop.createWebhook()
    const change = (patch: object) => shop.app.api('PATCH', `/api/v1/webhooks/${webhook.id}`, patch)
    const statuses = async () => {
      const { items } = await shop.app.get<{ items: { id: string; status: string; runId: string }[] }>(
        `/api/v1/approvals?channelId=${shop.channelId}`,
      )
      return items.toReversed()
    }
    const ask = async (threadId: string | null | undefined) => {
      const before = (await statuses()).length
      const text = '@bellhop refund, please'
      await shop.app.api('POST', `/api/v1/channels/${shop.channelId}/messages`, { text, threadId })
      await until(async () => (await statuses()).length > before)
    }
    const { reply } = await shop.endedRun((await shop.sendEvent(webhook)).runId)
    const states = async () => (await statuses()).map(({ status }) => status)

    await ask(null)
    await ask(reply?.messageId)
    await change({ active: false, prompt: 'Say less.' })
    assert.deepEqual(await states(), ['pending', 'pending'], 'they have not lost anything')
    await change({ ceiling: 'read' })
    assert.deepEqual(await states(), ['pending', 'void'])
    const { toolCalls } = await shop.endedRun((await statuses())[1]?.runId ?? '')
    assert.equal(toolCalls[0]?.error?.code, 'approval_void')

    await change({ active: true, ceiling: 'write' })
    await ask(reply?.messageId)
    await change({ active: false, connectorIds: [] })
    assert.deepEqual(await states(), ['pending', 'void', 'void'])

    // An approval given a moment before is checked again.
    await change({ connectorIds: null })
    await ask(reply?.messageId)
    const [, , , last] = await statuses()
    await sql`update webhooks set ceiling = 'read' where id = ${webhook.id}`.execute(shop.app.app.ctx.db)
    assert.equal((await shop.app.api('POST', `/api/v1/approvals/${last?.id}/approve`)).status, 200)
    const refused = await shop.endedRun(last?.runId ?? '')
    assert.equal(refused.toolCalls[0]?.error?.code, 'denied')

    // So is the approval of a request in a channel whose list is shorter now.
    const [elsewhere] = await statuses()
    await sql`update channels set connector_ids = '[]' where id = ${shop.channelId}`.execute(
      shop.app.app.ctx.db,
    )
    assert.equal((await shop.app.api('POST', `/api/v1/approvals/${elsewhere?.id}/approve`)).status, 200)
    assert.equal((await shop.endedRun(elsewhere?.runId ?? '')).toolCalls[0]?.error?.code, 'denied')
    await scopeTo(shop, null)

    await change({ ceiling: 'write' })
    await ask(reply?.messageId)
    assert.equal((await shop.app.api('DELETE', `/api/v1/webhooks/${webhook.id}`)).status, 204)
    assert.deepEqual((await states()).at(-1), 'pending', 'it was asked by a person, who is still there')
    assert.equal(shop.target.seen.length, 0)
  },
)

verifies('runs:scope', 'the model of a webhook answers in its thread, too', async () => {
  await using model = await startStubAnthropic([{ text: 'Done.' }])
  await using shop = await startShopOn(await sharedApp(), { model })
  const webhook = await shop.createWebhook({ model: { provider: 'offline', name: '' } })
  const { runId } = await shop.sendEvent(webhook)
  const { reply } = await shop.endedRun(runId)
  await say(shop, '@bellhop and now?', reply?.messageId)
  assert.equal(model.requests.length, 0)
  await say(shop, '@bellhop and you?')
  assert.equal(model.requests.length, 1)
})

verifies('runs:failure-notice', 'a webhook whose model is not set up says so, and what to do', async () => {
  await using shop = await startShopOn(await sharedApp())
  const webhook = await shop.createWebhook({ model: { provider: 'google', name: 'gemini-x' } })
  const { runId } = await shop.sendEvent(webhook)
  const { error, reply } = await shop.endedRun(runId)
  assert.deepEqual(error, {
    code: 'model_not_set_up',
    message: 'The model Google · gemini-x is not set up here.',
  })
  assert.match(reply?.text ?? '', /Its model is not set up.*Settings → Model, or choose another model/)
})
