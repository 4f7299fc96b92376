import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { requestSecrets } from '../../src/connectors/auth/request-secrets.ts'
import { buildRequest, type RequestConnector } from '../../src/connectors/http/build-request.ts'
import { sendRequest } from '../../src/connectors/http/send-request.ts'
import { openEgress } from '../../src/platform/egress/open-egress.ts'
import { Secret } from '../../src/platform/secret.ts'
import { startTarget } from '../support/start-target.ts'
import { verifies } from '../support/verifies.ts'

type Settings = Partial<RequestConnector> & {
  authValue?: string
  sealed?: Record<string, string>
  timeoutMs?: number
}

/** One GET of a tool against the target, as the gate would send it. */
async function call(
  origin: string,
  path: string,
  { authValue, sealed = {}, timeoutMs, ...settings }: Settings = {},
) {
  const connector: RequestConnector = {
    baseUrl: origin,
    defaultHeaders: Object.fromEntries(Object.keys(sealed).map((name) => [name, null])),
    authType: 'none',
    authName: null,
    hasAuthValue: authValue !== undefined,
    ...settings,
  }
  const tool = { method: 'GET', path, locations: {}, bodyFormat: 'json', inputSchema: {} } as const
  const built = buildRequest(tool, connector, {}, 'call_1')
  assert.ok(built.ok)
  const secrets = requestSecrets({
    authType: connector.authType,
    authName: connector.authName,
    authValue: authValue === undefined ? null : new Secret(authValue),
    headers: Object.entries(sealed).map(([name, value]) => ({ name, value: new Secret(value) })),
  })
  await using egress = openEgress({
    allowedHosts: [],
    privateExceptions: ['127.0.0.1'],
    ownOrigins: () => [],
  })
  return await sendRequest({ egress }, built.request, secrets, {
    timeoutMs: timeoutMs ?? null,
    purpose: 'a test',
  })
}

verifies(
  'http-tools:auth-none',
  'auth type none sends no credentials, also none that are still stored',
  async () => {
    await using target = await startTarget()
    await call(target.origin, '/')
    await call(target.origin, '/', { authType: 'none', authValue: 'of-another-time' })
    for (const { headers } of target.seen) {
      assert.equal(headers.authorization, undefined)
      assert.equal(headers['x-api-key'], undefined)
      assert.ok(!JSON.stringify(headers).includes('of-another-time'))
    }
    assert.equal(target.seen.length, 2)
  },
)

verifies('http-tools:auth-bearer', 'auth type bearer sends the value as a bearer token', async () => {
  await using target = await startTarget()
  await call(target.origin, '/', { authType: 'bearer', authValue: 'tok_123' })
  assert.equal(target.seen[0]?.headers.authorization, 'Bearer tok_123')
})

verifies('http-tools:auth-api-key', 'auth type api_key sends the value in its header', async () => {
  await using target = await startTarget()
  await call(target.origin, '/', { authType: 'api_key', authValue: 'k1' })
  await call(target.origin, '/', { authType: 'api_key', authValue: 'k2', authName: 'X-Shop-Key' })
  assert.equal(target.seen[0]?.headers['x-api-key'], 'k1')
  assert.equal(target.seen[1]?.headers['x-shop-key'], 'k2')
  assert.equal(target.seen[1]?.headers['x-api-key'], undefined)
})

verifies('http-tools:auth-basic', 'auth type basic encodes username:password, in UTF-8', async () => {
  await using target = await startTarget()
  await call(target.origin, '/', { authType: 'basic', authValue: 'kim:pass:wörd' })
  assert.equal(
    target.seen[0]?.headers.authorization,
    `Basic ${Buffer.from('kim:pass:wörd').toString('base64')}`,
  )
})

verifies(
  'http-tools:auth-wins',
  'a sealed default header is sent, but not over the authentication',
  async () => {
    await using target = await startTarget()
    await call(target.origin, '/', {
      sealed: { 'X-Token': 's3cret', authorization: 'old' },
      authType: 'bearer',
      authValue: 'new',
    })
    assert.equal(target.seen[0]?.headers['x-token'], 's3cret')
    assert.equal(target.seen[0]?.headers.authorization, 'Bearer new')
  },
)

verifies(
  'http-tools:answer-unchanged',
  'status, media type and body come back exactly as sent, whatever the status',
  async () => {
    const texts: Record<string, [number, string, string]> = {
      '/json': [200, 'application/json', '{ "b": 12345678901234567890, "a": 1.10,\n\t"a": 2 }'],
      '/error': [503, 'application/problem+json; charset=utf-8', '{"detail":"☃"}'],
      '/bom': [200, 'text/csv', '\ufeffa;b\r\n'],
      '/none': [404, '', 'no type'],
      '/empty': [204, '', ''],
    }
    await using target = await startTarget(({ url }, response) => {
      const [status, type, text] = texts[url] ?? [500, '', '']
      response.writeHead(status, type ? { 'content-type': type } : {}).end(text)
    })
    for (const [path, [status, type, text]] of Object.entries(texts)) {
      const answer = await call(target.origin, path)
      assert.ok(answer.ok)
      assert.equal(answer.status, status)
      assert.equal(answer.contentType, type || null)
      assert.deepEqual(answer.body, { kind: 'text', text, isExact: true })
    }
  },
)

