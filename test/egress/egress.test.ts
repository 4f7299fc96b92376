import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { setImmediate } from 'node:timers/promises'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { findEgressError } from '../../src/platform/egress/egress-error.ts'
import { type EgressConfig, openEgress, type RefusalEvent } from '../../src/platform/egress/open-egress.ts'
import type { EgressRequest } from '../../src/platform/egress/send-guarded.ts'
import { startDnsServer } from '../support/start-dns-server.ts'
import { startRawTarget, startTarget } from '../support/start-target.ts'
import { verifies } from '../support/verifies.ts'

const limits = { headersTimeoutMs: 60_000, totalTimeoutMs: 60_000, maxBytes: 100_000 }

function open(config: Partial<EgressConfig> = {}) {
  const refusals: RefusalEvent[] = []
  const egress = openEgress({
    allowedHosts: [],
    privateExceptions: [],
    ownOrigins: () => [],
    onRefusal: (event) => refusals.push(event),
    ...config,
  })
  return Object.assign(egress, { refusals })
}

function get(url: string, more: Partial<EgressRequest> = {}): EgressRequest {
  return { method: 'GET', url, headers: {}, limits, purpose: 'a test', ...more }
}

function fixture(name: string): string {
  return readFileSync(new URL(`../fixtures/tls/${name}`, import.meta.url), 'utf8')
}

verifies(
  'egress:checked-at-save-and-connect',
  'a name that resolves to an internal address is refused at save and at connect',
  async () => {
    await using target = await startTarget()
    await using dns = await startDnsServer(() => ({ a: ['127.0.0.1'] }))
    await using egress = open({ resolveHost: dns.resolveHost })
    const url = `http://inside.example.test:${target.port}/`

    assert.equal((await egress.check(url, 'a test'))?.rule, 'non-public-address')
    const answer = await egress.request(get(url))

    assert.ok(!answer.ok)
    assert.equal(answer.code, 'blocked_address')
    assert.equal(answer.rule, 'non-public-address')
    assert.equal(answer.mayHaveArrived, false)
    assert.equal(target.connections(), 0)
  },
)

verifies(
  'egress:refusal-names-rule',
  'a refusal names its rule, is reported, and does not reveal the resolved address',
  async () => {
    await using dns = await startDnsServer(() => ({ a: ['10.11.12.13'] }))
    await using egress = open({ resolveHost: dns.resolveHost })

    const answer = await egress.request(get('https://inside.example.test/', { purpose: 'connector con_1' }))

    assert.ok(!answer.ok)
    assert.doesNotMatch(JSON.stringify(answer), /10\.11|10\.0\.0\.0/)
    assert.deepEqual(egress.refusals, [
      {
        rule: 'non-public-address',
        host: 'inside.example.test',
        address: '10.11.12.13',
        purpose: 'connector con_1',
      },
    ])
  },
)

verifies('egress:any-answer-refused', 'one private address among public ones refuses the name', async () => {
  await using dns = await startDnsServer((name) =>
    name.startsWith('four') ? { a: ['8.8.8.8', '192.168.1.1'] } : { a: ['8.8.8.8'], aaaa: ['fd00::1'] },
  )
  await using egress = open({ resolveHost: dns.resolveHost })

  for (const host of ['four.example.test', 'six.example.test']) {
    assert.equal((await egress.check(`https://${host}/`, 'a test'))?.rule, 'non-public-address', host)
    const answer = await egress.request(get(`https://${host}/`))
    assert.equal(!answer.ok && answer.rule, 'non-public-address', host)
  }
})

verifies(
  'egress:rebinding-closed',
  'a name that resolves to a public address at save and to a private one at connect is refused',
  async () => {
    await using inside = await startTarget()
    await using allowed = await startTarget(undefined, { host: '127.0.0.2', port: inside.port })
    await using dns = await startDnsServer((_name, question) => ({
      a: [question === 1 ? '127.0.0.2' : '127.0.0.1'],
    }))
    await using egress = open({
      privateExceptions: ['127.0.0.2/32'],
      resolveHost: dns.resolveHost,
    })
    const url = `http://rebind.example.test:${inside.port}/`

    assert.equal(await egress.check(url, 'a test'), null)
    const answer = await egress.request(get(url))

    assert.equal(!answer.ok && answer.code, 'blocked_address')
    assert.equal(inside.connections() + allowed.connections(), 0)
  },
)

