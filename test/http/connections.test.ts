import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import http, { Agent, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { type Listener, listen } from '../../src/platform/http-server/listen.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startService } from '../support/start-service.ts'
import { general } from '../support/start-shop.ts'
import { startTestApp, testApiKey, testEncryptionKey } from '../support/start-test-app.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp())

const serve = (listener: Listener) => listen({ host: '127.0.0.1', port: 0, listener, graceMs: 0 })

const ask = (count: number) =>
  Array.from({ length: count }, (_, n) => `GET /${n} HTTP/1.1\r\nhost: x\r\n\r\n`).join('')

verifies(
  'http:bounded-connections',
  'of many pipelined requests, 1,000 are answered in order, the last with a wish to end, and the rest are refused',
  async () => {
    let asked = 0
    await using server = await serve((request, response) => {
      asked++
      setImmediate(() => response.end(request.url))
    })
    const socket = connect(server.port, '127.0.0.1')
    let heard = ''
    socket.on('data', (chunk) => {
      heard += String(chunk)
    })
    socket.write(ask(1_001))
    await until(() => heard.includes('HTTP/1.1 503'))
    const answers = heard.split('HTTP/1.1 ').slice(1)
    assert.deepEqual(
      answers.slice(0, 1_000).map((answer) => answer.split('/').at(-1)),
      Array.from({ length: 1_000 }, (_, n) => String(n)),
    )
    assert.match(answers[999] ?? '', /^connection: close\r$/im)
    assert.equal(asked, 1_000)
    socket.destroy()
  },
)

verifies(
  'http:bounded-connections',
  'a HEAD request leaves no file open; an absolute URL, as sent to a proxy, is understood',
  async () => {
    const app = await sharedApp()
    const asset = /\/assets\/[\w.-]+\.js/.exec((await app.api('GET', '/')).text)?.[0]
    assert.ok(asset)
    const openFiles = async () => (await readdir('/dev/fd')).length
    const before = await openFiles()
    for (let n = 0; n < 50; n++) {
      const { status, headers } = await fetch(app.url + asset, { method: 'HEAD' })
      assert.deepEqual([status, Number(headers.get('content-length')) > 0], [200, true])
    }
    assert.ok((await openFiles()) < before + 20)

    const { hostname, port } = new URL(app.url)
    const statuses = async (target: string) => {
      const socket = connect(Number(port), hostname)
      socket.end(`GET ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
      return String((await once(socket, 'data'))[0]).slice(9, 12)
    }
    assert.equal(await statuses(`${app.url}/healthz`), '200')
    assert.equal(await statuses('http://kim@elsewhere.example/healthz'), '200')
    assert.equal(await statuses('nonsense'), '400')
  },
)

verifies(
  'http:bounded-connections',
  'with a low limit on open files, idle connections leave enough for the database, and the log reports too many connections',
  async () => {
    await using database = await createTestDatabase()
    await using service = await startService(
      { DATABASE_URL: database.url, ENCRYPTION_KEY: testEncryptionKey, API_KEY: testApiKey },
      { maxFiles: 300 },
    )
    const webhook = await service.api<{ endpointUrl: string }>('POST', '/webhooks', {
      name: 'Orders',
      channelId: general,
      prompt: 'Say what happened.',
      active: true,
    })
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const sendEvent = async () => {
      const request = http.request(webhook.endpointUrl, { method: 'POST', agent })
      request.setHeader('content-type', 'application/json').end('{}')
      const [answer] = await once(request, 'response')
      answer.resume()
      await once(answer, 'end')
      return answer.statusCode
    }
    assert.equal(await sendEvent(), 200)
    const idle = Array.from({ length: 300 }, () => connect(Number(new URL(service.url).port), '127.0.0.1'))
    for (const socket of idle) socket.on('error', () => undefined)
    await until(() => service.output().includes('http.full'))
    for (let n = 0; n < 20; n++) assert.equal(await sendEvent(), 200)
    for (const socket of idle) socket.destroy()
    agent.destroy()
  },
)

verifies(
  'http:bounded-connections',
  'too low a limit on open files is refused at the start, with what to do',
  async () => {
    await using folder = await temporaryFolder()
    await assert.rejects(
      startService({ DATA_DIR: folder.path }, { maxFiles: 64 }),
      /may have 64 files open at once, and Bellhop needs 256 or more\. Raise the limit: `ulimit -n 4096`/,
    )
  },
)

verifies(
  ['http:healthz', 'http:problem-json'],
  'a probe of HTTP/1.0 needs no Host; a Host that is no host is refused with a problem',
  async () => {
    const app = await sharedApp()
    const answerTo = async (request: string) => {
      const socket = connect(Number(new URL(app.url).port), '127.0.0.1')
      let text = ''
      socket.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      socket.write(request)
      await once(socket, 'close')
      return text
    }
    assert.match(await answerTo('GET /healthz HTTP/1.0\r\n\r\n'), /^HTTP\/1\.1 200 .*\{"status":"ok"\}/s)
    for (const head of [
      'GET /healthz HTTP/1.1\r\nhost: a b',
      'GET /api/v1/me HTTP/1.1\r\nhost: ü',
      'OPTIONS * HTTP/1.1\r\nhost: x',
    ]) {
      const refused = await answerTo(`${head}\r\nconnection: close\r\n\r\n`)
      assert.match(refused, /^HTTP\/1\.1 400 .*application\/problem\+json.*"status":400,"detail":"\w/s, head)
    }
  },
)

verifies(
  'hooks:odd-http',
  'a request that was answered before its body turned out unreadable gets no second answer',
  async () => {
    await using server = await serve((request, response) => {
      request.resume().on('error', () => undefined)
      response.writeHead(404, { 'content-length': 0 }).end()
    })
    const socket = connect(server.port, '127.0.0.1')
    let text = ''
    socket.on('data', (chunk) => {
      text += String(chunk)
    })
    const closed = once(socket, 'close')
    socket.write('POST /hooks/x HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n')
    await until(() => text.endsWith('\r\n\r\n'))
    socket.write('no chunk\r\n')
    await closed
    assert.deepEqual(text.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 404'])
  },
)

verifies(
  'http:bounded-connections',
  'an answer that is still owed at a stop announces that its connection ends',
  async () => {
    const owed: ServerResponse[] = []
    const server = await listen({
      host: '127.0.0.1',
      port: 0,
      graceMs: 60_000,
      listener: (_request, response) => void owed.push(response),
    })
    const socket = connect(server.port, '127.0.0.1')
    socket.write(ask(2))
    await until(() => owed.length === 2)
    const stopped = server[Symbol.asyncDispose]()
    for (const response of owed) response.end('done')
    assert.deepEqual((await text(socket)).toLowerCase().match(/^connection: .*/gm), [
      'connection: keep-alive',
      'connection: close',
    ])
    await stopped
  },
)

verifies('house:clean-stop', 'a stop closes connections on which nobody has asked anything', async () => {
  const server = await listen({ host: '127.0.0.1', port: 0, graceMs: 60_000, listener: () => assert.fail() })
  const silent = connect(server.port, '127.0.0.1')
  await once(silent, 'connect')
  await Promise.all([server[Symbol.asyncDispose](), once(silent.resume(), 'close')])
})

verifies(
  'house:leaves-first',
  'before a stop, new connections are still served, and each answer ends its connection',
  async () => {
    let leaving = false
    await using server = await listen({
      host: '127.0.0.1',
      port: 0,
      graceMs: 1000,
      isLeaving: () => leaving,
      listener: (_request, response) => void response.end('{}'),
    })
    const kept = connect(server.port, '127.0.0.1')
    kept.write(ask(1))
    await once(kept, 'data')
    leaving = true
    const isNew = connect(server.port, '127.0.0.1')
    for (const socket of [kept, isNew]) {
      socket.write(ask(1))
      assert.match(await text(socket), /^HTTP\/1\.1 200 .*\r\nconnection: close\r\n/is)
    }
  },
)
