import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { Agent, request } from 'undici'
import { requestSecrets } from '../src/connectors/auth/request-secrets.ts'
import type { RequestConnector } from '../src/connectors/http/build-request.ts'
import { buildRequest } from '../src/connectors/http/build-request.ts'
import { sendRequest } from '../src/connectors/http/send-request.ts'
import { createSchemaCache } from '../src/connectors/schema/compile-schema.ts'
import { validateInput } from '../src/connectors/schema/validate-input.ts'
import { openEgress } from '../src/platform/egress/open-egress.ts'
import { Secret } from '../src/platform/secret.ts'
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
    }
  } finally {
    await worker.terminate()
  }
}

type Round = { p50Ms: number; perSecond: number }

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
  const lane = async () => {
    while (left-- > 0) await call()
  }
  await Promise.all(Array.from({ length: 32 }, lane))
  return { p50Ms: quantile(times, 0.5), perSecond: callsPerRound / ((performance.now() - startedAt) / 1000) }
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
  const schemas = createSchemaCache()
  const tool = {
    method: 'GET',
    path: '/orders/{id}',
    locations: {},
    bodyFormat: 'json',
    inputSchema: {
      type: 'object',
      properties: { id: { type: 'string' }, expand: { type: 'string' } },
      required: ['id'],
    },
  } as const
  const connector: RequestConnector = {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    defaultHeaders: {},
    authType: 'bearer',
    authName: null,
    hasAuthValue: true,
  }
  const authValue = new Secret('token-of-the-bench')
  return {
    async call() {
      const input = { id: 'ord_1', expand: 'lines' }
      if (validateInput(schemas, tool.inputSchema, input).length > 0)
        throw new Error('The input does not fit.')
      const built = buildRequest(tool, connector, input, 'call_1')
      if (!built.ok) throw new Error('The request cannot be built.')
      const secrets = requestSecrets({
        authType: 'bearer',
        authName: null,
        authValue,
        headers: [],
      })
      const outcome = await sendRequest({ egress }, built.request, secrets, {
        timeoutMs: null,
        purpose: 'the bench',
      })
      if (!outcome.ok) throw new Error(outcome.message)
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