verifies(
  'egress:rebinding-closed',
  'a connection resolves its name once, and goes to the address that was checked',
  async () => {
    await using inside = await startTarget()
    await using allowed = await startTarget(undefined, { host: '127.0.0.2', port: inside.port })
    await using dns = await startDnsServer((_name, question) => ({
      a: [question % 2 === 1 ? '127.0.0.2' : '127.0.0.1'],
    }))
    await using egress = open({
      privateExceptions: ['127.0.0.2/32'],
      resolveHost: dns.resolveHost,
    })
    const url = `http://rebind.example.test:${inside.port}/`

    const first = await egress.request(get(url))
    // A connection is reusable one event loop turn after its answer.
    await setImmediate()
    const second = await egress.request(get(url))

    assert.ok(first.ok && second.ok)
    assert.equal(dns.lookups('rebind.example.test'), 1)
    assert.equal(allowed.seen.length, 2)
    assert.equal(allowed.connections(), 1)
    assert.equal(inside.connections(), 0)
  },
)

verifies(
  'egress:socket-checked',
  'if a socket is connected to another address, nothing is sent',
  async () => {
    const { openDial } = await import('../../src/platform/egress/dial.ts')
    await using target = await startTarget()
    // 0.0.0.0 is dialled as loopback by the system: asked and reached address differ.
    await assert.rejects(
      openDial()(
        { protocol: 'http:', host: '0.0.0.0', port: target.port },
        ['0.0.0.0'],
        performance.now() + 60_000,
      ),
      (error) => findEgressError(error)?.rule === 'changed-address',
    )
    assert.equal(target.seen.length, 0)
  },
)

verifies(
  'egress:host-and-sni-kept',
  'the dialled address keeps the name as Host, as TLS server name, and for the certificate',
  async () => {
    await using target = await startTarget(undefined, {
      tls: { cert: fixture('api.crt'), key: fixture('api.key') },
    })
    await using dns = await startDnsServer(() => ({ a: ['127.0.0.1'] }))
    const host = `api.example.test:${target.port}`
    await using egress = open({
      privateExceptions: [host],
      resolveHost: dns.resolveHost,
      ca: fixture('api.crt'),
    })

    const answer = await egress.probe(get(`https://${host}/v1`))

    assert.ok(answer.ok, JSON.stringify(answer))
    assert.equal(answer.peer?.address, '127.0.0.1')
    assert.match(answer.peer?.tls?.protocol ?? '', /^TLSv1\.[23]$/)
    assert.equal(target.seen[0]?.headers.host, host)
    assert.equal(target.seen[0]?.servername, 'api.example.test')
  },
)

verifies('http-tools:failures-are-data', 'a bad certificate is tls_failed, in words', async () => {
  await using selfSigned = await startTarget(undefined, {
    tls: { cert: fixture('api.crt'), key: fixture('api.key') },
  })
  await using expired = await startTarget(undefined, {
    tls: { cert: fixture('expired.crt'), key: fixture('expired.key') },
  })
  await using inside = await startTarget(undefined, {
    tls: { cert: fixture('inside.crt'), key: fixture('inside.key') },
  })
  await using plain = await startTarget()
  await using dns = await startDnsServer(() => ({ a: ['127.0.0.1'] }))
  await using egress = open({ privateExceptions: ['127.0.0.1'], resolveHost: dns.resolveHost })
  await using trusting = open({
    privateExceptions: ['127.0.0.1'],
    resolveHost: dns.resolveHost,
    ca: fixture('api.crt') + fixture('expired.crt'),
  })
  const cases = [
    [egress, `https://api.example.test:${selfSigned.port}/`, /self-signed/],
    [egress, `https://inside.example.test:${inside.port}/`, /known authority.*NODE_EXTRA_CA_CERTS/],
    [trusting, `https://expired.example.test:${expired.port}/`, /expired/],
    [trusting, `https://other.example.test:${selfSigned.port}/`, /another name/],
    [trusting, `https://127.0.0.1:${selfSigned.port}/`, /another name/],
    [trusting, `https://api.example.test:${plain.port}/`, /handshake failed/],
  ] as const
  for (const [door, url, words] of cases) {
    const answer = await door.request(get(url))
    assert.ok(!answer.ok, url)
    assert.equal(answer.code, 'tls_failed', url)
    assert.match(answer.message, words)
    assert.equal(answer.mayHaveArrived, false)
  }
})

