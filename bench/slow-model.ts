import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { defaultSettings } from '../src/settings/open-settings.ts'
import { completion } from './completion.ts'
import { startBenchDatabase } from './database.ts'
import { sendEvents, serve } from './runs.ts'
import { startBenchService } from './service.ts'

const events = 500
const modelMs = 2_000

export type SlowModelFigures = {
  /** How long 500 replies take, over (500 ÷ runs at once) × 2 s, with one worker process and with two. Goal: 1.3. */
  timesOfOne: number
  timesOfTwo: number
}

/** A model that needs 2 s: what counts is how many runs wait for it at once. */
export async function benchSlowModel(): Promise<SlowModelFigures> {
  return { timesOfOne: await measure(1), timesOfTwo: await measure(2) }
}

async function measure(workers: number): Promise<number> {
  await using stack = new AsyncDisposableStack()
  const model = await serve(stack, async (request, response) => {
    request.resume()
    await pause(modelMs)
    response.setHeader('content-type', 'application/json').end(completion('It came.'))
  })
  const database = await (await startBenchDatabase(stack)).create('slow_model')
  const env = {
    ...database,
    MODEL_PROVIDER: 'openai-compatible',
    MODEL_NAME: 'slow',
    MODEL_BASE_URL: `http://127.0.0.1:${model}/v1`,
  }
  const service = stack.use(await startBenchService(env))
  for (let n = 1; n < workers; n++) stack.use(await startBenchService({ ...env, ROLE: 'worker' }))
  const client = new pg.Client({ connectionString: database.DATABASE_URL })
  await client.connect()
  stack.defer(() => client.end())
  const channel = await service.call<{ id: string }>('POST', '/api/v1/channels', { name: 'slow' })
  // Two, since one alone gets half of the places.
  const urls: string[] = []
  for (const name of ['Slow', 'Slow too']) {
    const webhook = await service.call<{ endpointUrl: string }>('POST', '/api/v1/webhooks', {
      name,
      channelId: channel.id,
      prompt: 'Say what came.',
      rateLimit: null,
      concurrency: events,
    })
    urls.push(webhook.endpointUrl)
  }
  const startedAt = performance.now()
  await sendEvents(urls, events)
  for (;;) {
    const { rows } = await client.query(`select count(*)::int as done from events where status = 'done'`)
    if (rows[0].done === events) break
    await pause(50)
  }
  const idealMs = (events / (defaultSettings.limits.activeRuns * workers)) * modelMs
  return (performance.now() - startedAt) / idealMs
}
