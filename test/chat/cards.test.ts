import assert from 'node:assert/strict'
import type { Message } from '../../src/chat/contract.ts'
import { join } from '../accounts/visitor.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startShopOn } from '../support/start-shop.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

async function startAsking(tool: 'refund' | 'drop_order') {
  await using stack = new AsyncDisposableStack()
  const model = stack.use(
    await startStubAnthropic((_request, index) =>
      index === 0 ? { calls: [{ name: `shop__${tool}`, input: { id: 'A-1' } }] } : { text: 'Done.' },
    ),
  )
  const shop = stack.use(await startShopOn(await sharedApp(), { model }))
  const webhook = await shop.createWebhook({ ceiling: 'destructive' })
  const { runId } = await shop.ring(webhook)
  const cards = async () => (await shop.messages()).filter(({ card }) => card !== null)
  await until(async () => (await cards()).length === 1)
  const [card] = await cards()
  assert.ok(card)
  const opened = stack.move()
  return { ...shop, runId, card, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

verifies(
  ['chat:cards', 'approvals:who-confirms'],
  'on the card a signed-in admin confirms; members, operators and API keys are refused, a typed yes does nothing',
  async () => {
    await using shop = await startAsking('drop_order')
    const path = `/messages/${shop.card.id}/decision`
    const approve = { decision: 'approve' }
    for (const role of ['member', 'operator'] as const) {
      const person = await join(shop.app, role)
      assert.equal((await person.visitor.send('POST', path, approve)).body.type, 'forbidden')
    }
    assert.equal((await shop.app.api('POST', `/api/v1${path}`, approve)).status, 403)
    await shop.app.api('POST', `/api/v1/channels/${shop.channelId}/messages`, {
      text: 'yes',
      threadId: shop.card.id,
    })
    assert.equal((await shop.readRun(shop.runId)).status, 'waiting')
    assert.equal(shop.target.seen.length, 0)

    const admin = await join(shop.app, 'admin')
    const decided = await admin.visitor.send('POST', path, approve)
    const run = await shop.endedRun(shop.runId)
    const again = await admin.visitor.send('POST', path, { decision: 'deny' })

    assert.equal(decided.status, 200)
    assert.equal(run.status, 'succeeded')
    assert.equal(shop.target.seen.length, 1)
    assert.equal(again.body.type, 'approval-not-pending')
    await until(async () => {
      const { card } = await shop.app.get<Message>(`/api/v1/messages/${shop.card.id}`)
      return card?.state === 'approved' && card.decidedBy === 'The admin'
    })
  },
)

verifies('chat:cards', 'a denial with its reason closes the card and nothing is sent', async () => {
  await using shop = await startAsking('refund')
  const admin = await join(shop.app, 'admin')
  const body = { decision: 'deny', reason: 'Not today' }
  assert.equal((await admin.visitor.send('POST', `/messages/${shop.card.id}/decision`, body)).status, 200)
  await shop.endedRun(shop.runId)

  assert.equal(shop.target.seen.length, 0)
  await until(async () => {
    const { card } = await shop.app.get<Message>(`/api/v1/messages/${shop.card.id}`)
    return card?.state === 'denied' && card.title.includes('Not today')
  })
})