verifies(
  'http-tools:redirect-is-the-answer',
  'a redirect comes back with its target, which is not called',
  async () => {
    await using target = await startTarget((_request, response) => {
      response.writeHead(302, { location: 'https://elsewhere.example.com/' }).end()
    })
    const answer = await call(target.origin, '/')
    assert.ok(answer.ok)
    assert.equal(answer.status, 302)
    assert.equal(answer.location, 'https://elsewhere.example.com/')
    assert.equal(target.seen.length, 1)
  },
)

verifies('http-tools:binary-described', 'binary bodies are described; images are kept', async () => {
  const bytes = Buffer.from('89504e470d0a1a0a00', 'hex')
  await using target = await startTarget(({ url }, response) => {
    response.writeHead(200, { 'content-type': url === '/image' ? 'image/png' : 'application/pdf' }).end(bytes)
  })
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const file = await call(target.origin, '/file')
  const image = await call(target.origin, '/image')
  assert.deepEqual(file.ok && file.body, {
    kind: 'binary',
    mediaType: 'application/pdf',
    sizeBytes: 9,
    sha256,
  })
  assert.deepEqual(image.ok && image.body, { kind: 'image', mediaType: 'image/png', bytes, sha256 })
})

verifies(
  'http-tools:binary-described',
  'the bytes decide what kind of image it is, and whether it is one: a provider refuses a request with a wrong label',
  async () => {
    const jpeg = 'ffd8ffe000104a464946'
    const answers: Record<string, [type: string, hex: string, expected: string]> = {
      '/jpg': ['image/jpg', jpeg, 'image/jpeg'],
      '/mislabelled': ['image/png', jpeg, 'image/jpeg'],
      '/gif': ['image/gif', Buffer.from('GIF89a').toString('hex'), 'image/gif'],
      '/webp': ['image/webp', Buffer.from('RIFF\0\0\0\0WEBPVP8 ').toString('hex'), 'image/webp'],
      '/page': ['image/png', Buffer.from('<p>Sign in</p>').toString('hex'), 'text'],
      '/broken': ['image/png', '0001fffe', 'binary'],
      '/other': ['image/tiff', '49492a00ff', 'binary'],
    }
    await using target = await startTarget(({ url }, response) => {
      const [type = '', hex = ''] = answers[url] ?? []
      response.writeHead(200, { 'content-type': type }).end(Buffer.from(hex, 'hex'))
    })
    for (const [path, [, , expected]] of Object.entries(answers)) {
      const answer = await call(target.origin, path)
      assert.ok(answer.ok)
      assert.equal(answer.body.kind === 'image' ? answer.body.mediaType : answer.body.kind, expected, path)
    }
  },
)

verifies(
  'http-tools:odd-answers',
  'text that is not UTF-8 is read by its charset, or shown as far as it can be',
  async () => {
    await using target = await startTarget(({ url }, response) => {
      const type =
        url === '/latin'
          ? 'text/plain; charset=iso-8859-1'
          : url === '/odd'
            ? 'text/plain; charset=x-none'
            : 'text/plain'
      response.writeHead(200, { 'content-type': type }).end(Buffer.from([0x63, 0x61, 0x66, 0xe9]))
    })
    const latin = await call(target.origin, '/latin')
    const broken = await call(target.origin, '/broken')
    const odd = await call(target.origin, '/odd')
    assert.deepEqual(latin.ok && latin.body, { kind: 'text', text: 'café', isExact: true })
    assert.deepEqual(broken.ok && broken.body, { kind: 'text', text: 'caf\ufffd', isExact: false })
    assert.deepEqual(odd.ok && odd.body, { kind: 'text', text: 'caf\ufffd', isExact: false })
  },
)

