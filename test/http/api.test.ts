import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { z } from 'zod'
import { createMetrics } from '../../src/app/create-metrics.ts'
import { createApi, type Route } from '../../src/http/api.ts'
import { createApiDescription } from '../../src/http/api-description.ts'
import { endpoint } from '../../src/http/endpoint.ts'
import { type ProblemType, problem, problems } from '../../src/http/problems.ts'
import { listen } from '../../src/platform/http-server/listen.ts'
import { createSourceAddress } from '../../src/platform/http-server/source-address.ts'
import { createLog } from '../../src/platform/log.ts'
import { openTracing } from '../../src/platform/tracing.ts'
import { systemActor } from '../../src/shared/actor.ts'
import { explainIssue } from '../../src/shared/explain-issue.ts'
import { routeMatrix } from '../accounts/route-matrix.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { general } from '../support/start-shop.ts'
import { startTestApp, testApiKey } from '../support/start-test-app.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp())

type Body = {
  type: string
  title: string
  status: number
  detail: string
  instance: string
  errors?: { pointer: string; detail: string }[]
}

type Described = {
  summary: string
  requestBody?: { required: boolean }
  responses: Record<string, { content?: Record<string, unknown> }>
}

/** The web app alone, with test routes that fail in every possible way. */
async function openApi(routes: Route<Parameters<typeof createApi>[0]>[], lines: string[] = []) {
  const log = await createLog({
    level: 'debug',
    pretty: false,
    destination: { write: (line: string) => void lines.push(line) },
  })
  const api = createApi(
    {
      log,
      metrics: createMetrics(),
      tracing: await openTracing(null, '0'),
      sourceAddress: createSourceAddress([]),
      authentication: { findActor: async () => systemActor, sessionOf: () => null },
    },
    routes,
    {
      checkOrigin: () => undefined,
      onDenied: async () => undefined,
      onChanged: async () => undefined,
      servePage: async () => null,
    },
  )
  const bindings = { incoming: { socket: { remoteAddress: '203.0.113.7' } } }
  return async (path: string, init: RequestInit = {}) => {
    const response = await api.request(path, init, bindings)
    const text = await response.text()
    return { response, text, body: (text ? JSON.parse(text) : undefined) as Body }
  }
}

function failing(path: string, fail: () => never): Route<unknown> {
  return {
    method: 'GET',
    path,
    access: 'anyone',
    endpoint: endpoint<unknown>()({ summary: 'fails', answer: async () => fail() }),
  }
}

verifies(
  ['http:every-problem', 'http:problem-json'],
  'every row of the problem table is answered with its status, title and type',
  async () => {
    const types = Object.keys(problems) as ProblemType[]
    const ask = await openApi(
      types.map((type) =>
        failing(`/${type}`, () => {
          throw problem(type, `detail of ${type}`)
        }),
      ),
    )
    for (const type of types) {
      const { response, body } = await ask(`/${type}`)
      assert.equal(response.status, problems[type].status)
      assert.equal(response.headers.get('content-type'), 'application/problem+json')
      const { instance, ...rest } = body
      assert.deepEqual(rest, {
        type,
        title: problems[type].title,
        status: problems[type].status,
        detail: `detail of ${type}`,
      })
      assert.match(instance, /^req_/)
    }
  },
)

