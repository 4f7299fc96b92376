import assert from 'node:assert/strict'
import { cutNesting } from '../../src/platform/json/cut-nesting.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startShopOn } from '../support/start-shop.ts'
import { providers, startStubModel } from '../support/start-stub-model.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { startStubOpenai } from '../support/stub-openai.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

const deep = `${'{"id":'.repeat(100_000)}"A-1"${'}'.repeat(100_000)}`

for (const provider of providers) {
  verifies(
    ['runs:journal', 'models:providers'],
    `${provider}: an input that is nested too deeply to be parsed again is not stored; its call is refused, and the run continues after a wait`,
    async () => {
      await using model = await startStubModel(provider, [
        {
          calls: [
            { name: 'shop__get_order', input: deep },
            { name: 'shop__refund', input: { id: 'A-1' } },
          ],
        },
        { text: 'Paid back.' },
      ])
      await using shop = await startShopOn(await sharedApp(), { model })
      const { runId } = await shop.sendEvent(await shop.createWebhook())
      const waiting = await shop.runWhen(runId, ({ status }) => status === 'waiting')
      assert.equal(waiting.steps[0]?.calls[0]?.input, '(nested deeper than 500 levels)')
      const { approvalId } = waiting.toolCalls.find(({ tool }) => tool === 'shop__refund') ?? {}
      assert.equal((await shop.app.api('POST', `/api/v1/approvals/${approvalId}/approve`, {})).status, 200)
      const run = await shop.endedRun(runId)
      assert.deepEqual([run.status, run.reply?.text], ['succeeded', 'Paid back.'])
      assert.deepEqual(
        shop.target.seen.map(({ url }) => url),
        ['/orders/A-1/refund'],
      )
      assert.match(model.requests[1]?.body ?? '', /not valid JSON/)
    },
  )
}

/** Inputs as providers write them: as an object, as text, and as an object where text is due. */
const callWith = {
  anthropic: (input: string) =>
    `{"id":"m","type":"message","role":"assistant","model":"m","content":[{"type":"tool_use","id":"c","name":"shop__get_order","input":${input}}],"stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}}`,
  'openai-compatible': (input: string) => chatCall(JSON.stringify(input)),
  'openai-compatible, as an object': chatCall,
}

function chatCall(input: string): string {
  return `{"id":"m","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"shop__get_order","arguments":${input}}}]}}],"usage":{"prompt_tokens":1,"completion_tokens":1}}`
}

for (const [how, write] of Object.entries(callWith)) {
  const provider = how === 'anthropic' ? how : 'openai-compatible'
  verifies(
    ['runs:model-errors', 'models:bounded'],
    `${how}: an answer with a hundred thousand values is not asked for again, and the run ends with a notice`,
    async () => {
      const members = Array.from({ length: 100_000 }, (_, n) => `"k${n}":${n}`)
      await using model = await startStubModel(provider, [{ body: write(`{${members.join(',')}}`) }])
      await using shop = await startShopOn(await sharedApp(), { model })
      const run = await shop.endedRun((await shop.sendEvent(await shop.createWebhook())).runId)
      assert.deepEqual([run.status, run.error?.code], ['failed', 'model_error'])
      assert.match(run.error?.message ?? '', /more than 20,971 values/)
      assert.equal(model.requests.length, 1)
      assert.equal((await shop.replies()).length, 1)
    },
  )

  verifies(
    ['runs:model-errors', 'models:bounded'],
    `${how}: whatever is nested a hundred thousand levels deep, its call is refused, and what stands beside it is read`,
    async () => {
      const input = `{"deep":${deep},"id":"A-1","text":"]}{["}`
      const refused = { text: 'Refused.' }
      await using model = await startStubModel(provider, [{ body: write(input) }, refused])
      await using shop = await startShopOn(await sharedApp(), { model })
      const run = await shop.endedRun((await shop.sendEvent(await shop.createWebhook())).runId)
      assert.deepEqual([run.status, run.reply?.text], ['succeeded', 'Refused.'])
      assert.equal(run.steps[0]?.calls[0]?.input, '(nested deeper than 500 levels)')
      assert.equal(shop.target.seen.length, 0)
    },
  )
}

verifies(
  'models:bounded',
  'JSON is cut below a depth and stays JSON: brackets in texts do not count, and what is shallow enough is the same text',
  () => {
    const text = '{"a":[{"b":["x]}"]},"\\"[[",[]],"c":{"d":{"e":[1]}},"f":"\\\\"}'
    assert.equal(cutNesting(text, 4), text)
    assert.equal(cutNesting(text, 3), '{"a":[{"b":null},"\\"[[",[]],"c":{"d":{"e":null}},"f":"\\\\"}')
    assert.equal(cutNesting(text, 1), '{"a":null,"c":null,"f":"\\\\"}')
    assert.equal(cutNesting('[[[1', 2), '[[null')
    assert.equal(cutNesting('["[[', 1), '["[[')
  },
)

verifies(
  ['runs:journal', 'models:providers'],
  'an answer with fractional, negative, huge or unreadable token counts is stored, and the model is not asked again',
  async () => {
    const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Seen.' } }]
    const answer = (prompt: unknown, completion: unknown) => ({
      body: JSON.stringify({
        id: 'a',
        object: 'chat.completion',
        created: 1,
        model: 'm',
        choices,
        usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: 1 },
      }),
    })
    await using model = await startStubOpenai([answer(5.5, 1e15), answer(-7, 3), answer('12', [])])
    await using shop = await startShopOn(await sharedApp(), { model: { env: model.compatibleEnv } })
    const webhook = await shop.createWebhook()
    const counts = []
    for (let n = 0; n < 3; n++) {
      const { status, usage } = await shop.endedRun((await shop.sendEvent(webhook)).runId)
      counts.push([status, usage.inputTokens, usage.outputTokens])
    }
    assert.deepEqual(counts, [
      ['succeeded', 5, 2 ** 31 - 1],
      ['succeeded', 0, 3],
      ['succeeded', 0, 0],
    ])
    assert.equal(model.requests.length, 3)
  },
)

verifies(
  ['runs:budgets', 'models:providers'],
  'a server that does not count cached tokens as read makes no run cheaper than free',
  async () => {
    const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Seen.' } }]
    const usage = {
      prompt_tokens: 100,
      completion_tokens: 0,
      prompt_tokens_details: { cached_tokens: 1_000_000 },
    }
    await using model = await startStubOpenai([{ body: JSON.stringify({ choices, usage }) }])
    await using shop = await startShopOn(await sharedApp(), { model: { env: model.compatibleEnv } })
    await shop.app.api('PATCH', '/api/v1/settings', {
      prices: { [model.compatibleEnv.MODEL_NAME]: { input: 4, output: 4, cacheRead: 1 } },
    })
    const { cost } = await shop.endedRun((await shop.sendEvent(await shop.createWebhook())).runId)
    assert.equal(cost, 1)
  },
)