verifies(
  'http-tools:failures-are-data',
  'a name that does not exist is dns_failed, and can still be saved',
  async () => {
    await using dns = await startDnsServer(() => ({}))
    await using egress = open({ resolveHost: dns.resolveHost })
    const answer = await egress.request(get('https://nowhere.example.test/'))
    assert.equal(!answer.ok && answer.code, 'dns_failed')
    assert.equal(await egress.check('https://nowhere.example.test/', 'a test'), null)
  },
)

verifies(
  'http-tools:failures-are-data',
  'many calls to a name that is looked up slowly ask for it once, so that other names are found meanwhile',
  async () => {
    const asked: string[] = []
    const slow = Promise.withResolvers<string[]>()
    await using egress = open({
      resolveHost: (host) => {
        asked.push(host)
        return host === 'slow.example.test' ? slow.promise : Promise.resolve(['8.8.8.8'])
      },
    })
    const ask = (name: string) => egress.check(`http://${name}.example.test`, 'a test')
    const waiting = [ask('slow'), ask('slow'), ask('slow')]
    assert.equal(await ask('quick'), null)
    assert.deepEqual(asked, ['slow.example.test', 'quick.example.test'])

    slow.resolve(['10.0.0.1'])
    const refused = await Promise.all(waiting)
    assert.deepEqual(
      refused.map((refusal) => refusal?.rule),
      ['non-public-address', 'non-public-address', 'non-public-address'],
    )
    await ask('slow')
    assert.equal(asked.length, 3, 'each later connection looks it up again')
  },
)

verifies('http-tools:failures-are-data', 'a name server that stays silent ends in dns_failed', async () => {
  await using egress = open({
    connectTimeoutMs: 50,
    resolveHost: () => new Promise<string[]>(() => undefined),
  })
  const answer = await egress.request(get('https://slow.example.test/'))
  assert.equal(!answer.ok && answer.code, 'dns_failed')
})

verifies(
  'http-tools:failures-are-data',
  'a closed port is connection_failed; a dead address is skipped for the next',
  async () => {
    await using target = await startTarget(undefined, { host: '127.0.0.2' })
    const { port } = target
    await using egress = open({
      privateExceptions: ['127.0.0.0/8'],
      resolveHost: async (host) => (host.startsWith('both') ? ['127.0.0.3', '127.0.0.2'] : ['127.0.0.3']),
    })

    const refused = await egress.request(get(`http://dead.example.test:${port}/`))
    const second = await egress.request(get(`http://both.example.test:${port}/`))

    assert.equal(!refused.ok && refused.code, 'connection_failed')
    assert.ok(second.ok)
    assert.equal(target.seen.length, 1)
  },
)

verifies(
  'egress:own-origin-refused',
  'a name or an exception that leads back to our own port is refused',
  async () => {
    await using self = await startTarget()
    await using egress = open({
      privateExceptions: [`me.example.test:${self.port}`, '127.0.0.0/8', '::1', '0.0.0.0', '::'],
      ownOrigins: () => [`http://localhost:${self.port}`],
      resolveHost: async () => ['127.0.0.9'],
    })
    for (const host of ['me.example.test', '127.0.0.1', '[::1]', 'localhost', '0.0.0.0', '[::]']) {
      const answer = await egress.request(get(`http://${host}:${self.port}/`))
      assert.equal(!answer.ok && answer.rule, 'own-origin', host)
    }
    assert.equal(self.connections(), 0)
  },
)