verifies(
  ['http:mute-500', 'http:no-echo', 'http:request-id', 'log:one-line-per-unit'],
  'an unexpected error reveals nothing in the answer and everything in the log, under the same id',
  async () => {
    const lines: string[] = []
    const ask = await openApi(
      [
        failing('/boom', () => {
          throw new Error('planted-secret-in-error')
        }),
      ],
      lines,
    )
    const { response, text, body } = await ask('/boom')
    assert.equal(response.status, 500)
    assert.equal(body.type, 'internal-error')
    assert.ok(!text.includes('planted-secret'))
    assert.equal(response.headers.get('x-request-id'), body.instance)
    const logged = lines.map((line) => JSON.parse(line))
    assert.ok(
      logged.some(
        (line) =>
          line.msg === 'request.failed' &&
          line.err.message.includes('planted-secret') &&
          line.requestId === body.instance,
      ),
    )
    assert.equal(logged.filter((line) => line.msg === 'request.answered').length, 1)

    // One line with the id of its answer, whatever the answer is.
    for (const path of ['/nowhere', '/api/v1/nowhere', '/boom']) {
      lines.length = 0
      const { response } = await ask(path)
      const answered = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request.answered')
      assert.deepEqual(
        answered.map((line) => [line.path, line.status, line.requestId]),
        [[path, response.status, response.headers.get('x-request-id')]],
      )
      assert.match(response.headers.get('x-request-id') ?? '', /^req_/)
    }
    // A sender that mistypes the address of a webhook does not put its token into our log.
    for (const path of [
      `/hook/whk_${'t'.repeat(43)}`,
      `/api/hooks/whk_${'t'.repeat(43)}/`,
      `/blh_${'t'.repeat(43)}`,
    ]) {
      const { text } = await ask(path, { method: 'POST' })
      assert.match(text, /There is no page or endpoint at .*_…/)
      assert.ok(!text.includes('tttt') && !lines.join().includes('tttt'), lines.join())
    }
  },
)

verifies(
  'http:invalid-fields-422',
  'invalid fields are 422 with pointers, unparsable input is 400, another type or a compressed body is 415',
  async () => {
    const shape = z.strictObject({ name: z.string(), tools: z.array(z.object({ 'a/b': z.number() })) })
    const route: Route<unknown> = {
      method: 'POST',
      path: '/things',
      access: 'anyone',
      endpoint: endpoint<unknown>()({
        summary: 'makes',
        body: shape,
        returns: shape,
        answer: async (_, { body }) => body,
      }),
    }
    const ask = await openApi([route])
    const post = (body: string, type = 'application/json') =>
      ask('/things', { method: 'POST', body, headers: { 'content-type': type } })

    const latin1 = Buffer.from('{"name":"M\xfcller","tools":[]}', 'latin1')
    const garbled = await ask('/things', { method: 'POST', body: latin1 })
    assert.deepEqual([garbled.response.status, garbled.body.type], [400, 'malformed-json'])
    const missing = await post('{"tools":{}}')
    assert.deepEqual(missing.body.errors, [
      { pointer: '/name', detail: 'This field is required.' },
      { pointer: '/tools', detail: 'This must be a list.' },
    ])
    const wrong = await post('{"name":1,"tools":[{"a/b":"x"}],"m/o~re":true}')
    assert.equal(wrong.response.status, 422)
    assert.deepEqual(wrong.body.errors?.map(({ pointer }) => pointer).sort(), [
      '/m~1o~0re',
      '/name',
      '/tools/0/a~1b',
    ])
    assert.equal((await post('{"name":')).response.status, 400)
    assert.equal((await post('')).body.type, 'malformed-json')
    assert.equal((await post('name=x', 'application/x-www-form-urlencoded')).response.status, 415)
    assert.equal((await post('{"name":"a","tools":[]}', 'application/merge-patch+json')).response.status, 200)
    const body = gzipSync('{"name":"a","tools":[]}')
    const packed = await ask('/things', { method: 'POST', body, headers: { 'content-encoding': 'gzip' } })
    assert.deepEqual([packed.response.status, packed.body.type], [415, 'unsupported-media-type'])
    const plain = { 'content-type': 'application/json', 'content-encoding': 'identity' }
    const sent = { method: 'POST', body: '{"name":"a","tools":[]}', headers: plain }
    assert.equal((await ask('/things', sent)).response.status, 200)
  },
)

verifies('http:invalid-fields-422', 'a value beyond a limit is told the limit in plain words', () => {
  const shape = z.object({
    least: z.number().min(0),
    most: z.number().max(9),
    above: z.number().positive(),
    below: z.number().lt(3),
    many: z.array(z.string()).max(1),
    few: z.array(z.string()).min(2),
    short: z.string().min(12),
    named: z.record(z.string().min(1), z.string()),
  })
  const few = { many: ['a', 'b'], few: ['a'], short: 'x', named: { '': 'x' } }
  const value = { least: -1, most: 10, above: 0, below: 3, ...few }
  const issues = shape.safeParse(value, { error: explainIssue }).error?.issues ?? []
  assert.deepEqual(Object.fromEntries(issues.map(({ path, message }) => [path[0], message])), {
    least: 'Use 0 or more.',
    most: 'Use 9 or less.',
    above: 'Use more than 0.',
    below: 'Use less than 3.',
    many: 'Give 1 at most.',
    few: 'Give 2 or more.',
    short: 'Use 12 characters or more.',
    named: 'This name is empty, too long or unknown.',
  })
})

