import type { RequestListener } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { temporaryFolder } from '../test/support/temporary-folder.ts'
import { completion } from './completion.ts'
import { quantile } from './quantile.ts'
import { sendEvents, serve, settled } from './runs.ts'
import { type BenchService, startBenchService } from './service.ts'

const runs = 1_000
const rounds = 5
const deliveriesPerRound = 1_000
/** Until memory that only the start needs has been released. */
const restMs = 20_000

export type WaitingFigures = {
  idleMemoryMb: number
  /** What 1,000 runs that wait for an admin add. Goal: 10 at most. */
  waitingAddsMb: number
  /** The accept rate with them divided by the rate without them. Goal: about 1. */
  acceptRatio: number
}

/**
 * Two services that did the same work: in one the runs have ended, in the other they wait for approval. Both are restarted before
 * they are measured, so that only the waiting makes a difference.
 */
export async function benchWaiting(): Promise<WaitingFigures> {
  await using stack = new AsyncDisposableStack()
  const port = await serve(stack, answerAsModel)
  const env = {
    MODEL_PROVIDER: 'openai-compatible',
    MODEL_NAME: 'instant',
    MODEL_BASE_URL: `http://127.0.0.1:${port}/v1`,
  }
  const endedHouse = await fillInstallation(stack, env, 'Say that it is done.')
  const waitingHouse = await fillInstallation(stack, env, 'Please refund.')
  const ended = await reopen(stack, env, endedHouse)
  const waiting = await reopen(stack, env, waitingHouse)
  await pause(restMs)
  const memory = { ended: await ended.service.memoryMb(), waiting: await waiting.service.memoryMb() }
  const rates = { ended: [] as number[], waiting: [] as number[] }
  for (let round = 0; round <= rounds; round++) {
    const measured = { ended: await acceptRate(ended.url), waiting: await acceptRate(waiting.url) }
    // The first round warms up.
    if (round === 0) continue
    rates.ended.push(measured.ended)
    rates.waiting.push(measured.waiting)
  }
  return {
    idleMemoryMb: memory.ended,
    waitingAddsMb: memory.waiting - memory.ended,
    acceptRatio: quantile(rates.waiting, 0.5) / quantile(rates.ended, 0.5),
  }
}

type Installation = { dataDir: string; path: string }

/** A data folder whose runs are in the wanted state and whose agent is paused: only acceptance happens in it. */
async function fillInstallation(
  stack: AsyncDisposableStack,
  env: Record<string, string>,
  prompt: string,
): Promise<Installation> {
  const { path: dataDir } = stack.use(await temporaryFolder())
  const service = await startBenchService(env, dataDir)
  const url = await prepare(service, prompt)
  await sendEvents([url], runs)
  if (prompt.includes('refund')) while ((await countCards(service)) < runs) await pause(500)
  else await settled(service, runs)
  await service.call('PATCH', '/api/v1/settings', { agent: { paused: true } })
  await service.stop()
  return { dataDir, path: new URL(url).pathname }
}

async function reopen(
  stack: AsyncDisposableStack,
  env: Record<string, string>,
  { dataDir, path }: Installation,
) {
  const service = stack.use(await startBenchService(env, dataDir))
  return { service, url: service.url + path }
}

async function prepare(service: BenchService, prompt: string): Promise<string> {
  await service.call('POST', '/api/v1/connectors', {
    type: 'http',
    name: 'Shop',
    baseUrl: 'https://shop.example.com',
    tools: [
      {
        name: 'refund',
        description: 'Pays back',
        method: 'POST',
        path: '/orders/{id}/refund',
        capability: 'write',
        inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
      },
    ],
  })
  const { items } = await service.call<{ items: { id: string }[] }>('GET', '/api/v1/channels')
  const webhook = await service.call<{ endpointUrl: string }>('POST', '/api/v1/webhooks', {
    name: 'Bench',
    channelId: items[0]?.id,
    prompt,
    rateLimit: null,
    concurrency: 16,
  })
  return webhook.endpointUrl
}

const answerAsModel: RequestListener = async (request, response) => {
  const refund = (await text(request)).includes('Please refund.')
  response
    .setHeader('content-type', 'application/json')
    .end(completion(refund ? { name: 'shop__refund', arguments: '{"id":"A-1"}' } : 'Done.'))
}

/** Each waiting run has its card in the channel; that is the last step before it waits. */
async function countCards(service: BenchService): Promise<number> {
  const { items } = await service.call<{ items: { id: string }[] }>('GET', '/api/v1/channels')
  let count = 0
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const page: { items: unknown[]; nextCursor: string | null } = await service.call(
      'GET',
      `/api/v1/channels/${items[0]?.id}/messages?limit=100${query}`,
    )
    count += page.items.length
    cursor = page.nextCursor
  }
  return count
}

async function acceptRate(url: string): Promise<number> {
  const startedAt = performance.now()
  await sendEvents([url], deliveriesPerRound)
  return deliveriesPerRound / ((performance.now() - startedAt) / 1000)
}
