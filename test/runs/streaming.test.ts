import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { createLog } from '../../src/platform/log.ts'
import { type Turn, writeEvents } from '../support/model-script.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startShop, startShopOn } from '../support/start-shop.ts'
import { type Provider, providers, startStubModel } from '../support/start-stub-model.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { startStubOpenai } from '../support/stub-openai.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

const stream = (...events: object[]): Turn => ({
  write: (response) => writeEvents(response, events.map(toEvent)),
})
const toEvent = (event: object) => `data: ${JSON.stringify(event)}`
const piece = (delta: object, more: object = {}) => ({ choices: [{ index: 0, delta, ...more }] })

/** How each provider begins a stream, and how it says in the middle of one that it fails. */
const streams: Record<Provider, { begins: object; fails: object }> = {
  anthropic: {
    begins: {
      type: 'message_start',
      message: { id: 'msg_1', type: 'message', role: 'assistant', usage: {} },
    },
    fails: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
  },
  openai: {
    begins: { type: 'response.created', response: { id: 'resp_1', output: [] } },
    fails: { type: 'response.failed', response: { error: { code: 'server_error', message: 'Sorry' } } },
  },
  google: {
    begins: { candidates: [{ content: { role: 'model', parts: [{ text: 'Ha' }] } }] },
    fails: { error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } },
  },
  'openai-compatible': {
    begins: piece({ role: 'assistant', content: 'Ha' }),
    fails: { error: { code: 502, message: 'Upstream is gone' } },
  },
}

for (const provider of providers) {
  verifies(
    ['models:streamed', 'runs:model-errors'],
    `${provider}: a stream that breaks off or fails in its middle is asked for again`,
    async () => {
      const { begins, fails } = streams[provider]
      await using model = await startStubModel(provider, [
        stream(begins),
        stream(begins, fails),
        { text: 'Whole, in two pieces.' },
      ])
      await using shop = await startShopOn(await sharedApp(), { model })
      const run = await shop.endedRunWithoutPauses((await shop.sendEvent(await shop.createWebhook())).runId)
      assert.deepEqual([run.status, run.reply?.text], ['succeeded', 'Whole, in two pieces.'])
      assert.equal(model.requests.length, 3)
      assert.deepEqual(run.usage, { inputTokens: 100, outputTokens: 20 })
    },
  )
}

verifies(
  'models:streamed',
  'a server that refuses to stream is asked without from then on, and one that numbers no calls is understood',
  async () => {
    const refusal = 'Your organization must be verified to stream this model.'
    await using strict = await startStubOpenai(({ json }) =>
      json.stream ? { status: 400, message: refusal } : { text: 'In one piece.' },
    )
    const call = (id: string, input: string, more: object = {}) =>
      piece({
        tool_calls: [
          { id, type: 'function', function: { name: 'shop__get_order', arguments: input }, ...more },
        ],
      })
    await using odd = await startStubOpenai([
      stream(
        call('a', '{"id":"A-1"}', { index: 0 }),
        call('b', '{"id":', { index: 0 }),
        piece({ tool_calls: [{ index: 0, function: { arguments: '"A-2"}' } }] }),
        call('c', '{"id":"A-3"}'),
        piece({}, { finish_reason: 'tool_calls' }),
      ),
      { text: 'Seen three.' },
    ])
    const app = await sharedApp()
    for (const [model, requests, reply] of [
      [{ ...strict, env: strict.env }, 3, 'In one piece.'],
      [{ ...odd, env: odd.compatibleEnv }, 2, 'Seen three.'],
    ] as const) {
      await using shop = await startShopOn(app, { model })
      const webhook = await shop.createWebhook()
      const run = await shop.endedRun((await shop.sendEvent(webhook)).runId)
      assert.equal(run.reply?.text, reply)
      if (model.env === strict.env) await shop.endedRun((await shop.sendEvent(webhook)).runId)
      assert.equal(model.requests.length, requests)
      if (model.env === strict.env) continue
      const inputs = run.toolCalls.map(({ input }) => input)
      assert.deepEqual(inputs, [{ id: 'A-1' }, { id: 'A-2' }, { id: 'A-3' }])
    }
  },
)

verifies(
  ['models:silence', 'log:one-line-per-unit'],
  'a model call without a byte for the set time is given up and tried again; a slow one that sends goes on, and both are shown',
  async () => {
    const lines: string[] = []
    const destination = { write: (line: string) => void lines.push(line) }
    const log = await createLog({ level: 'warn', pretty: false, destination })
    const slow = Promise.withResolvers<ServerResponse>()
    let hungUp = false
    await using model = await startStubAnthropic([
      {
        hang: true,
        onHungUp: () => {
          hungUp = true
        },
      },
      { write: (response) => slow.resolve(response) },
    ])
    await using shop = await startShop({ env: model.env, log })
    await shop.app.api('PATCH', '/api/v1/settings', { limits: { modelSilenceSeconds: 2 } })
    const { runId } = await shop.sendEvent(await shop.createWebhook())
    const hanging = await shop.runWhen(runId, ({ modelSilence }) => modelSilence !== null)
    const { since = '', until = '' } = hanging.modelSilence ?? {}
    assert.equal(Date.parse(until) - Date.parse(since), 2000)

    const response = await slow.promise
    assert.ok(hungUp)
    response.setHeader('content-type', 'text/event-stream')
    // Each silence is longer than half of the time, and all of them together are longer than it.
    for (const event of [
      { type: 'message_start', message: { id: 'msg_1', type: 'message', role: 'assistant' } },
      { type: 'ping' },
    ]) {
      await shop.runWhen(runId, ({ modelSilence }) => modelSilence !== null)
      response.write(`${toEvent(event)}\n\n`)
      await shop.runWhen(runId, ({ modelSilence }) => modelSilence === null)
    }
    const text = { type: 'text', text: 'Late, but here.' }
    response.end(
      [
        { type: 'content_block_start', index: 0, content_block: text },
        { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 3 } },
        { type: 'message_stop' },
      ]
        .map((event) => `${toEvent(event)}\n\n`)
        .join(''),
    )
    assert.equal((await shop.endedRun(runId)).reply?.text, 'Late, but here.')
    assert.equal(model.requests.length, 2)
    const seen = lines.map((line) => JSON.parse(line)).filter(({ runId: id }) => id === runId)
    assert.deepEqual(
      seen.map(({ msg }) => msg),
      ['model.silent', 'model.failed', 'model.silent', 'model.silent'],
    )
    assert.match(seen[1].problem, /sent nothing for 2 s, so the call was given up/)
  },
)
