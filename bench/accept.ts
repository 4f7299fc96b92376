import { type ChildProcess, spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import net, { type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { openDataFolder } from '../src/platform/data-folder.ts'
import { startEmbeddedPostgres } from '../src/platform/db/embedded/start-embedded-postgres.ts'
import { createLog } from '../src/platform/log.ts'

const rounds = 7
const roundMs = 2_000
const connections = 64
const key = 'blh_bench_admin_key_0000000000000001'
const secret = Buffer.alloc(24, 7)

export type AcceptFigures = {
  barePerSecond: number
  /** A bare server with durable batches and no check: what the disk and the database leave of it here and now. */
  durablePerSecond: number
  acceptPerSecond: number
  /** Goal: 0.5 at least; under 0.3 is a defect. */
  throughputRatio: number
  bareP99Ms: number
  acceptP99Ms: number
  /** Goal: 4 at most. */
  p99Ratio: number
  /** At 200 deliveries a second; goals: 50 ms and 1,000 ms at most. */
  steadyP99Ms: number
  steadyMaxMs: number
}

/**
 * The door with signature, duplicate check, rate limit and durable commit, beside a bare server that reads, parses and
 * stores nothing: the same requests, the same load, in interleaved rounds. The agent is paused, so that nothing but
 * acceptance is measured.
 */
export async function benchAccept(): Promise<AcceptFigures> {
  const dataDir = await mkdtemp(join(tmpdir(), 'bellhop-bench-'))
  const bare = spawn(process.execPath, [import.meta.filename, 'bare'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const durableDir = await mkdtemp(join(tmpdir(), 'bellhop-bench-'))
  const durable = spawn(process.execPath, [import.meta.filename, 'durable', durableDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const port = await freePort()
  const service = spawn(process.execPath, [join(import.meta.dirname, '../src/main.ts'), 'start'], {
    env: { PATH: process.env.PATH, PORT: String(port), DATA_DIR: dataDir, API_KEY: key, LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  try {
    const barePort = await portOf(bare)
    const durablePort = await portOf(durable)
    const path = await makeWebhook(port, service)
    const figures = { bare: [] as Round[], durable: [] as Round[], accept: [] as Round[] }
    for (let round = 0; round <= rounds; round++) {
      const measured = {
        bare: await measure(barePort, path, roundMs),
        durable: await measure(durablePort, path, roundMs),
        accept: await measure(port, path, roundMs),
      }
      // The first round warms up.
      if (round > 0) {
        figures.bare.push(measured.bare)
        figures.durable.push(measured.durable)
        figures.accept.push(measured.accept)
      }
    }
    const steady = await measureSteady(port, path, 200, 5_000)
    const of = (which: 'bare' | 'durable' | 'accept', what: keyof Round) =>
      median(figures[which].map((round) => round[what]))
    return {
      barePerSecond: of('bare', 'perSecond'),
      durablePerSecond: of('durable', 'perSecond'),
      acceptPerSecond: of('accept', 'perSecond'),
      throughputRatio: of('accept', 'perSecond') / of('bare', 'perSecond'),
      bareP99Ms: of('bare', 'p99Ms'),
      acceptP99Ms: of('accept', 'p99Ms'),
      p99Ratio: of('accept', 'p99Ms') / of('bare', 'p99Ms'),
      steadyP99Ms: steady.p99Ms,
      steadyMaxMs: steady.maxMs,
    }
  } finally {
    await Promise.all([stop(bare), stop(durable), stop(service)])
    for (const folder of [dataDir, durableDir]) await rm(folder, { recursive: true, force: true })
  }
}

type Round = { perSecond: number; p50Ms: number; p99Ms: number }

/** A closed loop: each connection sends its next request when the answer to the last one is there. */
async function measure(port: number, path: string, ms: number): Promise<Round> {
  const requests = signedRequests(path, 16_000)
  const lanes = await Promise.all(Array.from({ length: connections }, () => openLane(port)))
  const times: number[] = []
  const startedAt = performance.now()
  let endedAt = startedAt
  await Promise.all(
    lanes.map(async (lane) => {
      while (performance.now() - startedAt < ms) {
        const request = requests.pop()
        if (!request) break
        const sentAt = performance.now()
        await lane.send(request)
        endedAt = performance.now()
        times.push(endedAt - sentAt)
      }
    }),
  )
  for (const lane of lanes) lane.close()
  times.sort((a, b) => a - b)
  return {
    perSecond: times.length / ((endedAt - startedAt) / 1000),
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
  }
}

/** An open loop: the next one is sent when its time has come, answered or not. */
async function measureSteady(port: number, path: string, perSecond: number, ms: number) {
  const requests = signedRequests(path, (perSecond * ms) / 1000)
  const lanes = await Promise.all(Array.from({ length: connections }, () => openLane(port)))
  const startedAt = performance.now()
  const times = await Promise.all(
    requests.map(async (request, index) => {
      const dueAt = startedAt + (index * 1000) / perSecond
      await new Promise((resolve) => setTimeout(resolve, Math.max(1, dueAt - performance.now())))
      const sentAt = performance.now()
      await lanes[index % connections]?.send(request)
      return performance.now() - sentAt
    }),
  )
  for (const lane of lanes) lane.close()
  times.sort((a, b) => a - b)
  return { p99Ms: quantile(times, 0.99), maxMs: times.at(-1) ?? 0 }
}

let sent = 0

/** Signed beforehand: what the sender computes is not what is measured. */
function signedRequests(path: string, count: number): Buffer[] {
  const time = String(Math.floor(Date.now() / 1000))
  return Array.from({ length: count }, () => {
    const id = `msg_${process.pid}_${sent++}`
    const body = JSON.stringify({
      event: 'order.created',
      id,
      order: {
        total: '49.90',
        lines: Array.from({ length: 9 }, (_, at) => ({
          sku: `SKU-${at}`,
          count: at,
          note: 'as ordered by the customer',
        })),
      },
    })
    const signature = createHmac('sha256', secret).update(`${id}.${time}.${body}`).digest('base64')
    const head = [
      `POST ${path} HTTP/1.1`,
      'host: 127.0.0.1',
      'content-type: application/json',
      'user-agent: bench',
      `webhook-id: ${id}`,
      `webhook-timestamp: ${time}`,
      `webhook-signature: v1,${signature}`,
      `content-length: ${Buffer.byteLength(body)}`,
    ]
    return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
  })
}

/** As little client as possible: what it costs is taken from both sides alike, and small. */
async function openLane(port: number) {
  const socket = net.connect(port, '127.0.0.1')
  socket.setNoDelay(true)
  await once(socket, 'connect')
  const waiting: { resolve(): void; reject(error: Error): void }[] = []
  let answer = ''
  socket.on('data', (chunk: Buffer) => {
    answer += chunk.toString('latin1')
    for (;;) {
      const headEnd = answer.indexOf('\r\n\r\n')
      if (headEnd < 0) return
      const length = Number(/content-length: (\d+)/i.exec(answer.slice(0, headEnd))?.[1])
      const end = headEnd + 4 + length
      if (answer.length < end) return
      const status = answer.slice(9, 12)
      const next = waiting.shift()
      if (status === '200') next?.resolve()
      else next?.reject(new Error(`Answered ${answer.slice(0, end)}`))
      answer = answer.slice(end)
    }
  })
  return {
    send: (request: Buffer) =>
      new Promise<void>((resolve, reject) => {
        waiting.push({ resolve, reject })
        socket.write(request)
      }),
    close: () => socket.destroy(),
  }
}

async function makeWebhook(port: number, service: ChildProcess): Promise<string> {
  const isReady = () =>
    fetch(`http://127.0.0.1:${port}/readyz`).then(
      (answer) => answer.ok,
      () => false,
    )
  while (!(await isReady())) {
    if (service.exitCode !== null) throw new Error('The service did not start.')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  await call(port, 'PATCH', '/api/v1/settings', { agent: { paused: true } })
  const channel = await call(port, 'POST', '/api/v1/channels', { name: 'bench' })
  const webhook = await call(port, 'POST', '/api/v1/webhooks', {
    name: 'bench',
    channelId: channel.id,
    prompt: 'x',
    active: true,
    rateLimit: { perSecond: 100_000, burst: 1_000_000 },
    verification: { preset: 'standard_webhooks', secrets: [`whsec_${secret.toString('base64')}`] },
  })
  return new URL(webhook.endpointUrl ?? '').pathname
}

async function call(
  port: number,
  method: string,
  path: string,
  body: unknown,
): Promise<Record<string, string>> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`)
  // The shapes are those of the API's own contract.
  return (await answer.json()) as Record<string, string>
}

async function portOf(child: ChildProcess): Promise<number> {
  const [line] = child.stdout ? ((await once(child.stdout, 'data')) as [Buffer]) : ['']
  return Number(line.toString())
}

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // a TCP server that listens has one
  server.close()
  await once(server, 'close')
  return port
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'close')
}

/** The bare limit: reads, parses, and hands on to `store`, which does nothing. */
function serveBare(store: (id: string, body: Buffer) => Promise<void> | void = () => undefined): void {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', async () => {
      const bytes = Buffer.concat(chunks)
      const { id } = JSON.parse(bytes.toString()) as { id: string }
      await store(id, bytes)
      const body = JSON.stringify({ status: 'accepted', eventId: id, runId: id })
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      })
      response.end(body)
    })
  })
  server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
}

/** The durable limit: the same bare server with micro-batched inserts and no check at all. */
async function serveDurable(dataDir: string): Promise<void> {
  const folder = await openDataFolder(dataDir)
  const log = await createLog({ level: 'warn', pretty: false })
  const { connection } = await startEmbeddedPostgres({ folder, log })
  const pool = new pg.Pool({ ...connection, max: 2 })
  await pool.query('create table kept (id text primary key, body bytea not null)')
  let waiting: { id: string; body: Buffer; resolve(): void }[] = []
  let underWay = 0
  const send = async (): Promise<void> => {
    if (underWay === 2 || waiting.length === 0) return
    const batch = waiting
    waiting = []
    underWay++
    await pool.query({
      name: 'keep',
      text: 'insert into kept select * from unnest($1::text[], $2::bytea[])',
      values: [batch.map(({ id }) => id), batch.map(({ body }) => body)],
    })
    underWay--
    for (const { resolve } of batch) resolve()
    void send()
  }
  serveBare((id, body) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    if (waiting.push({ id, body, resolve }) === 1) setImmediate(send)
    return promise
  })
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

function median(values: readonly number[]): number {
  return quantile(
    values.toSorted((a, b) => a - b),
    0.5,
  )
}

if (process.argv[1] === import.meta.filename) {
  if (process.argv[2] === 'bare') serveBare()
  else if (process.argv[2] === 'durable') await serveDurable(process.argv[3] ?? '')
  else console.table(await benchAccept())
}
