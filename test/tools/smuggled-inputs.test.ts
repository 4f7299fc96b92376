import assert from 'node:assert/strict'
import { shareInFile } from '../support/share-in-file.ts'
import { startGateOn } from '../support/start-gate.ts'
import { removeConnectors } from '../support/start-shop.ts'
import { startTarget } from '../support/start-target.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

/** Names by which well-known servers (WordPress, Laravel, Rails, Express, Symfony, OData) take another method than the request's. */
const overrides = [
  '_method',
  '_METHOD',
  '.method',
  ' _method',
  '_method[]',
  '_method\u0000x',
  '__method',
  '_httpmethod',
  '_HttpMethod',
  '_http_method',
  'x-http-method-override',
  'X_HTTP_METHOD_OVERRIDE',
  'X-HTTP-Method',
  'x-method-override',
  'http_method_override',
  '_method_override',
]

verifies(
  'http-tools:undeclared-inputs',
  'an input that the schema does not name is refused by name before anything is sent, whatever the method and wherever it would go',
  async () => {
    await using gate = await startGateOn(await sharedApp())
    for (const [name, known, extra, says] of [
      ['shop__get_order', { id: 'A-1' }, { state: 'open' }, '/state: There is no such input. There are: id.'],
      [
        'shop__refund',
        { id: 'A-1' },
        { force: true, amount: 1 },
        '/force: There is no such input. There are: id, amount.',
      ],
      ['shop__delete_order', { id: 'A-1' }, { as_user: 'admin' }, '/as_user: There is no such input.'],
      ['shop__get_order', { id: 'A-1' }, { __proto__x: 1 }, '/__proto__x: There is no such input.'],
    ] as const) {
      const outcome = await gate.call({ name, input: { ...known, ...extra } })
      assert.ok(outcome.kind === 'answered', name)
      assert.equal(outcome.answer.error?.code, 'invalid_input', name)
      assert.ok(outcome.answer.error?.message.includes(says), outcome.answer.error?.message)
    }
    assert.equal(gate.target.seen.length, 0)
  },
)

verifies(
  ['http-tools:undeclared-inputs', 'http-tools:try-it', 'mcp:served'],
  'Try it and an MCP client are refused in the same words',
  async () => {
    await using gate = await startGateOn(await sharedApp())
    const { tools } = await gate.app.get<{ tools: { id: string }[] }>(
      `/api/v1/connectors/${gate.connectorId}`,
    )
    const input = { id: 'A-1', _method: 'DELETE' }
    const tried = await gate.app.api<{ errors: { pointer: string; detail: string }[] }>(
      'POST',
      `/api/v1/tools/${tools[0]?.id}/try`,
      { input },
    )
    assert.equal(tried.status, 422, tried.text)
    assert.deepEqual(tried.body.errors, [
      { pointer: '/input/_method', detail: 'There is no such input. There are: id.' },
    ])
    const { text } = await gate.app.api(
      'POST',
      '/mcp',
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'shop__get_order', arguments: input },
      },
      { headers: { accept: 'application/json, text/event-stream' } },
    )
    assert.match(text, /\/_method: There is no such input\. There are: id\./)
    assert.equal(gate.target.seen.length, 0)
  },
)

/** One tool for each place an input can be sent in. All of them read, so nobody is asked. */
const places = [
  { name: 'in_query', method: 'GET', path: '/items', properties: ['q'] },
  { name: 'in_path', method: 'GET', path: '/items/{id}', properties: ['id'] },
  { name: 'in_json', method: 'POST', path: '/items', properties: ['q'] },
  { name: 'in_form', method: 'POST', path: '/items', properties: ['q'], bodyFormat: 'form' },
  {
    name: 'in_header',
    method: 'GET',
    path: '/items',
    properties: ['trace'],
    locations: { trace: { in: 'header', name: 'X-Trace' } },
  },
].map(({ properties, ...tool }) => ({
  ...tool,
  description: tool.name,
  capability: 'read',
  inputSchema: {
    type: 'object',
    properties: Object.fromEntries(properties.map((name) => [name, { type: 'string' }])),
  },
}))

const hostileNames = [
  '_method',
  'x-http-method-override',
  'as_user',
  'Authorization',
  'X-Trace',
  'q\r\nX-HTTP-Method-Override',
  'q&_method',
  'constructor',
]
const hostileValues = [
  'x&_method=DELETE',
  'x?_method=DELETE#',
  'x\r\nX-HTTP-Method-Override: DELETE\r\n\r\n',
  '../../admin',
  '..%2f..%2fadmin',
  '..',
  'x;_method=DELETE',
  '","_method":"DELETE',
  '\u2028_method=DELETE',
]