verifies(
  'egress:own-origin-refused',
  'behind a proxy of this machine, other services behind it can be called, and we cannot',
  async () => {
    await using proxy = await startTarget()
    await using egress = open({
      privateExceptions: ['127.0.0.0/8'],
      ownOrigins: () => [`http://bellhop.example.test:${proxy.port}/agent`, 'http://localhost:3000'],
      resolveHost: async () => ['127.0.0.1'],
    })
    const ask = (host: string) => egress.request(get(`http://${host}/`))
    const self = await ask(`bellhop.example.test:${proxy.port}`)
    const behind = await ask('shop.example.test:3000')
    assert.deepEqual(
      [self, behind].map((answer) => !answer.ok && answer.rule),
      ['own-origin', 'own-origin'],
    )
    assert.ok((await ask(`shop.example.test:${proxy.port}`)).ok)
  },
)

verifies(
  'egress:no-redirects',
  'a redirect is returned as the answer, by request and by fetch, and its target is never called',
  async () => {
    await using second = await startTarget()
    await using first = await startTarget((_request, response) => {
      response.writeHead(307, { location: `${second.origin}/stolen` }).end('moved')
    })
    await using egress = open({ privateExceptions: ['127.0.0.1'] })

    const answer = await egress.request(get(`${first.origin}/`, { headers: { 'x-api-key': 'k' } }))
    const fetch = egress.openFetch({ headersTimeoutMs: 60_000, idleTimeoutMs: 60_000 }, 'a test')
    const fetched = await fetch(`${first.origin}/`, { redirect: 'follow' })

    assert.ok(answer.ok)
    assert.equal(answer.status, 307)
    assert.equal(answer.headers.location, `${second.origin}/stolen`)
    assert.equal(answer.body.toString(), 'moved')
    assert.equal(fetched.status, 307)
    assert.equal(second.connections(), 0)
  },
)

verifies(
  'egress:one-way-out',
  'the fetch for SDKs refuses what a request refuses, and reports it',
  async () => {
    await using target = await startTarget()
    await using egress = open({
      allowedHosts: ['127.0.0.1', 'api.example.test'],
      resolveHost: async () => ['127.0.0.1'],
    })
    const fetch = egress.openFetch({ headersTimeoutMs: 60_000, idleTimeoutMs: 60_000 }, 'an SDK')
    const urls = {
      [target.origin]: 'non-public-address',
      [`http://api.example.test:${target.port}`]: 'non-public-address',
      'http://other.example.test': 'allowlist',
      [`http://localhost:${target.port}`]: 'local-name',
    }
    for (const [url, rule] of Object.entries(urls)) {
      await assert.rejects(fetch(url), (error) => findEgressError(error)?.rule === rule, url)
      await assert.rejects(
        fetch(new Request(url, { method: 'POST', body: 'x' })),
        (e) => findEgressError(e)?.rule === rule,
      )
    }
    assert.equal(egress.refusals.length, 8)
    assert.equal(target.connections(), 0)
  },
)

verifies(
  'egress:one-way-out',
  'the fetch for SDKs passes method, headers and body on, also those of a Request',
  async () => {
    await using target = await startTarget()
    await using egress = open({ privateExceptions: [target.pair] })
    const fetch = egress.openFetch({ headersTimeoutMs: 60_000, idleTimeoutMs: 60_000 }, 'an SDK')

    const answer = await fetch(`${target.origin}/a`, {
      method: 'POST',
      body: '{}',
      headers: new Headers({ 'x-a': '1' }),
    })
    await fetch(new Request(`${target.origin}/b`, { method: 'PUT', body: 'x', headers: { 'x-b': '2' } }))

    assert.deepEqual(await answer.json(), { ok: true })
    assert.deepEqual(
      target.seen.map(({ method, url, body }) => `${method} ${url} ${body}`),
      ['POST /a {}', 'PUT /b x'],
    )
    assert.equal(target.seen[0]?.headers['x-a'], '1')
    assert.equal(target.seen[1]?.headers['x-b'], '2')
  },
)

