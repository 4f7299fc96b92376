import assert from 'node:assert/strict'
import { shopTools, startShop } from '../support/start-shop.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { verifies } from '../support/verifies.ts'

export const faultPoints = [
  'run.started',
  'run.taken',
  'model.answered',
  'step.saved',
  'tools.before',
  'tools.after',
  'reply.saved',
  'reply.posted',
  'run.ended',
]

/** A write that needs nobody's yes, so that nothing but the journal keeps it from being sent twice. */
const tools = shopTools.map((tool) => (tool.name === 'refund' ? { ...tool, permission: 'auto' } : tool))

verifies(
  ['runs:journal', 'runs:no-repeated-write', 'runs:outbox'],
  'an exception at any point of a run leads to one reply all the same, and no write is repeated',
  async () => {
    await using model = await startStubAnthropic(({ body }) =>
      body.includes('tool_result')
        ? { text: 'Paid back.' }
        : {
            calls: [
              { name: 'shop__refund', input: { id: 'A-1' } },
              { name: 'shop__get_order', input: { id: 'A-1' } },
            ],
          },
    )
    let planned = ''
    const struck: string[] = []
    await using shop = await startShop({
      env: model.env,
      tools,
      faults(point) {
        if (point !== planned) return
        planned = ''
        struck.push(point)
        throw new Error(`a planned fault at ${point}`)
      },
    })
    const webhook = await shop.createWebhook()
    for (const point of faultPoints) {
      const [writes, replies, asked] = [countWrites(), (await shop.replies()).length, model.requests.length]
      planned = point
      const run = await shop.endedRun((await shop.ring(webhook)).runId)
      assert.deepEqual([point, run.status, run.reply?.text], [point, 'succeeded', 'Paid back.'])
      assert.equal(countWrites() - writes, 1, `writes with a fault at ${point}`)
      assert.equal((await shop.replies()).length - replies, 1, `replies with a fault at ${point}`)
      // A model call is paid for twice only if its answer could not be written down.
      assert.equal(
        model.requests.length - asked,
        point === 'model.answered' ? 3 : 2,
        `model calls with a fault at ${point}`,
      )
    }
    assert.deepEqual(struck, faultPoints)

    function countWrites(): number {
      return shop.target.seen.filter(({ method }) => method === 'POST').length
    }
  },
)

verifies(
  ['runs:failure-notice', 'dispatch:dead-letter'],
  'a run that fails at every try ends with one notice after five, and others go on',
  async () => {
    await using model = await startStubAnthropic([{ text: 'Fine.' }])
    let poison = true
    await using shop = await startShop({
      env: model.env,
      faults(point) {
        if (poison && point === 'model.answered') throw new Error('poison')
      },
    })
    const webhook = await shop.createWebhook()
    const bad = await shop.endedRun((await shop.ring(webhook)).runId, 60_000)
    assert.deepEqual([bad.status, bad.error?.code], ['failed', 'internal_error'])
    assert.equal(model.requests.length, 5)
    poison = false
    assert.equal((await shop.endedRun((await shop.ring(webhook)).runId)).status, 'succeeded')
    const notices = (await shop.replies()).filter(({ author }) => author.kind === 'system')
    assert.deepEqual(
      notices.map(({ runId }) => runId),
      [bad.id],
    )
    assert.match(notices[0]?.text ?? '', /could not finish.*\/runs\/run_/)
  },
)