verifies(
  ['http-tools:undeclared-inputs', 'http-tools:method-override', 'http-tools:try-it', 'mcp:served'],
  'whatever a hostile input is called or contains, the target gets the method, path and names that the tool declares, by the gate, Try it and /mcp alike',
  async () => {
    await using gate = await startGateOn(await sharedApp())
    const ids = new Map<string, string>()
    for (const tool of places) {
      const path = `/api/v1/connectors/${gate.connectorId}/tools`
      const { status, body, text } = await gate.app.api<{ id: string }>('POST', path, tool)
      assert.equal(status, 201, text)
      ids.set(tool.name, body.id)
    }
    type Way = (name: string, input: Record<string, string>) => Promise<{ refused: boolean; says: string }>
    const ways: Record<string, Way> = {
      async gate(name, input) {
        const outcome = await gate.call({ name: `shop__${name}`, input })
        assert.ok(outcome.kind === 'answered')
        return { refused: outcome.answer.error !== null, says: outcome.answer.error?.message ?? '' }
      },
      async tryIt(name, input) {
        const path = `/api/v1/tools/${ids.get(name)}/try`
        const { status, text } = await gate.app.api('POST', path, { input })
        return { refused: status === 422, says: text }
      },
      async mcp(name, input) {
        const params = { name: `shop__${name}`, arguments: input }
        const { text } = await gate.app.api(
          'POST',
          '/mcp',
          { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
          { headers: { accept: 'application/json, text/event-stream' } },
        )
        return { refused: text.includes('"isError":true'), says: text }
      },
    }
    let sent = 0
    for (const [way, call] of Object.entries(ways)) {
      for (const { name, method, path, inputSchema } of places) {
        const own = Object.keys(inputSchema.properties)[0] ?? ''
        for (const hostile of hostileNames.filter((one) => one !== own)) {
          const { refused, says } = await call(name, { [own]: 'x', [hostile]: 'DELETE' })
          assert.ok(refused, `${way} ${name} ${JSON.stringify(hostile)}: ${says}`)
          assert.match(says, /There is no such input|never sent/)
        }
        assert.equal(gate.target.seen.length, sent, `${way} ${name}`)
        for (const value of hostileValues) {
          const { refused } = await call(name, { [own]: value })
          const request = gate.target.seen[sent]
          assert.equal(refused, request === undefined, `${way} ${name} ${JSON.stringify(value)}`)
          if (!request) continue
          sent++
          const { pathname, searchParams } = new URL(request.url, 'http://target')
          assert.equal(request.method, method)
          assert.match(pathname, path.includes('{id}') ? /^\/items\/[^/]+$/ : /^\/items$/)
          const form = name === 'in_form' ? new URLSearchParams(request.body) : searchParams
          if (name === 'in_json') assert.deepEqual(JSON.parse(request.body), { [own]: value })
          if (name === 'in_query' || name === 'in_form') assert.deepEqual([...form], [[own, value]])
          assert.ok(!Object.keys(request.headers).some((header) => header.includes('override')))
        }
      }
    }
    // Values that no line of a header and no segment of a path can carry are refused; all others arrive whole.
    assert.ok(sent > 3 * hostileValues.length * 3, `${sent}`)
  },
)

type Draft = { method?: string; path?: string; inputSchema: unknown; [field: string]: unknown }

/** One more tool, and a call of it. */
async function startTool(draft: Draft) {
  await using stack = new AsyncDisposableStack()
  const gate = stack.use(await startGateOn(await sharedApp()))
  const created = await gate.app.api<{ type: string; errors: { pointer: string; detail: string }[] }>(
    'POST',
    `/api/v1/connectors/${gate.connectorId}/tools`,
    {
      name: 'search',
      description: 'Searches',
      method: 'GET',
      path: '/search',
      capability: 'read',
      permission: 'auto',
      ...draft,
    },
  )
  const opened = stack.move()
  return {
    created,
    target: gate.target,
    async call(input: unknown) {
      const outcome = await gate.call({ name: 'shop__search', input })
      assert.ok(outcome.kind === 'answered')
      return outcome.answer.error
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

verifies(
  'http-tools:undeclared-inputs',
  'a schema that is open in so many words stays open, and names in branches and references count as named',
  async () => {
    for (const [inputSchema, input] of [
      [{ type: 'object', additionalProperties: true }, { anything: 'x' }],
      [{ type: 'object', additionalProperties: { type: 'string' } }, { anything: 'x' }],
      [{ type: 'object', unevaluatedProperties: { type: 'string' } }, { anything: 'x' }],
      [{ type: 'object', patternProperties: { '^x_': {} } }, { x_trace: 'x' }],
      [
        {
          allOf: [{ properties: { a: {} } }, { $ref: '#/$defs/more' }],
          $defs: { more: { properties: { b: {} } } },
        },
        { a: 1, b: 2 },
      ],
      [
        {
          oneOf: [
            { properties: { a: {} }, required: ['a'] },
            { properties: { b: {} }, required: ['b'] },
          ],
        },
        { b: 2 },
      ],
      [
        { properties: { a: {} }, dependentSchemas: { a: { properties: { b: {} } } } },
        { a: 1, b: 2 },
      ],
    ] as const) {
      await using tool = await startTool({ inputSchema })
      assert.equal(tool.created.status, 201, tool.created.text)
      assert.equal(await tool.call(input), null, JSON.stringify(inputSchema))
      assert.equal(tool.target.seen.length, 1)
    }
    for (const [inputSchema, input] of [
      [{ type: 'object' }, { anything: 'x' }],
      [{ type: 'object', patternProperties: { '^x_': {} } }, { y_trace: 'x' }],
      // Whether this one matches takes forever to find out.
      [{ type: 'object', patternProperties: { '^(a+)+$': {} } }, { [`${'a'.repeat(40)}!`]: 'x' }],
      [{ type: 'object', properties: { a: {} }, additionalProperties: false }, { b: 2 }],
      // Properties of a property are not inputs.
      [{ properties: { a: { properties: { b: {} } } } }, { b: 2 }],
    ] as const) {
      await using tool = await startTool({ inputSchema })
      const error = await tool.call(input)
      assert.equal(error?.code, 'invalid_input', JSON.stringify(inputSchema))
      assert.match(error?.message ?? '', /There is no such input\. (There are: a|It takes none)\./)
      assert.equal(tool.target.seen.length, 0)
    }
  },
)

verifies(
  'http-tools:method-override',
  'a name that would change the method is never sent as query, form field, header or field of the body, even if the schema is open or names it',
  async () => {
    const open = { type: 'object', additionalProperties: true }
    for (const draft of [
      { inputSchema: open },
      { inputSchema: open, method: 'DELETE' },
      { inputSchema: open, method: 'POST' },
      { inputSchema: open, method: 'POST', bodyFormat: 'form' },
      {
        inputSchema: { type: 'object', properties: { fields: { type: 'object' } } },
        method: 'POST',
        bodyFormat: 'form',
        locations: { fields: 'wholeBody' },
        wrap: true,
      },
    ]) {
      const { wrap, ...tool } = { wrap: false, ...draft }
      await using scene = await startTool(tool)
      assert.equal(scene.created.status, 201, scene.created.text)
      for (const name of overrides) {
        const input = { [name]: 'DELETE' }
        const error = await scene.call(wrap ? { fields: input } : input)
        assert.equal(error?.code, 'invalid_input', `${JSON.stringify(tool)} ${JSON.stringify(name)}`)
        assert.match(error?.message ?? '', /could change the request’s method, so it is never sent/)
      }
      // Ordinary names that only resemble them.
      for (const name of ['method', 'http_method', 'payment_method', 'methods'])
        assert.equal(await scene.call(wrap ? { fields: { [name]: 'x' } } : { [name]: 'x' }), null, name)
    }
  },
)

verifies(
  'http-tools:method-override',
  'a tool that names such an input, sends one under such a name or has one in its path is refused when it is saved',
  async () => {
    const named = (name: string) => ({ type: 'object', properties: { [name]: { type: 'string' } } })
    for (const [draft, pointer] of [
      [{ inputSchema: named('_method') }, '/locations/_method'],
      [
        { inputSchema: named('verb'), locations: { verb: { in: 'query', name: '_method' } } },
        '/locations/verb',
      ],
      [
        { inputSchema: named('verb'), locations: { verb: { in: 'header', name: 'X-HTTP-Method' } } },
        '/locations/verb',
      ],
      [{ inputSchema: named('verb'), path: '/search?_method={verb}' }, '/path'],
      [{ inputSchema: named('verb'), path: '/search?_method=DELETE' }, '/path'],
    ] as const) {
      await using tool = await startTool(draft)
      assert.equal(tool.created.status, 422, tool.created.text)
      assert.ok(
        tool.created.body.errors.some((error) => error.pointer === pointer),
        tool.created.text,
      )
    }
  },
)

verifies(
  ['http-tools:undeclared-inputs', 'import:openapi'],
  'an imported tool says in its schema that it takes nothing else, unless the document says that it does',
  async () => {
    const app = await sharedApp()
    await using target = await startTarget()
    const fields = { type: 'object', properties: { note: { type: 'string' } } }
    const body = (schema: unknown) => ({ content: { 'application/json': { schema } } })
    const operation = (operationId: string, schema: unknown) => ({
      post: { operationId, requestBody: body(schema), responses: {} },
    })
    const document = JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'Shop', version: '1' },
      servers: [{ url: target.origin }],
      paths: {
        '/orders/{id}': {
          get: {
            operationId: 'getOrder',
            parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
            responses: {},
          },
        },
        '/silent': operation('silent', fields),
        '/open': operation('open', { ...fields, additionalProperties: true }),
      },
    })
    const imported = await app.api<{
      tools: { name: string; inputSchema: { additionalProperties?: unknown } }[]
    }>('POST', '/api/v1/connectors/import', { openapi: document })
    await removeConnectors(app)
    assert.equal(imported.status, 200, imported.text)
    assert.deepEqual(
      imported.body.tools.map(({ name, inputSchema }) => [name, inputSchema.additionalProperties]),
      [
        ['getOrder', false],
        ['silent', false],
        ['open', true],
      ],
    )
  },
)
