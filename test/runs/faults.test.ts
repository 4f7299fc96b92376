import assert from 'node:assert/strict'
import { faultPoints } from '../support/fault-points.ts'
import { startShop } from '../support/start-shop.ts'
import { autoTools, strikeRun } from '../support/strike-run.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { verifies } from '../support/verifies.ts'

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
      tools: autoTools,
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
      const run = await shop.hurriedRun((await shop.ring(webhook)).runId)
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
    const bad = await shop.hurriedRun((await shop.ring(webhook)).runId)
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

verifies(
  ['runs:journal', 'runs:one-worker', 'runs:no-repeated-write'],
  'a worker that is killed right after a step was saved is followed by another, which asks the model only for the rest',
  async () => {
    const { run, replies, writes, modelCalls } = await strikeRun('step.saved', 'SIGKILL')
    assert.deepEqual([run.status, run.reply?.text, replies.length], ['succeeded', 'Paid back.', 1])
    assert.deepEqual([writes, modelCalls], [1, 2])
  },
)

verifies(
  ['runs:one-worker', 'runs:outbox'],
  'a worker that was frozen before its reply went out finds that the run is another’s, and posts nothing more',
  async () => {
    const { run, replies, writes } = await strikeRun('reply.saved', 'SIGSTOP')
    assert.deepEqual([run.status, run.reply?.text, replies.length, writes], ['succeeded', 'Paid back.', 1, 1])
  },
)

verifies(
  ['runs:no-repeated-write'],
  'a worker that dies while a write is under way leaves an unknown outcome: it is not sent again, and the model is told',
  async () => {
    const { run, replies, writes } = await strikeRun('tool.asked', 'SIGKILL')
    assert.deepEqual([run.status, replies.length, writes], ['succeeded', 1, 1])
    const refund = run.toolCalls.find(({ tool }) => tool === 'shop__refund')
    assert.deepEqual([refund?.state, refund?.error?.code], ['unknown', 'outcome_unknown'])
    assert.match(run.steps[0]?.calls[0]?.result ?? '', /^error outcome_unknown: .*not sent again/)
  },
)
