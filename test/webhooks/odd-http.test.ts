import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { shareInFile } from '../support/share-in-file.ts'
import { verifies } from '../support/verifies.ts'
import { countEvents, startWebhookApp, type WebhookApp } from './start-webhook-app.ts'

const sharedApp = shareInFile(() => startWebhookApp({ quiet: true }))

const close = 'connection: close\r\n'
const json = 'content-type: application/json\r\n'

function request(endpointUrl: string, headers: string, body = ''): string {
  return `POST ${new URL(endpointUrl).pathname} HTTP/1.1\r\nhost: bellhop\r\n${headers}\r\n${body}`
}

function statuses(answer: string): number[] {
  return [...answer.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status))
}

async function storedBodies(app: WebhookApp, webhookId: string): Promise<string[]> {
  const { rows } = await sql<{ body: Buffer }>`
    select body from events where source_id = ${webhookId} order by id`.execute(app.db)
  return rows.map(({ body }) => body.toString('latin1'))
}

verifies('hooks:odd-http', 'a chunked body without a length is put together as it came', async () => {
  const app = await sharedApp()
  const { id, endpointUrl } = await app.create()
  const chunked = request(
    endpointUrl,
    `${json}${close}transfer-encoding: chunked\r\n`,
    '2\r\n{"\r\n1;ext=1\r\na\r\n4\r\n":1}\r\n0\r\ntrailer: x\r\n\r\n',
  )
  assert.deepEqual(statuses(await app.raw(chunked)), [200])
  assert.deepEqual(await storedBodies(app, id), ['{"a":1}'])
})