verifies('egress:no-header-injection', 'no line break and no reserved header is sent', async () => {
  await using target = await startTarget()
  await using egress = open({ privateExceptions: [target.pair] })
  const headers: Record<string, string>[] = [
    { 'x-a': 'a\r\nx-evil: 1' },
    { 'x-a': 'a\nb' },
    { 'x-a\r\nx-evil': '1' },
    { 'x a': '1' },
    { host: 'other.example.com' },
    { 'Transfer-Encoding': 'chunked' },
    { 'Content-Length': '3' },
    { 'x-a': 'snow☃' },
  ]
  for (const bad of headers) {
    const answer = await egress.request(get(target.origin, { headers: bad }))
    assert.equal(!answer.ok && answer.code, 'invalid_request', JSON.stringify(bad))
  }
  assert.equal(target.connections(), 0)
})

verifies(
  'egress:limits',
  'an answer is decompressed whatever its encoding, and its decompressed size counts',
  async () => {
    const text = 'The quick brown fox. '.repeat(100)
    const encodings: Record<string, Buffer> = {
      gzip: gzipSync(text),
      'x-gzip': gzipSync(text),
      deflate: deflateSync(text),
      'deflate ': deflateRawSync(text),
      br: brotliCompressSync(text),
      zstd: zstdCompressSync(text),
      'gzip, br': brotliCompressSync(gzipSync(text)),
      identity: Buffer.from(text),
      // Labels that servers send although nothing is compressed.
      'utf-8': Buffer.from(text),
      UTF8: Buffer.from(text),
      none: Buffer.from(text),
      binary: Buffer.from(text),
      'aws-chunked': Buffer.from(text),
      'aws-chunked, gzip': gzipSync(text),
    }
    await using target = await startTarget(({ url }, response) => {
      const name = decodeURIComponent(url.slice(1))
      response.writeHead(200, { 'content-encoding': name }).end(encodings[name])
    })
    await using egress = open({ privateExceptions: [target.pair] })
    for (const name of Object.keys(encodings)) {
      const url = `${target.origin}/${encodeURIComponent(name)}`
      const answer = await egress.request(get(url))
      assert.ok(answer.ok, name)
      assert.equal(answer.body.toString(), text, name)
      const small = await egress.request(get(url, { limits: { ...limits, maxBytes: 500 } }))
      assert.equal(!small.ok && small.code, 'too_large', name)
    }
  },
)

verifies('egress:gzip-bomb', 'a small body that decompresses to a gigabyte ends with too_large', async () => {
  // Members of 64 MiB, one after another: together a gigabyte.
  const gigabyte = Buffer.concat(Array<Buffer>(16).fill(gzipSync(Buffer.alloc(64 * 1024 * 1024))))
  const bomb = gzipSync(gigabyte)
  assert.ok(gigabyte.length < 2_000_000 && bomb.length < 100_000, `${gigabyte.length} and ${bomb.length}`)
  await using target = await startTarget(({ url }, response) => {
    const nested = url === '/nested'
    response
      .writeHead(200, { 'content-encoding': nested ? 'gzip, gzip' : 'gzip' })
      .end(nested ? bomb : gigabyte)
  })
  await using egress = open({ privateExceptions: [target.pair] })
  for (const path of ['/plain', '/nested']) {
    const answer = await egress.request(get(target.origin + path))
    assert.equal(!answer.ok && answer.code, 'too_large', path)
  }
})