verifies(
  'http-tools:echoed-credential-masked',
  'an echo of the credential is masked as well where a URL or a JSON writer has escaped its characters',
  async () => {
    const authValue = 'live/planted+key=="<4>'
    const echoes: Record<string, string> = {
      '/php': JSON.stringify(authValue).replaceAll('/', '\\/'),
      '/dotnet': JSON.stringify(authValue)
        .replaceAll('\\"', '\\u0022')
        .replaceAll(/[+<>]/g, (character) => `\\u00${character.charCodeAt(0).toString(16).toUpperCase()}`),
      '/go': JSON.stringify(authValue).replaceAll('<', '\\u003c').replaceAll('>', '\\u003e'),
      '/link': `https://a.example.test/?key=${encodeURIComponent(authValue)}`,
      '/lower': `https://a.example.test/?key=${encodeURIComponent(authValue).toLowerCase()}`,
      '/html': authValue.replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
    }
    await using target = await startTarget(({ url }, response) => {
      response.setHeader('content-type', 'text/plain').end(new Map(Object.entries(echoes)).get(url))
    })
    // Inside another text, so that Base64 begins at each of the three places of a group.
    const coded = ['', 'x', 'xy'].map((before) => Buffer.from(`${before}${authValue}&more`))
    for (const [n, bytes] of coded.entries()) {
      for (const encoding of ['base64', 'base64url', 'hex'] as const)
        echoes[`/${encoding}-${n}`] = bytes.toString(encoding)
      echoes[`/upper-${n}`] = bytes.toString('hex').toUpperCase()
      echoes[`/percent-${n}`] = bytes.toString('hex').replaceAll(/../g, '%$&')
      echoes[`/linked-${n}`] = encodeURIComponent(bytes.toString('base64'))
    }
    for (const path of Object.keys(echoes)) {
      const answer = await call(target.origin, path, { authType: 'api_key', authValue })
      assert.ok(answer.ok && answer.hasMaskedCredential, path)
      assert.doesNotMatch(JSON.stringify(answer), /planted/, path)
      const text = answer.body.kind === 'text' ? answer.body.text : ''
      const left = text.replace('[masked credential]', '')
      assert.ok(left.length < (echoes[path]?.length ?? 0) / 2, `${path}: ${left}`)
    }
  },
)

verifies(
  'http-tools:echoed-credential-masked',
  'an echo of the connector’s own credential is masked in every form',
  async () => {
    await using target = await startTarget(({ headers }, response) => {
      response.setHeader('content-type', 'application/json').end(JSON.stringify(headers))
    })
    const basic = await call(target.origin, '/', { authType: 'basic', authValue: 'kim:correct"horse' })
    const sealed = await call(target.origin, '/', { sealed: { 'X-Token': 'header-secret-1' } })
    const short = await call(target.origin, '/', { authType: 'bearer', authValue: 'short' })

    assert.ok(basic.ok && sealed.ok && short.ok)
    for (const answer of [basic, sealed]) {
      assert.equal(answer.hasMaskedCredential, true)
      assert.match(answer.body.kind === 'text' ? answer.body.text : '', /\[masked credential\]/)
      assert.doesNotMatch(JSON.stringify(answer), /correct|a2ltOmNvcnJlY3|header-secret-1/)
    }
    assert.match(JSON.stringify(short), /\[masked credential\]/)
    await using decoding = await startTarget(({ headers }, response) => {
      const pair = Buffer.from(headers.authorization?.slice('Basic '.length) ?? '', 'base64').toString()
      const password = pair.slice('kim:'.length)
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ pair, password }))
    })
    const decoded = await call(decoding.origin, '/', { authType: 'basic', authValue: 'kim:correct"horse' })
    assert.equal(
      decoded.ok && decoded.body.kind === 'text' && decoded.body.text,
      '{"pair":"[masked credential]","password":"[masked credential]"}',
    )
    const alike = { 'X-Token': 'header-secret-1', 'X-Other': 'header-secret-1-and-more' }
    assert.doesNotMatch(JSON.stringify(await call(target.origin, '/', { sealed: alike })), /and-more/)
    await using moved = await startTarget(({ headers }, response) => {
      const location = `/?was=${headers.authorization?.slice('Bearer '.length)}`
      response.writeHead(302, { location, 'content-type': `text/${headers['x-token']}` }).end()
    })
    const redirect = await call(moved.origin, '/', {
      authType: 'bearer',
      authValue: 'bearer-secret-1',
      sealed: { 'X-Token': 'header-secret-1' },
    })
    assert.equal(redirect.ok && redirect.location, '/?was=[masked credential]')
    assert.equal(redirect.ok && redirect.contentType, 'text/[masked credential]')
    await using plain = await startTarget((_request, response) => response.end('a short text'))
    const text = await call(plain.origin, '/', { authType: 'bearer', authValue: 'short' })
    assert.equal(text.ok && text.hasMaskedCredential, false)
  },
)

verifies(
  'http-tools:failures-are-data',
  'the time limit of the connector ends a slow call as data',
  async () => {
    await using target = await startTarget(() => undefined)
    // Retried with a longer limit, since a busy machine may need more time.
    for (let timeoutMs = 100; target.seen.length === 0; timeoutMs *= 2) {
      const answer = await call(target.origin, '/', { timeoutMs })
      assert.ok(!answer.ok)
      assert.equal(answer.code, 'timeout')
      if (target.seen.length > 0) assert.equal(answer.mayHaveArrived, true)
    }
  },
)

verifies('http-tools:failures-are-data', 'an answer over 10 MiB is too_large', async () => {
  await using target = await startTarget((_request, response) => {
    response.on('error', () => undefined).end(Buffer.alloc(10 * 1024 * 1024 + 1, 'x'))
  })
  const answer = await call(target.origin, '/')
  assert.equal(!answer.ok && answer.code, 'too_large')
})
