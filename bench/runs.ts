import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { completion } from './completion.ts'
import { quantile } from './quantile.ts'
import { type BenchService, startBenchService } from './service.ts'

const webhooks = 8
const events = 1_500
const steadyPerSecond = 20
const steadySeconds = 15

export type RunFigures = {
  /** Instant model, one read call each, built-in channel. Goal: 150. */
  runsPerSecond: number
  /** Processor time of a run with its event, which does not depend on what else the machine does. */
  nodeCpuMs: number
  postgresCpuMs: number
  /** From the answer to the sender to the reply in the channel, at 20 events a second. Goals: 25 and 150. */
  addedP50Ms: number
  addedP99Ms: number
  idleMemoryMb: number
}

/** Model and target answer at once, from this process, so that only Bellhop's own time is measured. */
export async function benchRuns(): Promise<RunFigures> {
  await using stack = new AsyncDisposableStack()
  const model = await serve(stack, answerAsModel)
  const target = await serve(stack, (_request, response) => {
    response.setHeader('content-type', 'application/json').end('{"id":"A-1","state":"paid"}')
  })
  const service = stack.use(
    await startBenchService({
      MODEL_PROVIDER: 'openai-compatible',
      MODEL_NAME: 'instant',
      MODEL_BASE_URL: `http://127.0.0.1:${model}/v1`,
      EGRESS_PRIVATE_EXCEPTIONS: `127.0.0.1:${target}`,
    }),
  )
  const urls = await prepare(service, target)
  await sendEvents(urls, 100)
  await settled(service, 100)
  const latencies = await steady(service, urls)
  const before = await countSucceeded(service)
  const cpuBefore = await service.cpuSeconds()
  const startedAt = performance.now()
  await sendEvents(urls, events)
  await settled(service, before + events)
  const seconds = (performance.now() - startedAt) / 1000
  const cpu = await service.cpuSeconds()
  // Idle: the engine returns the memory of the load within half a minute.
  await pause(60_000)
  return {
    runsPerSecond: events / seconds,
    nodeCpuMs: ((cpu.node - cpuBefore.node) * 1000) / events,
    postgresCpuMs: ((cpu.postgres - cpuBefore.postgres) * 1000) / events,
    addedP50Ms: quantile(latencies, 0.5),
    addedP99Ms: quantile(latencies, 0.99),
    idleMemoryMb: await service.memoryMb(),
  }
}

export async function prepare(service: BenchService, target: number): Promise<string[]> {
  await service.call('POST', '/api/v1/connectors', {
    type: 'http',
    name: 'Shop',
    baseUrl: `http://127.0.0.1:${target}`,
    tools: [
      {
        name: 'get_order',
        description: 'Reads an order',
        method: 'GET',
        path: '/orders/{id}',
        capability: 'read',
        inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
      },
    ],
  })
  const urls: string[] = []
  for (let number = 1; number <= webhooks; number++) {
    const channel = await service.call<{ id: string }>('POST', '/api/v1/channels', {
      name: `bench-${number}`,
    })
    const webhook = await service.call<{ endpointUrl: string }>('POST', '/api/v1/webhooks', {
      name: `Bench ${number}`,
      channelId: channel.id,
      prompt: 'Look the order up and say its state.',
      rateLimit: null,
      concurrency: 8,
    })
    urls.push(webhook.endpointUrl)
  }
  return urls
}

/** First a tool call, then the answer. */
export const answerAsModel: RequestListener = async (request, response) => {
  const asked = JSON.parse(await text(request)) as { messages: { role: string }[] }
  const answered = asked.messages.at(-1)?.role === 'tool'
  response
    .setHeader('content-type', 'application/json')
    .end(completion(answered ? 'The order is paid.' : { name: 'shop__get_order', arguments: '{"id":"A-1"}' }))
}

export async function sendEvents(urls: string[], count: number, body?: string): Promise<void> {
  let sent = 0
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      while (sent < count) await deliver(urls[sent++ % urls.length] ?? '', body)
    }),
  )
}

export async function deliver(
  url: string,
  body = '{"event":"order.paid","id":"A-1"}',
): Promise<{ runId: string }> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  if (answer.status !== 200) throw new Error(`The ingress answered ${answer.status}.`)
  // The contract of the ingress.
  return (await answer.json()) as { runId: string }
}

export async function countSucceeded(service: BenchService): Promise<number> {
  const numbers = await (await fetch(`${service.url}/metrics`)).text()
  return Number(/bellhop_runs_ended_total\{status="succeeded"\} (\d+)/.exec(numbers)?.[1] ?? 0)
}

export async function settled(service: BenchService, count: number): Promise<void> {
  while ((await countSucceeded(service)) < count) await pause(50)
}

/** From the answer to the sender to the end of its run, which is the reply in the channel. */
async function steady(service: BenchService, urls: string[]): Promise<number[]> {
  const begun: { runId: string; answeredAt: number }[] = []
  for (let number = 0; number < steadyPerSecond * steadySeconds; number++) {
    const next = performance.now() + 1000 / steadyPerSecond
    const { runId } = await deliver(urls[number % urls.length] ?? '')
    begun.push({ runId, answeredAt: Date.now() })
    await pause(Math.max(0, next - performance.now()))
  }
  await pause(2_000)
  const latencies: number[] = []
  for (const { runId, answeredAt } of begun) {
    const run = await service.call<{ endedAt: string }>('GET', `/api/v1/runs/${runId}`)
    latencies.push(Math.max(0, Date.parse(run.endedAt) - answeredAt))
  }
  return latencies
}

export async function serve(stack: AsyncDisposableStack, listener: RequestListener): Promise<number> {
  const server: Server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  stack.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  // A TCP server that listens has an address with a port.
  return (server.address() as AddressInfo).port
}