verifies(
  ['http-tools:odd-answers', 'runs:fenced'],
  'broken encodings are bad_answer, in our words alone',
  async () => {
    await using target = await startTarget(({ url }, response) => {
      const encoding = decodeURIComponent(url.slice(1))
      response
        .writeHead(200, { 'content-encoding': encoding })
        .end(encoding === 'gzip' ? gzipSync('x').subarray(0, 12) : 'x')
    })
    await using egress = open({ privateExceptions: [target.pair] })
    for (const encoding of ['gzip', 'br', 'deflate', 'zstd', 'obey me', 'gzip,gzip,gzip,gzip']) {
      const answer = await egress.request(get(`${target.origin}/${encodeURIComponent(encoding)}`))
      assert.equal(!answer.ok && answer.code, 'bad_answer', encoding)
      // The model reads it outside of any fence.
      assert.doesNotMatch(answer.ok ? '' : answer.message, /obey/)
    }
  },
)

verifies(
  ['http-tools:odd-answers', 'egress:limits'],
  'endless, slow, truncated and malformed answers end as data',
  async () => {
    const raw: Record<string, (write: (text: string) => void, end: () => void) => void> = {
      '/endless': (write) => {
        write('HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n')
        const more = () => {
          for (let i = 0; i < 10; i++) write('x'.repeat(10_000))
        }
        more()
        setTimeout(more, 5)
      },
      '/announced': (write) => write('HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\nx'),
      '/silent': () => undefined,
      '/loris-head': (write) => write('HTTP/1.1 200 OK\r\nx-a: '),
      '/loris-body': (write) => write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nx'),
      '/cut': (write, end) => {
        write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nonly this')
        end()
      },
      '/gone': (_write, end) => end(),
      '/nonsense': (write) => write('SSH-2.0-OpenSSH_9.9\r\n'),
      '/huge-head': (write) => write(`HTTP/1.1 200 OK\r\nx-a: ${'x'.repeat(200_000)}\r\n\r\n`),
      '/chunk': (write) => write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n'),
      '/two-lengths': (write) =>
        write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 5\r\n\r\nhello'),
      '/length-and-chunks': (write) =>
        write(
          'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
        ),
      '/unasked-continue': (write) => write('HTTP/1.1 100 Continue\r\n\r\n'),
      '/unasked-upgrade': (write) =>
        write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
      '/status-zero': (write) => write('HTTP/1.1 000 Nothing\r\ncontent-length: 0\r\n\r\n'),
      '/too-long': (write) =>
        write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n\r\nsmuggled'),
    }
    await using target = await startRawTarget((socket) => {
      socket.once('data', (data) => {
        const path = /^GET (\S+)/.exec(data.toString())?.[1] ?? ''
        raw[path]?.(
          (text) => socket.write(text),
          () => socket.destroySoon(),
        )
      })
    })
    await using egress = open({ privateExceptions: [target.pair] })
    // What ends by itself has enough time, even on a busy machine.
    const patient = { headersTimeoutMs: 20_000, totalTimeoutMs: 20_000, maxBytes: 50_000 }
    const hasty = { ...patient, headersTimeoutMs: 150, totalTimeoutMs: 300 }
    const outcomes: Record<string, string> = {}
    for (const path of Object.keys(raw)) {
      const limits = /silent|loris/.test(path) ? hasty : patient
      const answer = await egress.request(get(target.origin + path, { limits }))
      outcomes[path] = answer.ok ? `${answer.status} ${answer.body}` : answer.code
    }
    assert.deepEqual(outcomes, {
      '/endless': 'too_large',
      '/announced': 'too_large',
      '/silent': 'timeout',
      '/loris-head': 'timeout',
      '/loris-body': 'timeout',
      '/cut': 'bad_answer',
      '/gone': 'connection_failed',
      '/nonsense': 'bad_answer',
      '/huge-head': 'bad_answer',
      '/chunk': 'bad_answer',
      '/two-lengths': 'bad_answer',
      '/length-and-chunks': 'bad_answer',
      '/unasked-continue': 'bad_answer',
      '/unasked-upgrade': 'bad_answer',
      '/status-zero': 'bad_answer',
      '/too-long': '200 ok',
    })
  },
)

