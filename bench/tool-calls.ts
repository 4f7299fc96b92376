import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { Agent, request } from 'undici'
import { openConnector, prepareHttpCall } from '../src/connectors/http/prepare-http-call.ts'
import { authPlace } from '../src/connectors/manage/get-connector.ts'
import type { ConnectorRow } from '../src/connectors/manage/store.ts'
import { createSchemaCache } from '../src/connectors/schema/compile-schema.ts'
import { createVault } from '../src/platform/crypto/vault.ts'
import { openEgress } from '../src/platform/egress/open-egress.ts'
import { Secret } from '../src/platform/secret.ts'
import { newId } from '../src/shared/ids.ts'
import { quantile } from './quantile.ts'

const rounds = 7
const callsPerRound = 1500
const answer = JSON.stringify({
  id: 'ord_1',
  lines: Array.from({ length: 12 }, (_, at) => ({ sku: `SKU-${at}`, count: at, price: at * 1.25 })),
})

export type ToolCallFigures = {
  bareP50Ms: number
  toolP50Ms: number
  /** Goal: 1.5 ms at most. */
  addedP50Ms: number
  barePerSecond: number
  toolPerSecond: number
  /** Goal: 0.5 at least. */
  throughputRatio: number
  /** Processor time of one call, which does not depend on what else the machine does. */
  bareCpuMicroseconds: number
  toolCpuMicroseconds: number
}

/** A tool call (validate, build, guarded send, read) beside the same request with plain undici, in interleaved rounds. */
export async function benchToolCalls(): Promise<ToolCallFigures> {
  const worker = new Worker(new URL(import.meta.url))
  try {
    const [port] = (await once(worker, 'message')) as [number]
    await using tool = openTool(port)
    const bare = openBare(port)
    const figures = { bare: [] as Round[], tool: [] as Round[] }
    for (let round = 0; round <= rounds; round++) {
      const measured = { bare: await measure(bare.call), tool: await measure(tool.call) }
      // The first round warms up.
      if (round > 0) {
        figures.bare.push(measured.bare)
        figures.tool.push(measured.tool)
      }
    }
    await bare.close()
    const of = (which: keyof typeof figures, what: keyof Round) =>
      quantile(
        figures[which].map((round) => round[what]),
        0.5,
      )
    const [bareP50Ms, toolP50Ms] = [of('bare', 'p50Ms'), of('tool', 'p50Ms')]
    const [barePerSecond, toolPerSecond] = [of('bare', 'perSecond'), of('tool', 'perSecond')]
    return {
      bareP50Ms,
      toolP50Ms,
      addedP50Ms: toolP50Ms - bareP50Ms,
      barePerSecond,
      toolPerSecond,
      throughputRatio: toolPerSecond / barePerSecond,
      bareCpuMicroseconds: of('bare', 'cpuMicroseconds'),
      toolCpuMicroseconds: of('tool', 'cpuMicroseconds'),
    }
  } finally {
    await worker.terminate()
  }
}

type Round = { p50Ms: number; perSecond: number; cpuMicroseconds: number }

/** Latency one at a time, throughput with 32 at a time. */
async function measure(call: () => Promise<void>): Promise<Round> {
  const times: number[] = []
  for (let at = 0; at < callsPerRound / 3; at++) {
    const startedAt = performance.now()
    await call()
    times.push(performance.now() - startedAt)
  }
  let left = callsPerRound
  const startedAt = performance.now()
  const cpu = process.threadCpuUsage()
  const lane = async () => {
    while (left-- > 0) await call()
  }
  await Promise.all(Array.from({ length: 32 }, lane))
  const used = process.threadCpuUsage(cpu)
  return {
    p50Ms: quantile(times, 0.5),
    perSecond: callsPerRound / ((performance.now() - startedAt) / 1000),
    cpuMicroseconds: (used.user + used.system) / callsPerRound,
  }
}

function openBare(port: number) {
  const dispatcher = new Agent()
  const url = `http://127.0.0.1:${port}/v1/orders/ord_1?expand=lines`
  return {
    async call() {
      const { body } = await request(url, {
        dispatcher,
        headers: { authorization: 'Bearer token-of-the-bench' },
      })
      await body.text()
    },
    close: () => dispatcher.close(),
  }
}

function openTool(port: number) {
  const egress = openEgress({
    allowedHosts: [],
    privateExceptions: [`127.0.0.1:${port}`],
    ownOrigins: () => ['https://bellhop.example.com'],
  })
  const vault = createVault([new Secret(Buffer.alloc(32, 7).toString('base64'))])
  const id = newId('connector')
  const row: ConnectorRow = {
    id,
    type: 'http',
    name: 'Shop',
    slug: 'shop',
    baseUrl: `http://127.0.0.1:${port}/v1`,
    authType: 'bearer',
    authName: null,
    authValue: vault.seal(new Secret('token-of-the-bench'), authPlace(id)),
    oauth: null,
    oauthSecret: null,
    timeoutMs: null,
    signRequests: false,
    version: 1,
    createdAt: new Date(),
    updatedAt: new Date(),
  }
  const grants = {
    token: async () => ({ refused: '' }),
    renew: async () => null,
    lacks: async () => undefined,
  }
  const connectors = { grants, schemas: createSchemaCache(), recordHealth: async () => undefined }
  const ctx = { egress, vault, connectors }
  const connector = openConnector(ctx, { row, headers: [], grant: null })
  const tool = {
    name: 'get_order',
    modelName: 'shop__get_order',
    description: '',
    method: 'GET',
    path: '/orders/{id}',
    capability: 'read',
    permission: null,
    locations: {},
    bodyFormat: 'json',
    inputSchema: {
      type: 'object',
      properties: { id: { type: 'string' }, expand: { type: 'string' } },
      required: ['id'],
    },
    outputSchema: null,
  } as const
  const { signal } = new AbortController()
  return {
    async call() {
      const prepared = prepareHttpCall(ctx, connector, tool, { id: 'ord_1', expand: 'lines' }, 'call_1')
      if (!prepared.ok) throw new Error('The request cannot be built.')
      const { status, body, error } = await prepared.send(signal)
      if (status !== 200 || body !== answer)
        throw new Error(error?.message ?? 'The answer is not as it was sent.')
    },
    [Symbol.asyncDispose]: () => egress[Symbol.asyncDispose](),
  }
}

/** The target, in its own thread, so that its work is not counted as ours. */
function serve(): void {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end(answer)
  })
  server.listen(0, '127.0.0.1', () => parentPort?.postMessage((server.address() as AddressInfo).port))
}

if (!isMainThread) serve()