verifies('http:invalid-fields-422', 'an id that cannot exist is refused in plain words', async () => {
  const app = await sharedApp()
  const wrong = [
    ['POST', `/api/v1/channels/${general}/messages`, { text: 'Hello', threadId: 'msg_1' }, 'message'],
    ['GET', '/api/v1/channels?workspaceId=wsp_1', undefined, 'workspace'],
    ['GET', '/api/v1/messages?q=hello&channelId=chan_1', undefined, 'channel'],
    ['GET', '/api/v1/stats?webhookId=hook_1', undefined, 'webhook'],
  ] as const
  for (const [method, path, sent, thing] of wrong) {
    const { status, body } = await app.api<{ errors: { detail: string }[] }>(method, path, sent)
    assert.equal(status, 422, path)
    assert.deepEqual(
      body.errors.map(({ detail }) => detail),
      [`There is no such ${thing}.`],
    )
  }
})

verifies(
  ['http:security-headers', 'http:request-id'],
  'every answer, errors included, carries a strict policy',
  async () => {
    const app = await sharedApp()
    const asset = /\/assets\/[\w.-]+\.js/.exec((await app.api('GET', '/')).text)?.[0]
    assert.ok(asset)
    const cut = new AbortController()
    for (const [method, path] of [
      ['GET', '/'],
      ['GET', '/no/such/page'],
      ['GET', asset],
      ['GET', '/healthz'],
      ['GET', '/metrics'],
      ['GET', '/api/docs'],
      ['GET', '/api/v1/webhooks'],
      ['GET', '/api/v1/stream'],
      ['GET', '/api/v1/nowhere'],
      ['PUT', '/api/v1/webhooks'],
      ['POST', '/api/v1/session'],
      ['POST', '/mcp'],
    ] as const) {
      const authorization = `Bearer ${testApiKey}`
      const answer = await fetch(app.url + path, { method, headers: { authorization }, signal: cut.signal })
      const { headers } = answer
      assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'; script-src 'self'/)
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
      assert.equal(headers.get('x-frame-options'), 'DENY')
      assert.equal(headers.get('referrer-policy'), 'no-referrer')
      assert.match(headers.get('x-request-id') ?? '', /^req_/, path)
    }
    // The stream would go on.
    cut.abort()
  },
)

verifies('http:body-limit', 'a body over the limit is refused while it streams', async () => {
  const app = await sharedApp()
  const { hostname, port } = new URL(app.url)
  const socket = connect(Number(port), hostname)
  let answer = ''
  socket.on('data', (bytes) => {
    answer += bytes
  })
  socket.on('error', () => undefined)
  socket.write(
    `POST /api/v1/session HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${testApiKey}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`,
  )
  const chunk = 'x'.repeat(64 * 1024)
  // Endless and far over the limit: only a server that counts while it reads can answer this.
  for (let sent = 0; sent < 32 && !answer; sent++) {
    socket.write(`${chunk.length.toString(16)}\r\n${chunk}\r\n`)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await until(() => answer.includes('body-too-large'))
  socket.destroy()
  assert.match(answer, /^HTTP\/1\.1 413 /)

  // An unauthorised caller is refused before the body is read, which would take memory.
  const stranger = connect(Number(new URL(app.url).port), '127.0.0.1')
  stranger.write('POST /api/v1/channels HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{\r\n')
  const [told] = (await once(stranger, 'data')) as [Buffer] // what a socket without an encoding gives
  assert.match(told.toString(), /^HTTP\/1\.1 401 /)
  stranger.destroy()
  const { status } = await fetch(`${app.url}/api/v1/session`, {
    method: 'POST',
    body: JSON.stringify({ email: 'x', password: 'x'.repeat(70_000) }),
  })
  assert.equal(status, 413, 'nor is much of it read where anybody may come in')
  // A client that sends everything before it reads still gets the answer.
  const large = await fetch(`${app.url}/api/v1/webhooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testApiKey}` },
    body: 'x'.repeat(6 * 1024 * 1024),
  })
  assert.equal(large.status, 413)
})

