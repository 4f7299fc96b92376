import assert from 'node:assert/strict'
import type { ApprovalShape } from '../../src/approvals/contract.ts'
import type { Card } from '../../src/chat/chat.ts'
import { join } from '../accounts/visitor.ts'
import { type Turn, textsOf } from '../support/model-script.ts'
import { sayAs } from '../support/say-as.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startShopOn } from '../support/start-shop.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

/** The shop, which holds what is secret, and an outside service whose owner sees every search. */
async function startTwo(script: Turn[]) {
  await using stack = new AsyncDisposableStack()
  const model = stack.use(await startStubAnthropic(script))
  const shop = stack.use(
    await startShopOn(await sharedApp(), {
      model,
      answer: (_request, response) =>
        response.setHeader('content-type', 'application/json').end('{"mail":"jane@example.com"}'),
    }),
  )
  const outside = await shop.app.api<{ id: string }>('POST', '/api/v1/connectors', {
    type: 'http',
    name: 'Web',
    baseUrl: shop.target.origin,
    authType: 'none',
    tools: [
      {
        name: 'search',
        description: 'Searches the web',
        method: 'GET',
        path: '/search',
        capability: 'read',
        inputSchema: { type: 'object', properties: { q: { type: 'string' } } },
      },
    ],
  })
  assert.equal(outside.status, 201, outside.text)
  const opened = stack.move()
  return {
    ...shop,
    model,
    searches: () => shop.target.seen.filter(({ url }) => url.startsWith('/search')).map(({ url }) => url),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

const order = { name: 'shop__get_order', input: { id: 'A-1' } }
const search = (q: string) => ({ name: 'web__search', input: { q } })

verifies(
  'permissions:reads-across',
  'what was read from one connector does not leave through another without an admin, on the way there and back',
  async () => {
    await using scene = await startTwo([
      { calls: [order] },
      { calls: [order, search('jane@example.com')], text: 'I look her up.' },
      { calls: [order] },
      { text: 'Done.' },
    ])
    const webhook = await scene.createWebhook({ readsAcross: 'one', ceiling: 'read' })
    const { runId } = await scene.sendEvent(webhook)
    const waiting = await scene.runWhen(runId, ({ status }) => status === 'waiting')
    assert.match(
      waiting.turnNote ?? '',
      /Once you have read from one connector, a call of another one asks an admin/,
    )
    // The same connector goes on without asking; the other waits, as a read of the capability it has.
    assert.equal(scene.target.seen.length, 2)
    assert.deepEqual(scene.searches(), [])
    const asked = await scene.app.get<{ items: ApprovalShape[] }>(`/api/v1/approvals?runId=${runId}`)
    assert.deepEqual(
      asked.items.map(({ tool, status, capability }) => [tool, status, capability]),
      [['web__search', 'pending', 'read']],
    )
    assert.match(asked.items[0]?.askedBecause ?? '', /has already read from another connector/)
    await until(async () => (await scene.messages()).some(({ card }) => card !== null))
    const card = (await scene.messages()).find((message) => message.card !== null)?.card as Card
    assert.ok(card.lines.some(({ label }) => label === 'Why it asks'))
    assert.ok((await scene.replies()).some(({ text }) => text.startsWith('I look her up.')))

    await scene.app.api('POST', `/api/v1/approvals/${asked.items[0]?.id}/approve`, {})
    const again = await scene.runWhen(
      runId,
      ({ status, steps }) => status === 'waiting' && steps.length === 3,
    )
    assert.deepEqual(scene.searches(), ['/search?q=jane%40example.com'])
    // What the search found must not reach the shop unseen either.
    assert.equal(again.toolCalls.at(-1)?.state, 'waiting')
    await scene.app.api('POST', `/api/v1/approvals/${again.toolCalls.at(-1)?.approvalId}/deny`, {})
    assert.equal((await scene.endedRun(runId)).reply?.text, 'Done.')
    assert.equal(scene.target.seen.length, 3)
  },
)

verifies(
  'permissions:reads-across',
  'calls of one step were written before any answer, so they run; the channel’s limit counts too, and in the thread as well',
  async () => {
    await using scene = await startTwo([
      { calls: [order, search('status page')] },
      { text: 'Read both.' },
      { calls: [search('jane@example.com')] },
      { text: 'Never.' },
    ])
    const limited = await scene.app.api('PATCH', `/api/v1/channels/${scene.channelId}`, {
      readsAcross: 'one',
    })
    assert.equal(limited.status, 200, limited.text)
    const run = await scene.endedRun((await scene.sendEvent(await scene.createWebhook())).runId)
    assert.deepEqual(
      run.toolCalls.map(({ state }) => state),
      ['answered', 'answered'],
    )
    const member = await join(scene.app, 'member')
    await sayAs(scene, member, '@bellhop search for her', run.reply?.messageId ?? '')
    await until(async () => (await scene.messages()).some(({ card }) => card !== null))
    assert.deepEqual(scene.searches(), ['/search?q=status%20page'])
  },
)

verifies(
  'permissions:reads-across',
  'a run that looks back at an earlier event has read what was read for it',
  async () => {
    await using scene = await startTwo([
      { calls: [order] },
      { text: 'It belongs to jane@example.com.' },
      { calls: [{ name: 'earlier_events', input: {} }] },
      { calls: [search('jane@example.com')] },
    ])
    const webhook = await scene.createWebhook({ readsAcross: 'one' })
    await scene.endedRun((await scene.sendEvent(webhook)).runId)
    await scene.runWhen((await scene.sendEvent(webhook)).runId, ({ status }) => status === 'waiting')
    assert.deepEqual(scene.searches(), [])
  },
)

verifies(
  'permissions:reads-across',
  'a dry run asks nobody: a call that would ask is not sent; a person who asks without an event reads across',
  async () => {
    await using scene = await startTwo([
      { text: 'Seen.' },
      { calls: [order] },
      { calls: [search('jane@example.com')] },
      { text: 'Rehearsed.' },
      { calls: [order] },
      { calls: [search('of a person')] },
      { text: 'Found.' },
    ])
    const webhook = await scene.createWebhook({ readsAcross: 'one' })
    const { runId, eventId } = await scene.sendEvent(webhook)
    await scene.endedRun(runId)
    const path = `/api/v1/events/${eventId}/replay`
    const replay = await scene.app.api<{ id: string }>('POST', path, { dryRun: true })
    assert.equal(replay.status, 201, replay.text)
    const dry = await scene.endedRun(replay.body.id)
    assert.equal(dry.reply?.text, 'Rehearsed.')
    assert.match(
      dry.steps[1]?.calls[0]?.result ?? '',
      /^error denied: This is a dry run, so nothing was sent/,
    )
    assert.deepEqual(scene.searches(), [])
    const { items } = await scene.app.get<{ items: ApprovalShape[] }>(`/api/v1/approvals?runId=${dry.id}`)
    assert.deepEqual(items, [])

    await sayAs(scene, await join(scene.app, 'member'), '@bellhop find it')
    await until(async () => (await scene.replies()).some(({ text }) => text === 'Found.'))
    assert.deepEqual(scene.searches(), ['/search?q=of%20a%20person'])
    assert.doesNotMatch(textsOf(scene.model.requests.at(-1)?.json.messages).join('\n'), /asks an admin/)
  },
)

verifies(
  ['permissions:reads-across', 'api:merge-patch'],
  'an operator may set the limit and not take it away; null restores the default, and other words are refused',
  async () => {
    await using scene = await startTwo([{ text: 'Seen.' }])
    const operator = await join(scene.app, 'operator')
    const webhook = await scene.createWebhook()
    for (const path of [`/webhooks/${webhook.id}`, `/channels/${scene.channelId}`]) {
      const patch = (readsAcross: unknown) =>
        operator.visitor.send<{ readsAcross: string; type: string }>('PATCH', path, { readsAcross })
      assert.equal((await patch('some')).status, 422)
      assert.equal((await patch('one')).body.readsAcross, 'one')
      assert.deepEqual([(await patch('all')).status, (await patch('all')).body.type], [403, 'forbidden'])
      const lifted = await scene.app.api<{ readsAcross: string }>('PATCH', `/api/v1${path}`, {
        readsAcross: 'all',
      })
      assert.equal(lifted.body.readsAcross, 'all')
    }
  },
)