verifies(
  'egress:limits',
  'a connection that is not accepted in time is a timeout before anything was sent',
  async () => {
    await using target = await startRawTarget(() => undefined)
    const port = Number(new URL(target.origin).port)
    // TLS to a server that never answers: the connection is open, the handshake never ends.
    await using egress = open({ privateExceptions: [target.pair], connectTimeoutMs: 60 })
    const answer = await egress.request(get(`https://127.0.0.1:${port}/`))
    assert.equal(!answer.ok && answer.code, 'timeout')
    assert.equal(!answer.ok && answer.mayHaveArrived, false)
  },
)

verifies(
  'http-tools:failures-are-data',
  'a cancelled call ends at once, and one that was cancelled before is not sent',
  async () => {
    await using target = await startTarget(() => controller.abort())
    await using egress = open({ privateExceptions: [target.pair] })
    const controller = new AbortController()

    const cancelled = await egress.request(get(target.origin, { signal: controller.signal }))
    const before = await egress.request(get(target.origin, { signal: AbortSignal.abort() }))

    assert.equal(!cancelled.ok && cancelled.code, 'aborted')
    assert.equal(!cancelled.ok && cancelled.mayHaveArrived, true)
    assert.equal(!before.ok && before.mayHaveArrived, false)
    assert.equal(target.seen.length, 1)

    // Nor is one sent whose caller says no once the connection is there.
    const refused = await egress.request(get(target.origin, { maySend: () => false }))
    assert.deepEqual(!refused.ok && [refused.code, refused.mayHaveArrived], ['aborted', false])
    assert.equal(target.seen.length, 1)

    // Nor is a request sent that was cancelled while its connection was being opened.
    await using shop = await startTarget()
    const [asked, found] = [Promise.withResolvers<void>(), Promise.withResolvers<string[]>()]
    const resolveHost = () => {
      asked.resolve()
      return found.promise
    }
    await using slow = open({ privateExceptions: ['127.0.0.0/8'], resolveHost })
    const givenUp = new AbortController()
    const url = `http://slow.example.test:${shop.port}`
    const late = slow.request(get(`${url}/late`, { signal: givenUp.signal }))
    await asked.promise
    givenUp.abort()
    const ended = await late
    assert.equal(!ended.ok && ended.mayHaveArrived, false)
    const next = slow.request(get(`${url}/next`))
    found.resolve(['127.0.0.1'])
    assert.ok((await next).ok)
    assert.deepEqual(
      shop.seen.map(({ url: path }) => path),
      ['/next'],
    )
  },
)

// Some containers have no IPv6 at all.
if (Object.values(networkInterfaces()).some((here) => here?.some(({ address }) => address === '::1'))) {
  verifies('egress:host-and-sni-kept', 'IPv6 addresses are dialled too', async () => {
    await using target = await startTarget(undefined, { host: '::1' })
    await using egress = open({
      privateExceptions: ['::1/128'],
      resolveHost: async () => ['0:0:0:0:0:0:0:1'],
    })
    assert.ok((await egress.request(get(`${target.origin}/`))).ok)
    assert.ok((await egress.request(get(`http://six.example.test:${target.port}/`))).ok)
  })
}

verifies(
  'connectors:save-and-test',
  'where only the status is wanted, an endless body does not matter',
  async () => {
    await using target = await startRawTarget((socket) => {
      socket.once('data', () => socket.write('HTTP/1.1 418 Teapot\r\ncontent-length: 99999999999\r\n\r\nx'))
    })
    await using egress = open({ privateExceptions: [target.pair] })
    const answer = await egress.probe(get(target.origin, { discardsBody: true }))
    assert.equal(answer.ok && answer.status, 418)
  },
)

verifies('http-tools:default-headers', 'an accept-encoding of one’s own replaces ours', async () => {
  await using target = await startTarget()
  await using egress = open({ privateExceptions: [target.pair] })
  await egress.request(get(target.origin, { headers: { 'Accept-Encoding': 'identity' } }))
  assert.equal(target.seen[0]?.headers['accept-encoding'], 'identity')
})
