import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { Db } from '../../src/platform/db/database.ts'
import type { Turn } from '../support/model-script.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { chooseModel, startShopOn } from '../support/start-shop.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { startStubOpenai } from '../support/stub-openai.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

/** The first model (Anthropic) plays a script for each of its names; the fallback (OpenAI) always answers. */
async function startTwoModels(scripts: Record<string, Turn[]>) {
  const asked: string[] = []
  await using stack = new AsyncDisposableStack()
  const first = stack.use(
    await startStubAnthropic(({ json }) => {
      const name = String(json.model)
      const script = scripts[name] ?? []
      const turn = script[Math.min(asked.filter((one) => one === name).length, script.length - 1)]
      asked.push(name)
      return turn ?? { text: `${name} answers.` }
    }),
  )
  const fallback = stack.use(await startStubOpenai([{ text: 'The fallback answers.' }]))
  const shop = stack.use(await startShopOn(await sharedApp(), { model: first }))
  await chooseModel(shop.app, fallback, 'fallbackModel')
  const opened = stack.move()
  return {
    ...shop,
    fallback,
    /** How often the first model was asked under this name. */
    timesAsked: (name: string) => asked.filter((one) => one === name).length,
    webhookOf: (name: string, fields: object = {}) =>
      shop.createWebhook({ model: { provider: 'anthropic', name }, ...fields }),
    async notices() {
      return (await shop.messages()).filter(({ text }) => text.includes('answers instead'))
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

verifies(
  ['models:fallback'],
  'the fallback answers for reasons that pass, after the retries of a rate limit, and never for a refusal',
  async () => {
    const passing: Record<string, [Turn[], number]> = {
      'claude-500': [[{ status: 500 }], 1],
      'claude-503': [[{ status: 503 }], 1],
      'claude-529': [[{ status: 529 }], 1],
      'claude-408': [[{ status: 408 }], 1],
      'claude-silent': [[{ hang: true }], 1],
      'claude-429': [[{ status: 429 }], 3],
      'claude-empty': [[{ text: '' }], 2],
    }
    const lasting: Record<string, [Turn[], string]> = {
      'claude-400': [[{ status: 400, message: 'Something is wrong with it.' }], 'model_error'],
      'claude-401': [[{ status: 401 }], 'model_key_refused'],
      'claude-403': [[{ status: 403 }], 'model_key_refused'],
      'claude-404': [[{ status: 404 }], 'model_not_found'],
    }
    const scripts = Object.entries({ ...passing, ...lasting }).map(([name, [turns]]) => [name, turns])
    await using scene = await startTwoModels(Object.fromEntries(scripts))
    await scene.app.api('PATCH', '/api/v1/settings', { limits: { modelSilenceSeconds: 4 } })
    const names = [...Object.keys(passing), ...Object.keys(lasting)]
    const runs = await Promise.all(
      names.map(async (name) => {
        const { runId } = await scene.sendEvent(await scene.webhookOf(name))
        return [name, await scene.endedRunWithoutPauses(runId)] as const
      }),
    )
    for (const [name, { reply, error, steps, model }] of runs) {
      assert.equal(model, `Anthropic · ${name}`)
      const [, outcome] = passing[name] ?? lasting[name] ?? []
      assert.equal(scene.timesAsked(name), typeof outcome === 'number' ? outcome : 1, name)
      if (typeof outcome === 'string') assert.equal(error?.code, outcome)
      else {
        assert.equal(reply?.text, 'The fallback answers.', name)
        assert.equal(steps.at(-1)?.model, 'OpenAI · gpt-5-mini')
      }
    }
    assert.equal(scene.fallback.requests.length, Object.keys(passing).length)
  },
)

verifies(
  ['models:fallback'],
  'a run whose model fails after a tool call is finished by the fallback: no call is repeated, and each step has its own price',
  async () => {
    await using scene = await startTwoModels({
      'claude-sonnet-midway': [
        { calls: [{ name: 'shop__get_order', input: { id: 'A-1' } }] },
        { status: 503 },
      ],
    })
    const run = await scene.endedRun(
      (await scene.sendEvent(await scene.webhookOf('claude-sonnet-midway'))).runId,
    )
    assert.equal(run.reply?.text, 'The fallback answers.')
    assert.deepEqual(
      run.steps.map(({ model, cost }) => [model, cost]),
      [
        ['Anthropic · claude-sonnet-midway', (100 * 3 + 20 * 15) / 1e6],
        ['OpenAI · gpt-5-mini', (100 * 0.25 + 20 * 2) / 1e6],
      ],
    )
    assert.deepEqual(
      scene.target.seen.map(({ url }) => url),
      ['/orders/A-1'],
    )
    assert.match(scene.fallback.requests[0]?.body ?? '', /function_call_output/)
  },
)

verifies(
  ['models:fallback'],
  'a switch is announced once; the first model is not asked for 5 minutes, then again, and answers from there on',
  async () => {
    const name = 'claude-comes-back'
    await using scene = await startTwoModels({ [name]: [{ status: 503 }, { text: 'I am back.' }] })
    const webhook = await scene.webhookOf(name)
    const replyOf = async () => (await scene.endedRun((await scene.sendEvent(webhook)).runId)).reply?.text
    assert.equal(await replyOf(), 'The fallback answers.')
    assert.equal(await replyOf(), 'The fallback answers.')
    assert.equal(scene.timesAsked(name), 1)
    const [notice, ...more] = await scene.notices()
    assert.equal(more.length, 0)
    assert.match(
      notice?.text ?? '',
      /^⚠️ The model Anthropic · claude-comes-back does not answer at the moment, so OpenAI · gpt-5-mini answers instead\./,
    )
    await fiveMinutesPass(scene.app.app.ctx.db)
    assert.equal(await replyOf(), 'I am back.')
    assert.equal(await replyOf(), 'I am back.')
    assert.equal(scene.timesAsked(name), 3)
    assert.equal((await scene.notices()).length, 1)
  },
)

async function fiveMinutesPass(db: Db): Promise<void> {
  await sql`update model_outages set fallback_until = fallback_until - interval '5 minutes'`.execute(db)
  await sql`select pg_notify('bellhop_outages', '')`.execute(db)
}

verifies(
  ['models:fallback', 'models:configured'],
  'a webhook and a schedule may name their own fallback; the fallback of the settings has its own key, which is tested, kept and never shown',
  async () => {
    await using scene = await startTwoModels({ 'claude-down': [{ status: 503 }] })
    const own = { fallbackModel: { provider: 'openai', name: 'gpt-5-own' } }
    const webhook = await scene.webhookOf('claude-down', own)
    const run = await scene.endedRun((await scene.sendEvent(webhook)).runId)
    assert.equal(run.steps.at(-1)?.model, 'OpenAI · gpt-5-own')
    assert.equal(scene.fallback.requests[0]?.json.model, 'gpt-5-own')

    const { app } = scene
    const schedule = await app.api<{ id: string; fallbackModel: object }>('POST', '/api/v1/schedules', {
      ...{ name: 'Report', channelId: scene.channelId, prompt: 'Report.', cron: '0 9 * * *' },
      ...{ model: { provider: 'anthropic', name: 'claude-down' }, ...own },
    })
    assert.deepEqual(schedule.body.fallbackModel, own.fallbackModel, schedule.text)
    const started = await app.api<{ id: string }>('POST', `/api/v1/schedules/${schedule.body.id}/run-now`)
    assert.equal(started.status, 200, started.text)
    await until(async () => (await scene.replies()).length === 2)
    assert.deepEqual(
      scene.fallback.requests.map(({ json }) => json.model),
      ['gpt-5-own', 'gpt-5-own'],
    )

    const tested = await app.api('POST', '/api/v1/settings/model/test', { of: 'fallbackModel' })
    assert.deepEqual([tested.body.ok, tested.body.model], [true, 'OpenAI · gpt-5-mini'])
    const saved = await app.api<{ fallbackModel: object }>('PATCH', '/api/v1/settings', {
      fallbackModel: { maxOutputTokens: 9000 },
    })
    assert.deepEqual(saved.body.fallbackModel, {
      provider: 'openai',
      name: 'gpt-5-mini',
      baseUrl: scene.fallback.baseUrl,
      contextTokens: null,
      maxOutputTokens: 9000,
      apiKey: { set: true },
      label: 'OpenAI · gpt-5-mini',
    })
    assert.ok(!saved.text.includes('planted-model-key'))
    const moved = await app.api('PATCH', '/api/v1/settings', {
      fallbackModel: { provider: 'google', name: 'g' },
    })
    assert.equal(moved.status, 422)
    assert.match(moved.text, /"\/fallbackModel\/apiKey"/)
    const none = await app.api('PATCH', '/api/v1/settings', { fallbackModel: null })
    assert.equal(none.body.fallbackModel, null)
  },
)

verifies(
  ['models:output-limit'],
  'the most tokens of an answer are what the settings say, also for a model that nobody knows',
  async () => {
    await using model = await startStubAnthropic([{ text: 'Done.' }])
    await using shop = await startShopOn(await sharedApp(), { model })
    await shop.app.api('PATCH', '/api/v1/settings', {
      model: { name: 'house-model', maxOutputTokens: 32_000 },
    })
    await shop.endedRun((await shop.sendEvent(await shop.createWebhook())).runId)
    assert.equal(model.requests[0]?.json.max_tokens, 32_000)
  },
)
