import assert from 'node:assert/strict'
import type { Turn } from '../support/model-script.ts'
import { startShop } from '../support/start-shop.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { verifies } from '../support/verifies.ts'

/** One run after another on one app: what each script leads to. */
const cases: { says: string; script: Turn[]; status: string; code?: string; reply: RegExp; calls: number }[] =
  [
    {
      says: 'a rate limit is waited for as long as the provider says',
      script: [{ status: 429, headers: { 'retry-after': '1' } }, { text: 'After the pause.' }],
      status: 'succeeded',
      reply: /^After the pause\.$/,
      calls: 2,
    },
    {
      says: 'an overloaded provider is asked again',
      script: [{ status: 529 }, { status: 500 }, { text: 'At last.' }],
      status: 'succeeded',
      reply: /^At last\.$/,
      calls: 3,
    },
    {
      says: 'a refused key ends the run with the way out',
      script: [{ status: 401, message: 'invalid x-api-key' }],
      status: 'failed',
      code: 'model_key_refused',
      reply: /API key.*Settings → Model/,
      calls: 1,
    },
    {
      says: 'an unknown model ends the run',
      script: [{ status: 404, message: 'model: nope' }],
      status: 'failed',
      code: 'model_not_found',
      reply: /not known to its provider/,
      calls: 1,
    },
    {
      says: 'a conversation that is too long ends the run',
      script: [{ status: 400, message: 'prompt is too long: 250000 tokens > 200000 maximum' }],
      status: 'failed',
      code: 'context_overflow',
      reply: /more to read than the model can hold/,
      calls: 1,
    },
    {
      says: 'a tool that does not exist is told to the model',
      script: [{ calls: [{ name: 'shop__fly', input: {} }] }, { text: 'There is none.' }],
      status: 'succeeded',
      reply: /^There is none\.$/,
      calls: 2,
    },
    {
      says: 'an input that does not fit the schema is told to the model',
      script: [{ calls: [{ name: 'shop__get_order', input: { id: 7 } }] }, { text: 'My mistake.' }],
      status: 'succeeded',
      reply: /^My mistake\.$/,
      calls: 2,
    },
    {
      says: 'one empty answer gets a nudge',
      script: [{ text: '' }, { text: 'Here it is.' }],
      status: 'succeeded',
      reply: /^Here it is\.$/,
      calls: 2,
    },
    {
      says: 'two empty answers end the run',
      script: [{ text: '' }],
      status: 'failed',
      code: 'empty_answer',
      reply: /empty answer/,
      calls: 2,
    },
    {
      says: 'a refusal ends the run with a notice',
      script: [{ text: '', stop: 'refusal' }],
      status: 'failed',
      code: 'model_refused',
      reply: /declined/,
      calls: 1,
    },
    {
      says: 'an answer that was cut off says so',
      script: [{ text: 'The first half', stop: 'length' }],
      status: 'succeeded',
      reply: /^The first half\n\n_\(cut off/,
      calls: 1,
    },
  ]

verifies(
  ['runs:model-errors', 'runs:failure-notice'],
  'each way a model can fail is retried, fed back or ended with a notice',
  async () => {
    let script: Turn[] = []
    let asked = 0
    await using model = await startStubAnthropic(() => {
      // A script has at least one turn, and the last one is played again.
      const turn = script[Math.min(asked++, script.length - 1)] as Turn
      return turn
    })
    await using shop = await startShop({ env: model.env })
    const webhook = await shop.createWebhook()
    for (const expected of cases) {
      script = expected.script
      asked = 0
      const run = await shop.endedRun((await shop.ring(webhook)).runId, 30_000)
      assert.deepEqual(
        [expected.says, run.status, run.error?.code, asked],
        [expected.says, expected.status, expected.code, expected.calls],
      )
      assert.match(run.reply?.text ?? '', expected.reply, expected.says)
    }
    // Every run has one message, whatever became of it.
    const replies = await shop.replies()
    assert.equal(replies.length, cases.length)
    assert.equal(new Set(replies.map(({ runId }) => runId)).size, cases.length)
    assert.equal(shop.target.seen.length, 0)
    const told = model.requests.map(({ body }) => body)
    assert.ok(told.some((body) => body.includes('There is no tool shop__fly')))
    assert.ok(told.some((body) => body.includes('error invalid_input')))
    assert.ok(told.some((body) => body.includes('Your last answer was empty')))
  },
)

verifies(
  ['runs:budgets'],
  'a run ends with a notice when it has used its steps, its tokens or its cost',
  async () => {
    await using model = await startStubAnthropic([
      { calls: [{ name: 'shop__get_order', input: { id: 'A-1' } }] },
    ])
    await using shop = await startShop({ env: model.env })
    const webhook = await shop.createWebhook()
    await shop.app.api('PATCH', '/api/v1/settings', { limits: { stepsPerRun: 3 } })
    const steps = await shop.endedRun((await shop.ring(webhook)).runId)
    assert.deepEqual([steps.status, steps.error?.code, steps.steps.length], ['failed', 'steps_exceeded', 3])
    assert.match(steps.reply?.text ?? '', /more steps than a run may take/)
    await shop.app.api('PATCH', '/api/v1/settings', { limits: { stepsPerRun: 100, tokensPerRun: 1000 } })
    const tokens = await shop.endedRun((await shop.ring(webhook)).runId)
    assert.deepEqual([tokens.status, tokens.error?.code], ['failed', 'tokens_exceeded'])
    assert.equal(tokens.usage.inputTokens + tokens.usage.outputTokens, 1080)
    const priced = await shop.app.api('PATCH', '/api/v1/settings', {
      limits: { tokensPerRun: 1_000_000, costPerRun: 0.5 },
      prices: { [model.env.MODEL_NAME]: { input: 1000, output: 1000 } },
    })
    assert.equal(priced.status, 200, priced.text)
    const cost = await shop.endedRun((await shop.ring(webhook)).runId)
    assert.deepEqual([cost.status, cost.error?.code], ['failed', 'cost_exceeded'])
    const { body } = await shop.app.api<{ limits: Record<string, number> }>('GET', '/api/v1/settings')
    assert.equal(body.limits.workSecondsPerRun, 600)
  },
)

verifies('runs:budgets', 'a model that never answers costs the run its time and then ends it', async () => {
  await using model = await startStubAnthropic([{ hang: true }])
  await using shop = await startShop({ env: model.env })
  await shop.app.api('PATCH', '/api/v1/settings', { limits: { workSecondsPerRun: 10 } })
  const run = await shop.endedRun((await shop.ring(await shop.createWebhook())).runId, 40_000)
  assert.deepEqual([run.status, run.error?.code], ['failed', 'time_exceeded'])
})