verifies(
  'http:body-limit',
  'a body made of many small values, which would take long to parse, is refused; a long text is not',
  async () => {
    const app = await sharedApp()
    const post = async (path: string, body: string, key: string | null = testApiKey) => {
      const authorization = key === null ? undefined : `Bearer ${key}`
      const response = await fetch(app.url + path, {
        method: 'POST',
        body,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...(authorization ? { authorization } : {}),
        },
      })
      return { status: response.status, text: await response.text() }
    }
    const many = (n: number) => `[${Array(n).fill('{}').join()}]`
    const call = (input: string) =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"a":${input}}}}`
    for (const [path, body, key] of [
      ['/api/v1/channels', `{"name":${many(300_000)}}`, testApiKey],
      ['/api/v1/channels', `{"name":"x",${'"a":1,'.repeat(60_000)}"b":1}`, testApiKey],
      ['/api/v1/session', `{"email":${many(20_000)}}`, null],
      ['/mcp', call(many(300_000)), testApiKey],
    ] as const) {
      const { status, text } = await post(path, body, key)
      assert.equal(status, 413, path)
      assert.match(text, /body-too-large.*values at most/, path)
    }
    const commas = JSON.stringify('a,[{"'.repeat(100_000))
    assert.equal((await post('/api/v1/channels', `{"name":${commas}}`)).status, 422)
    assert.equal((await post('/mcp', call(commas))).status, 200)
    assert.equal((await post('/api/v1/channels', `{"name":${many(1000)}}`)).status, 422)
  },
)

verifies(
  ['http:healthz', 'http:metrics'],
  'health is public; metrics need METRICS_TOKEN when one is set, and are for this machine alone when none is',
  async () => {
    await using app = await startTestApp({ env: { METRICS_TOKEN: 'numbers-please' } })
    assert.equal((await app.api('GET', '/healthz', undefined, { key: null })).status, 200)
    assert.equal((await app.api('GET', '/metrics', undefined, { key: null })).status, 401)
    const { status, text: shown } = await app.api('GET', '/metrics', undefined, { key: 'numbers-please' })
    assert.equal(status, 200)
    assert.match(shown, /^# HELP bellhop_http_request_seconds/m)
    // Exported before the first fault, so that an alert can see it increase.
    assert.match(shown, /^bellhop_runs_ended_total\{status="failed"\} 0$/m)
    assert.match(shown, /^bellhop_deliveries_refused_total\{problem="unavailable"\} 0$/m)
    assert.match(shown, /^bellhop_jobs_failed_total\{job="run\.advance"\} 0$/m)
    const open = await sharedApp()
    // fetch sends no other Host than that of its URL.
    const from = async (headers: Record<string, string>) => {
      const [answer] = await once(get(`${open.url}/metrics`, { headers }), 'response')
      return { status: answer.statusCode, text: await text(answer) }
    }
    assert.equal((await from({})).status, 200)
    // A reverse proxy on this machine speaks for others.
    for (const [name, value] of [
      ['x-forwarded-for', '127.0.0.1'],
      ['forwarded', 'for=203.0.113.9'],
      ['host', 'bellhop.example.com'],
    ] as const) {
      const refused = await from({ [name]: value })
      assert.equal(refused.status, 401)
      assert.match(refused.text, /only be read on this machine.*Set METRICS_TOKEN/)
    }
  },
)

verifies(
  'config:trusted-proxies',
  'the source address is taken only from forwarding headers of trusted proxies',
  () => {
    const source = createSourceAddress(['10.0.0.0/8', '::1'])
    assert.equal(source('203.0.113.7', '1.2.3.4'), '203.0.113.7')
    assert.equal(source('10.1.1.1', '1.2.3.4'), '1.2.3.4')
    assert.equal(source('::ffff:10.1.1.1', '6.6.6.6, 1.2.3.4, 10.2.2.2'), '1.2.3.4')
    assert.equal(source('::1', 'nonsense'), '::1')
    assert.equal(createSourceAddress([])('10.1.1.1', '1.2.3.4'), '10.1.1.1')
    // As proxies write them that add the port.
    assert.equal(source('10.1.1.1', '203.0.113.9:51234'), '203.0.113.9')
    assert.equal(source('10.1.1.1', '203.0.113.9:51234, 10.2.2.2:80'), '203.0.113.9')
    assert.equal(source('10.1.1.1', '[2001:db8::9]:443'), '2001:db8::9')
    assert.equal(source('10.1.1.1', '[::ffff:1.2.3.4]'), '1.2.3.4')
    assert.equal(source('10.1.1.1', '[::ffff:1.2.3.4]:443'), '1.2.3.4')
    assert.equal(source('10.1.1.1', '203.0.113.9:'), '10.1.1.1')
  },
)

verifies('api:openapi', 'the description names every route, and the readable page shows them', async () => {
  const app = await sharedApp()
  const document = await app.get<{
    openapi: string
    paths: Record<string, Record<string, Described>>
  }>('/api/openapi.json')
  assert.equal(document.openapi, '3.1.0')
  const of = (method: string, path: string) => document.paths[`/api/v1${path}`]?.[method]
  assert.equal(of('post', '/events/{id}/replay')?.requestBody?.required, false)
  assert.equal(of('post', '/webhooks')?.requestBody?.required, true)
  assert.ok(of('get', '/events/{id}/body')?.responses['200']?.content?.['application/octet-stream'])
  for (const operation of Object.values(document.paths).flatMap((methods) => Object.values(methods))) {
    assert.ok(operation.responses.default?.content?.['application/problem+json'], operation.summary)
  }
  const page = await app.api('GET', '/api/docs')
  assert.match(page.headers.get('content-type') ?? '', /text\/html/)
  // The matrix has every route, or its own test fails.
  for (const route of Object.keys(routeMatrix)) {
    const [method = '', path = ''] = route.split(' ')
    const summary = document.paths[path]?.[method.toLowerCase()]?.summary ?? ''
    assert.match(summary, /\w/, route)
    assert.ok(page.text.includes(path), route)
  }
})

verifies('api:openapi', 'however often the API description is requested, it is built once', () => {
  let described = 0
  const route: Route<unknown> = {
    method: 'GET',
    access: 'anyone',
    endpoint: endpoint()({ summary: 'x', answer: async () => undefined }),
    get path() {
      described++
      return '/x'
    },
  }
  const apiDescription = createApiDescription([route], () => ({
    version: '1.0.0',
    publicUrl: 'http://localhost',
  }))
  const { json, page } = apiDescription()
  const once = described
  assert.deepEqual([apiDescription().json, apiDescription().page], [json, page])
  assert.ok(once > 0)
  assert.equal(described, once)
})

verifies('api:camel-case', 'every field that the API names, in and out, is camelCase', async () => {
  const app = await sharedApp()
  const names = new Set<string>()
  const collect = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [key, inner] of Object.entries(value)) {
      if (key === 'properties' && typeof inner === 'object' && inner)
        for (const name of Object.keys(inner)) names.add(name)
      collect(inner)
    }
  }
  collect((await app.get<{ paths: unknown }>('/api/openapi.json')).paths)
  assert.ok(names.size > 100)
  assert.deepEqual(
    [...names].filter((name) => !/^[a-z][a-zA-Z0-9]*$/.test(name)),
    [],
  )
})

verifies(
  'http:invalid-fields-422',
  'U+0000, which cannot be stored, is refused in any field, and is not a server error',
  async () => {
    const app = await sharedApp()
    const { items } = await app.get<{ items: { id: string }[] }>('/api/v1/channels')
    for (const [method, path, body, pointer] of [
      ['GET', '/api/v1/users?q=a%00b', undefined, '/q'],
      ['GET', '/api/v1/runs?webhookId=%00', undefined, '/webhookId'],
      ['POST', '/api/v1/session', { email: 'kim@example.com\0', password: 'x' }, '/email'],
      ['POST', `/api/v1/channels/${items[0]?.id}/messages`, { text: 'a\0b' }, '/text'],
    ] as const) {
      const answer = await app.api<Body>(method, path, body)
      assert.deepEqual([path, answer.status, answer.body.type], [path, 422, 'invalid-input'])
      assert.match(answer.body.detail, /U\+0000/)
      assert.deepEqual(
        answer.body.errors?.map((one) => one.pointer),
        [pointer],
      )
    }
    // The answer is not many times as long as the invalid request.
    const unknown = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`k${index}`, 1]))
    const { body } = await app.api<Body>('POST', '/api/v1/session', unknown)
    assert.equal(body.errors?.length, 100)
    // In a path it is a part of an id, and nothing has such an id.
    const unlink = '/api/v1/workspaces/wsp_00000000-0000-7000-8000-000000000001/identities/%00'
    const missing = await app.api('DELETE', unlink)
    assert.equal(missing.status, 404, missing.text)
  },
)

verifies(
  'house:clean-stop',
  'an answer on a connection that is kept alive says, while the service stops, that it is the last',
  async () => {
    const server = await listen({
      host: '127.0.0.1',
      port: 0,
      graceMs: 60_000,
      listener: (_request, response) => response.end('fine'),
    })
    const socket = connect(server.port, '127.0.0.1').setEncoding('utf8')
    let heard = ''
    socket.on('data', (text) => (heard += text))
    const ended = once(socket, 'end')
    const [beginning, rest] = ['GET / HTTP/1.1\r\nhost: here\r\n', '\r\n']
    socket.write(beginning + rest)
    await until(() => heard.endsWith('fine'))
    assert.match(heard, /connection: keep-alive/i)

    // When the service is told to stop, half of the next request has arrived, as a later answer proves.
    socket.write(beginning)
    await (await fetch(`http://127.0.0.1:${server.port}`)).text()
    const stopped = server[Symbol.asyncDispose]()
    socket.write(rest)
    await Promise.all([stopped, ended])
    assert.match(heard.split('fine')[1] ?? '', /^HTTP\/1.1 200 OK.*connection: close/is)
  },
)