verifies(
  'hooks:too-large-413',
  'an endless chunked body is refused while it streams, and then cut off',
  async () => {
    const app = await sharedApp()
    const { id, endpointUrl } = await app.create()
    const socket = net.connect(Number(new URL(app.test.url).port), '127.0.0.1')
    await once(socket, 'connect')
    let answer = ''
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString('latin1')
    })
    socket.on('error', () => undefined)
    socket.write(request(endpointUrl, `${json}transfer-encoding: chunked\r\n`))
    const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`
    // It never ends, so any answer comes while it streams.
    const pour = () => {
      while (socket.writable && socket.write(chunk));
    }
    socket.on('drain', pour)
    const closed = new Promise((resolve) => socket.once('close', resolve))
    pour()
    await closed
    assert.deepEqual(statuses(answer), [413])
    assert.equal(await countEvents(app, id), 0)
  },
)

verifies(
  'hooks:too-large-413',
  'a sender that makes a connection for each delivery, as in Ruby, reads the answer after all of its large body',
  async () => {
    const app = await sharedApp()
    const { endpointUrl } = await app.create()
    const socket = net.connect(Number(new URL(app.test.url).port), '127.0.0.1')
    const sent = request(endpointUrl, `${json}${close}content-length: 6000000\r\n`, ' '.repeat(6_000_000))
    await new Promise((resolve) => socket.write(sent, resolve))
    assert.deepEqual(statuses(await text(socket)), [413])
  },
)

verifies('hooks:odd-http', 'a connection that is cut in the middle of the body leaves no event', async () => {
  const app = await sharedApp()
  const { id, endpointUrl } = await app.create()
  const cut = await app.raw(request(endpointUrl, `${json}content-length: 100\r\n`, '{"a":'), { end: true })
  assert.ok(
    statuses(cut).every((status) => status === 400),
    cut,
  )
  assert.equal((await app.post(endpointUrl, '{}')).status, 200)
  assert.equal(await countEvents(app, id), 1)
})

verifies(
  'hooks:odd-http',
  'a wrong length, two lengths, and length with chunks are refused and smuggle nothing',
  async () => {
    const app = await sharedApp()
    const { id, endpointUrl } = await app.create()
    const path = new URL(endpointUrl).pathname
    const smuggled = `POST ${path} HTTP/1.1\r\nhost: x\r\n${json}content-length: 11\r\n\r\n{"bad":true}`
    const tricks = [
      request(endpointUrl, `${json}content-length: 2\r\ncontent-length: 3\r\n`, '{}x'),
      request(endpointUrl, `${json}content-length: -1\r\n`, '{}'),
      request(endpointUrl, `${json}content-length: 2, 2\r\n`, '{}'),
      request(
        endpointUrl,
        `${json}content-length: 2\r\ntransfer-encoding: chunked\r\n`,
        `0\r\n\r\n${smuggled}`,
      ),
      request(endpointUrl, `${json}transfer-encoding: xchunked\r\n`, `0\r\n\r\n${smuggled}`),
      request(endpointUrl, `${json}transfer-encoding: chunked, identity\r\n`, `0\r\n\r\n${smuggled}`),
      request(endpointUrl, `${json}transfer-encoding : chunked\r\n`, `0\r\n\r\n${smuggled}`),
      request(endpointUrl, `${json}transfer-encoding: chunked\r\n`, 'zz\r\n{}\r\n0\r\n\r\n'),
      request(endpointUrl, `${json}bad header\r\ncontent-length: 2\r\n`, '{}'),
      request(endpointUrl, `${json}x-nul: a\0b\r\ncontent-length: 2\r\n`, '{}'),
    ]
    for (const trick of tricks) {
      const answer = await app.raw(trick, { end: true })
      assert.ok(statuses(answer).length > 0, trick)
      assert.ok(
        statuses(answer).every((status) => status >= 400 && status < 500),
        `${trick}\n→ ${answer}`,
      )
    }
    assert.equal(await countEvents(app, id), 0)
  },
)

verifies(
  'hooks:odd-http',
  'with a Content-Length that is too short or too long, exactly that many bytes are read',
  async () => {
    const app = await sharedApp()
    const { id, endpointUrl } = await app.create()
    const ofLength = (bytes: number, body: string) =>
      request(endpointUrl, `${json}content-length: ${bytes}\r\n`, body)
    for (const sent of [ofLength(2, '{}and more'), ofLength(4, '{"a":1}'), ofLength(1000, '{"a":1}')]) {
      const answer = await app.raw(sent, { end: true })
      assert.ok(
        statuses(answer).every((status) => status === 400 || status === 200),
        `${sent}\n→ ${answer}`,
      )
    }
    // A length beyond the limit is refused before anything is read.
    const tooLong = request(endpointUrl, `${json}${close}content-length: 99999999999\r\n`, '{}')
    assert.deepEqual(statuses(await app.raw(tooLong)), [413])
    // Two bytes are a valid event, whatever follows; a truncated object is not.
    const kept = await storedBodies(app, id)
    assert.ok(
      kept.every((body) => body === '{}'),
      String(kept),
    )
  },
)

verifies(
  'hooks:odd-http',
  'malformed request lines, versions, targets and encodings are answered with the right 4xx, never with 5xx',
  async () => {
    const app = await sharedApp()
    const { endpointUrl } = await app.create()
    const path = new URL(endpointUrl).pathname
    const head = `host: x\r\n${json}${close}content-length: 2\r\n`
    const odd: [number, string][] = [
      [200, `POST ${path} HTTP/1.0\r\n${json}content-length: 2\r\n\r\n{}`],
      [200, `POST ${path}?a=1&a=2 HTTP/1.1\r\n${head}\r\n{}`],
      [200, `POST ${path} HTTP/1.1\r\n${head}idempotency-key: a\r\nidempotency-key: b\r\n\r\n{}`],
      [200, `POST ${path} HTTP/1.1\r\n${head}prefer: wait=-1\r\nprefer: wait=x\r\n\r\n{}`],
      [400, `POST ${path} HTTP/1.1\r\n${json}content-length: 2\r\n\r\n{}`],
      [400, `POST ${path} HTTP/1.1\r\nhost: x\r\n${json}transfer-encoding: gzip\r\n\r\n{}`],
      [
        400,
        `POST ${path} HTTP/1.1\r\nhost: x\r\n${json}transfer-encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}`,
      ],
      [400, `post ${path} HTTP/1.1\r\n${head}\r\n{}`],
      [400, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
      [400, `POST ${path} HTTP/1.1\nhost: x\n${json}\n{}`],
      [404, `POST /${path} HTTP/1.1\r\n${head}\r\n{}`],
      [404, `POST ${path}/ HTTP/1.1\r\n${head}\r\n{}`],
      [404, `POST /hooks/../hooks/%2e%2e HTTP/1.1\r\n${head}\r\n{}`],
      [405, `GET ${path} HTTP/1.1\r\nhost: x\r\n${close}\r\n`],
      [415, `POST ${path} HTTP/1.1\r\n${head}content-encoding: gzip\r\n\r\n{}`],
      [417, `POST ${path} HTTP/1.1\r\n${head}expect: something-else\r\n\r\n{}`],
    ]
    for (const [status, bytes] of odd) {
      assert.deepEqual(statuses(await app.raw(bytes)), [status], bytes)
    }
  },
)

verifies('hooks:odd-http', '100 Continue is sent only if the body would be read', async () => {
  const app = await sharedApp()
  const { endpointUrl } = await app.create({ maxBodyBytes: 10 })
  const asking = (headers: string) =>
    request(endpointUrl, `${json}${close}expect: 100-continue\r\n${headers}`)
  const socket = net.connect(Number(new URL(app.test.url).port), '127.0.0.1')
  await once(socket, 'connect')
  socket.write(asking('content-length: 2\r\n'))
  const [told] = (await once(socket, 'data')) as [Buffer] // what a socket without an encoding gives
  assert.match(told.toString(), /^HTTP\/1\.1 100/)
  socket.write('{}')
  const [answer] = (await once(socket, 'data')) as [Buffer]
  assert.match(answer.toString(), /^HTTP\/1\.1 200/)
  socket.destroy()
  assert.deepEqual(statuses(await app.raw(asking('content-length: 11\r\n'))).at(-1), 413)
})

verifies('hooks:odd-http', 'pipelined requests are answered in order, each event once', async () => {
  const app = await sharedApp()
  const { id, endpointUrl } = await app.create()
  const one = (n: number) =>
    request(endpointUrl, `${json}content-length: 7\r\nwebhook-id: m${n}\r\n`, `{"n":${n}}`)
  const bad = request(endpointUrl, `${json}content-length: 1\r\n`, '{')
  const last = request(endpointUrl, `${json}${close}content-length: 7\r\nwebhook-id: m3\r\n`, '{"n":3}')
  const answer = await app.raw(one(1) + bad + one(2) + one(1) + last)
  assert.deepEqual(statuses(answer), [200, 400, 200, 200, 200])
  assert.equal([...answer.matchAll(/"duplicate"/g)].length, 1)
  assert.deepEqual((await storedBodies(app, id)).sort(), ['{"n":1}', '{"n":2}', '{"n":3}'])
})

verifies('hooks:odd-http', 'Expect: 100-continue gets 100 Continue', async () => {
  const app = await sharedApp()
  const { endpointUrl } = await app.create()
  const answer = await app.raw(
    request(endpointUrl, `${json}${close}expect: 100-continue\r\ncontent-length: 2\r\n`, '{}'),
  )
  assert.deepEqual(statuses(answer), [100, 200])
})

verifies('hooks:odd-http', 'a request that is not HTTP, or too large to read, is told so', async () => {
  const app = await sharedApp()
  const { endpointUrl } = await app.create()
  const told = async (bytes: string) => {
    const [head = '', body = ''] = (await app.raw(bytes)).split('\r\n\r\n')
    assert.match(head, /^content-type: application\/problem\+json$/im)
    assert.match(head, /^connection: close$/im)
    const { status, detail } = JSON.parse(body)
    return `${head.slice(9, 12)} ${status} ${detail}`
  }
  assert.equal(
    await told(request(endpointUrl, `x-big: ${'a'.repeat(500_000)}\r\n`)),
    '431 431 The request headers are larger than the limit of 32 KiB. Send fewer or shorter headers.',
  )
  const garbled = '400 400 The request is not valid HTTP/1.1 (RFC 9112). Check the program that sent it.'
  assert.equal(await told('nonsense\r\n\r\n'), garbled)
  assert.equal(await told(request(endpointUrl, `${json}transfer-encoding: chunked\r\n`, 'zz\r\n')), garbled)
  const sound = request(endpointUrl, `${json}content-length: 2\r\n`, '{}')
  assert.deepEqual(statuses(await app.raw(`${sound}nonsense\r\n\r\n`)), [200], 'what came before is answered')
})

verifies('hooks:odd-http', 'huge and too many headers are refused; duplicate ones are not', async () => {
  const app = await sharedApp()
  const { id, endpointUrl } = await app.create()
  const huge = await app.raw(request(endpointUrl, `x-big: ${'a'.repeat(40_000)}\r\n${close}\r\n`))
  assert.deepEqual(statuses(huge), [431])
  const twice = `${json}${json}x-github-event: a\r\nx-github-event: b\r\nuser-agent: u\r\nuser-agent: v\r\n`
  assert.deepEqual(
    statuses(await app.raw(request(endpointUrl, `${twice}${close}content-length: 2\r\n`, '{}'))),
    [200],
  )
  const latin = request(
    endpointUrl,
    `${json}${close}x-github-event: gr\xfc\xdfe\r\ncontent-length: 2\r\n`,
    '{}',
  )
  assert.deepEqual(statuses(await app.raw(Buffer.from(latin, 'latin1'))), [200])
  const [event] = await app.test
    .get<{ items: { headers: Record<string, string> }[] }>(`/api/v1/events?webhookId=${id}`)
    .then(({ items }) => items)
  assert.equal(event?.headers['x-github-event'], 'grüße')
})

verifies('hooks:media-type-415', 'a compressed body is refused, whatever is in it', async () => {
  const app = await sharedApp()
  const { endpointUrl } = await app.create()
  assert.equal((await app.post(endpointUrl, gzipSync('{}'), { 'content-encoding': 'gzip' })).status, 415)
  assert.equal((await app.post(endpointUrl, gzipSync('{}'))).status, 400)
})

verifies('hooks:poison-body', 'malicious bodies are refused with 400, never with 5xx', async () => {
  const app = await sharedApp()
  const { endpointUrl } = await app.create()
  const mib = 1024 * 1024
  const bodies = [
    '['.repeat(mib),
    '{"a":'.repeat(mib / 5),
    '"'.repeat(mib - 1),
    '-'.repeat(mib),
    `${'1'.repeat(mib - 1)}x`,
    // NUL, a lone surrogate and an overlong quote: as raw bytes, not as escapes.
    '{"a":"\u0000"}',
    Buffer.from('7b2261223a22eda08022 7d'.replace(' ', ''), 'hex'),
    Buffer.from('7b2261223ac0a27d', 'hex'),
  ]
  for (const body of bodies) {
    assert.equal((await app.post(endpointUrl, body)).status, 400, String(body.slice(0, 10)))
  }
  const distinct = `[${Array.from({ length: 70_000 }, (_, n) => `{"${n.toString(36)}":0}`).join(',')}]`
  assert.equal((await app.post(endpointUrl, distinct)).status, 200)
})
