import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { startEmbeddedPostgres } from '../src/platform/db/embedded/start-embedded-postgres.ts'
import { openDataFolder } from '../src/platform/files/data-folder.ts'
import { createLog } from '../src/platform/log.ts'

/** A server in its own process: `bare` stores nothing, `durable` stores in the given folder. */
export async function startLimit(
  stack: AsyncDisposableStack,
  kind: 'bare' | 'durable',
  dataDir = '',
): Promise<string> {
  const child: ChildProcess = spawn(process.execPath, [import.meta.filename, kind, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  stack.defer(async () => {
    if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'close')
  })
  // Its first output is its address.
  const [address] = (await once(child.stdout ?? child, 'data')) as [Buffer]
  return address.toString().trim()
}

type Store = (id: string, body: Buffer) => Promise<void> | void

/** Reads, parses, passes on to `store`, and answers like the webhook endpoint. */
function serve(store: Store): void {
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
  server.listen(0, '127.0.0.1', () => {
    // A TCP server that listens has an address with a port.
    console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  })
}

/** Batched inserts, each batch on disk before its senders are answered, and no checks at all. */
async function openStore(dataDir: string): Promise<Store> {
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
  return (id, body) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    if (waiting.push({ id, body, resolve }) === 1) setImmediate(send)
    return promise
  }
}

if (import.meta.main) {
  const [kind, dataDir] = process.argv.slice(2)
  serve(kind === 'durable' ? await openStore(dataDir ?? '') : () => undefined)
}