verifies(
  'house:clean-stop',
  'a half-sent request does not delay a stop, and an answer in progress is not cut off',
  async () => {
    const asked = Promise.withResolvers<void>()
    const cut = Promise.withResolvers<void>()
    await using server = await listen({
      host: '127.0.0.1',
      port: 0,
      graceMs: 60_000,
      uploadGraceMs: 20,
      async listener(request, response) {
        if (request.url === '/slow') {
          asked.resolve()
          await cut.promise
        } else request.on('error', () => undefined)
        if (request.method === 'GET') response.end('fine')
      },
    })
    const say = (text: string) => {
      const socket = connect(server.port, '127.0.0.1').on('error', () => undefined)
      socket.resume().write(text)
      return once(socket, 'close')
    }
    const halves = [
      say('POST / HTTP/1.1\r\nhost: here\r\ncontent-length: 100\r\n\r\n{'),
      say('GET / HTTP/1.1\r\nhost: here\r\n\r\nGET / HTTP/1.1\r\n'),
    ]
    const slow = fetch(`http://127.0.0.1:${server.port}/slow`)
    await asked.promise
    const stopped = server[Symbol.asyncDispose]()
    await Promise.all(halves)
    cut.resolve()
    assert.equal(await (await slow).text(), 'fine')
    await stopped
  },
)

verifies(
  'api:unknown-parameters',
  'a query parameter that no operation names is ignored by all of them',
  async () => {
    const app = await sharedApp()
    const asked = Object.keys(routeMatrix)
      .filter((route) => /^GET \/api\/v1\/[a-z/-]+$/.test(route) && routeMatrix[route] !== 'anyone')
      .map((route) => route.slice('GET '.length))
      .filter((path) => !/stream|csv/.test(path))
    assert.ok(asked.length > 20)
    const outcome = async (path: string, query: string) => {
      const { status, body } = await app.api<Partial<Body>>('GET', `${path}${query}`)
      return [path, status, body.errors?.map(({ pointer }) => pointer)]
    }
    for (const path of asked)
      assert.deepEqual(await outcome(path, '?no-such-parameter=1'), await outcome(path, ''))
  },
)
