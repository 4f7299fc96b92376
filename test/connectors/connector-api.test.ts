import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { z } from 'zod'
import type { ToolAnswer } from '../../src/connectors/call/callable-tool.ts'
import type { httpConnectorShape } from '../../src/connectors/contract.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startTarget } from '../support/start-target.ts'
import { loopback, startTestApp, type TestApp } from '../support/start-test-app.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

type Connector = z.output<typeof httpConnectorShape>
type ProblemBody = { type: string; detail: string; errors?: { pointer: string; detail: string }[] }

/** Public, so that it passes every rule; the name does not exist, so that nothing is ever called. */
const baseUrl = 'https://api.example.test/v1'

const getOrder = {
  name: 'get_order',
  description: 'Reads an order',
  method: 'GET',
  path: '/orders/{id}',
  capability: 'read',
  inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
}

async function create(app: TestApp, more: Record<string, unknown> = {}): Promise<Connector> {
  const answer = await app.api<Connector>('POST', '/api/v1/connectors', {
    type: 'http',
    name: 'Shop',
    baseUrl,
    tools: [getOrder],
    ...more,
  })
  assert.equal(answer.status, 201, answer.text)
  return answer.body
}

async function refusal(
  app: TestApp,
  method: string,
  path: string,
  body: unknown,
): Promise<[number, string, string[]]> {
  const answer = await app.api<ProblemBody>(method, path, body)
  return [answer.status, answer.body?.type, (answer.body?.errors ?? []).map(({ pointer }) => pointer)]
}

verifies(
  ['connectors:fields', 'connectors:tool-fields', 'api:connectors-crud'],
  'a connector is created, read, listed and deleted with its tools',
  async () => {
    const app = await sharedApp()
    const created = await create(app, { defaultHeaders: { 'X-Team': 'red' }, timeoutMs: 5000 })

    assert.match(created.id, /^con_/)
    assert.equal(created.baseUrl, baseUrl)
    assert.deepEqual(created.defaultHeaders, { 'X-Team': 'red' })
    assert.equal(created.authType, 'none')
    assert.equal(created.timeoutMs, 5000)
    assert.equal(created.version, 1)
    const [tool] = created.tools
    assert.ok(tool)
    assert.match(tool.id, /^tool_/)
    assert.equal(tool.permission, 'auto')
    assert.equal(tool.version, 1)
    assert.deepEqual(await app.get(`/api/v1/connectors/${created.id}`), created)
    const listed = await app.get<{ items: Connector[] }>('/api/v1/connectors')
    assert.deepEqual(
      listed.items.filter(({ id }) => id === created.id),
      [created],
    )
    const { items } = await app.get<{ items: Connector[] }>('/api/v1/connectors?tools=changed')
    assert.deepEqual(items.find(({ id }) => id === created.id)?.tools, [])
    const changed = await app.api<Connector>('PATCH', `/api/v1/connectors/${created.id}`, { name: 'Store' })
    const { updatedAt } = changed.body
    assert.deepEqual(changed.body, { ...created, name: 'Store', version: 2, updatedAt })

    assert.equal((await app.api('DELETE', `/api/v1/connectors/${created.id}`)).status, 204)
    assert.equal((await app.api('GET', `/api/v1/connectors/${created.id}`)).status, 404)
    assert.equal((await app.api('DELETE', `/api/v1/connectors/${created.id}`)).status, 404)
  },
)

verifies('connectors:delete', 'the tools of a deleted connector are gone from the next call on', async () => {
  const app = await sharedApp()
  const { ctx } = app.app
  const { id } = await create(app, { name: 'Deleted' })
  const name = 'deleted__get_order'
  const isListed = async () => (await ctx.tools.list()).some((tool) => tool.name === name)
  assert.ok(await ctx.tools.find(name))
  assert.ok(await isListed())

  await app.api('DELETE', `/api/v1/connectors/${id}`)

  assert.equal(await ctx.tools.find(name), null)
  assert.ok(!(await isListed()))
})

verifies(
  ['connectors:base-url-validated', 'connectors:base-url-shape', 'connectors:nothing-half-saved'],
  'a base URL that is not allowed is refused with its rule, and nothing is saved',
  async () => {
    await using app = await startTestApp()
    const cases: Record<string, string> = {
      'http://127.0.0.1:8080': 'address-not-allowed',
      'http://10.0.0.1/': 'address-not-allowed',
      'http://[::ffff:10.0.0.1]/': 'address-not-allowed',
      'http://169.254.169.254/latest': 'address-not-allowed',
      'http://localhost:3000': 'address-not-allowed',
      'http://2130706433/': 'address-not-allowed',
      [`${app.url}/api`]: 'address-not-allowed',
      'ftp://files.example.com': 'address-not-allowed',
      'https://user:pass@api.example.test': 'address-not-allowed',
      'https://api.example.test/?x=1': 'invalid-input',
      'https://api.example.test/#a': 'invalid-input',
      'https://api.example.test/{tenant}': 'invalid-input',
      'api.example.test': 'invalid-input',
      '': 'invalid-input',
    }
    for (const [url, type] of Object.entries(cases)) {
      assert.deepEqual(
        await refusal(app, 'POST', '/api/v1/connectors', {
          type: 'http',
          name: 'x',
          baseUrl: url,
          tools: [],
        }),
        [422, type, ['/baseUrl']],
        url,
      )
    }
    assert.deepEqual((await app.get<{ items: unknown[] }>('/api/v1/connectors')).items, [])
  },
)

verifies(
  ['egress:checked-at-save-and-connect', 'egress:refusal-names-rule'],
  'a refused address is in the audit log, with its rule',
  async () => {
    const app = await sharedApp()
    const { body } = await app.api<ProblemBody>('POST', '/api/v1/connectors', {
      type: 'http',
      name: 'x',
      baseUrl: 'http://192.168.0.1',
      tools: [],
    })
    assert.match(body.detail, /non-public-address/)
    const { db } = app.app.ctx
    const refused = sql<{
      detail: { rule: string }
    }>`select detail from audit_log where action = 'egress.refused'`
    await until(async () => (await refused.execute(db)).rows[0]?.detail.rule === 'non-public-address')
  },
)

verifies('egress:allowlist', 'with EGRESS_ALLOWED_HOSTS other hosts cannot be saved', async () => {
  await using app = await startTestApp({ env: { EGRESS_ALLOWED_HOSTS: '*.example.test' } })
  await create(app)
  const [status, type] = await refusal(app, 'POST', '/api/v1/connectors', {
    type: 'http',
    name: 'x',
    baseUrl: 'https://example.org',
    tools: [],
  })
  assert.deepEqual([status, type], [422, 'address-not-allowed'])
})

verifies(
  [
    'connectors:tool-names',
    'connectors:tool-fields',
    'connectors:methods',
    'connectors:placeholder-needs-property',
    'connectors:schema-compiles',
    'connectors:remote-refs-refused',
    'connectors:nothing-half-saved',
    'connectors:timeout-setting',
  ],
  'each fault of a definition is reported with its place, and nothing is saved',
  async () => {
    const app = await sharedApp()
    const saved = async () => {
      const { rows } =
        await sql`select id from connectors union all select id from tools order by id`.execute(
          app.app.ctx.db,
        )
      return rows
    }
    const before = await saved()
    const object = (properties: Record<string, unknown>) => ({ type: 'object', properties })
    const cases: [Record<string, unknown>, string[]][] = [
      [{ name: '' }, ['/name']],
      [{ timeoutMs: 120_001 }, ['/timeoutMs']],
      [{ authType: 'digest' }, ['/authType']],
      [{ authType: 'bearer' }, ['/authValue']],
      [{ authType: 'basic', authValue: 'no-colon' }, ['/authValue']],
      [{ authType: 'bearer', authValue: 'a\r\nb' }, ['/authValue']],
      [{ authType: 'api_key', authValue: 'k', authName: 'Host' }, ['/authName']],
      [{ surprise: 1 }, ['/surprise']],
      [{ tools: [{ ...getOrder, name: 'get order' }] }, ['/tools/0/name']],
      [{ tools: [{ ...getOrder, name: 'x'.repeat(65) }] }, ['/tools/0/name']],
      [{ tools: [{ ...getOrder, name: undefined }] }, ['/tools/0/name']],
      [{ tools: [{ ...getOrder, method: undefined }] }, ['/tools/0/method']],
      [{ tools: [{ ...getOrder, path: undefined }] }, ['/tools/0/path']],
      [{ tools: [getOrder, getOrder] }, ['/tools/1/name']],
      [{ tools: [{ ...getOrder, method: 'TRACE' }] }, ['/tools/0/method']],
      [{ tools: [{ ...getOrder, capability: undefined }] }, ['/tools/0/capability']],
      [{ tools: [{ ...getOrder, description: undefined }] }, ['/tools/0/description']],
      [{ tools: [{ ...getOrder, description: ' ' }] }, ['/tools/0/description']],
      [{ tools: [{ ...getOrder, inputSchema: undefined }] }, ['/tools/0/inputSchema']],
      [{ tools: [{ ...getOrder, inputSchema: [] }] }, ['/tools/0/inputSchema']],
      [{ tools: [{ ...getOrder, path: '/orders/{number}' }] }, ['/tools/0/path']],
      [{ tools: [{ ...getOrder, path: '/orders/{id' }] }, ['/tools/0/path']],
      [{ tools: [{ ...getOrder, path: '/../admin/{id}' }] }, ['/tools/0/path']],
      [{ tools: [{ ...getOrder, path: '/%2e%2E/{id}' }] }, ['/tools/0/path']],
      [{ tools: [{ ...getOrder, path: '/%2{id}' }] }, ['/tools/0/path']],
      [{ tools: [{ ...getOrder, path: 'https://evil.example.org/{id}' }] }, ['/tools/0/path']],
      [{ tools: [{ ...getOrder, inputSchema: object({ id: { type: 'object' } }) }] }, ['/tools/0/path']],
      [
        {
          tools: [
            {
              ...getOrder,
              inputSchema: { ...object({ id: { $ref: '#/$defs/i' } }), $defs: { i: { type: 'array' } } },
            },
          ],
        },
        ['/tools/0/path'],
      ],
      [
        { tools: [{ ...getOrder, inputSchema: { ...object({ id: {} }), required: 'id' } }] },
        ['/tools/0/inputSchema/required'],
      ],
      [
        { tools: [{ ...getOrder, inputSchema: object({ id: { $ref: 'https://example.com/x' } }) }] },
        ['/tools/0/inputSchema/properties/id/$ref'],
      ],
      [{ tools: [{ ...getOrder, outputSchema: { minimum: 'x' } }] }, ['/tools/0/outputSchema/minimum']],
      [{ tools: [{ ...getOrder, locations: { note: 'body' } }] }, ['/tools/0/locations/note']],
      [{ tools: [{ ...getOrder, locations: { Host: 'header' } }] }, ['/tools/0/locations/Host']],
      [{ tools: [{ ...getOrder, locations: { 'a b': 'header' } }] }, ['/tools/0/locations/a b']],
    ]
    for (const [more, pointers] of cases) {
      assert.deepEqual(
        await refusal(app, 'POST', '/api/v1/connectors', {
          type: 'http',
          name: 'x',
          baseUrl,
          tools: [getOrder],
          ...more,
        }),
        [422, 'invalid-input', pointers],
        JSON.stringify(more),
      )
    }
    assert.deepEqual(await saved(), before)

    const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
    const tools = methods.map((method) => {
      const reads = method === 'GET' || method === 'HEAD'
      return { ...getOrder, name: method.padEnd(64, '_'), method, capability: reads ? 'read' : 'write' }
    })
    const most = await create(app, { timeoutMs: 120_000, tools })
    assert.equal(most.timeoutMs, 120_000)
    assert.deepEqual(
      most.tools.map(({ method }) => method),
      methods,
    )
  },
)

verifies(
  'connectors:reserved-headers-refused',
  'reserved header names and line breaks are refused as default headers',
  async () => {
    const app = await sharedApp()
    for (const [name, value] of [
      ['Host', 'x'],
      ['content-length', '1'],
      ['Transfer-Encoding', 'chunked'],
      ['X-HTTP-Method-Override', 'DELETE'],
      ['Connection', 'close'],
      ['Keep-Alive', '5'],
      ['Proxy-Authorization', 'x'],
      ['TE', 'trailers'],
      ['Trailer', 'X-A'],
      ['Upgrade', 'h2c'],
      ['Expect', '100-continue'],
      ['X-A', 'a\r\nb'],
      ['X-A', 'snow☃'],
      ['X A', 'b'],
    ] as const) {
      assert.deepEqual(
        await refusal(app, 'POST', '/api/v1/connectors', {
          type: 'http',
          name: 'x',
          baseUrl,
          defaultHeaders: { [name]: value },
        }),
        [422, 'invalid-input', [`/defaultHeaders/${name}`]],
      )
    }
    const twice = { 'X-A': '1', 'x-a': '2' }
    const created = await create(app, { defaultHeaders: twice })
    assert.deepEqual(created.defaultHeaders, { 'x-a': '2' })

    // Each is compared with all others: thousands would block the event loop.
    const path = `/api/v1/connectors/${created.id}`
    const some = (count: number, from = 0) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`X-${from + index}`, 'a']))
    const tooMany = [422, 'invalid-input', ['/defaultHeaders']]
    assert.deepEqual(await refusal(app, 'PATCH', path, { defaultHeaders: some(101) }), tooMany)
    assert.equal((await app.api('PATCH', path, { defaultHeaders: some(60) })).status, 200)
    assert.deepEqual(await refusal(app, 'PATCH', path, { defaultHeaders: some(60, 60) }), tooMany)
  },
)

verifies(
  'connectors:model-names',
  'the model sees slug__tool, at most 64 characters, and never two alike',
  async () => {
    const app = await sharedApp()
    const long = 'x'.repeat(64)
    const names = [
      ...(await create(app, { name: 'Shop API (EU)', tools: [getOrder, { ...getOrder, name: long }] })).tools,
      ...(await create(app, { name: 'shop api eu', tools: [getOrder, { ...getOrder, name: long }] })).tools,
      ...(await create(app, { name: '店' })).tools,
      ...(await create(app, { name: '2nd Shop' })).tools,
    ].map(({ modelName }) => modelName)
    assert.equal(names[0], 'shop_api_eu__get_order')
    assert.equal(names[2], 'shop_api_eu_2__get_order')
    assert.equal(new Set(names).size, names.length)
    for (const name of names) assert.match(name, /^[a-z][a-zA-Z0-9_-]{1,63}$/)
  },
)

verifies(
  'connectors:schema-unchanged',
  'a schema comes back, and goes to the agent, as it was written',
  async () => {
    const app = await sharedApp()
    const inputSchema = {
      required: ['z', 'id'],
      properties: {
        z: { anyOf: [{ type: 'string' }, { $ref: '#/$defs/node' }], description: 'zuerst' },
        a: { enum: [null, 1, 'x'], default: null },
        id: { type: 'string' },
        any: true,
      },
      $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
      additionalProperties: false,
      type: 'object',
      'x-own': { b: 1, a: 2 },
    }
    const text = JSON.stringify(inputSchema)
    const { id, tools } = await create(app, {
      tools: [{ ...getOrder, inputSchema, outputSchema: inputSchema }],
    })

    const read = await app.get<Connector>(`/api/v1/connectors/${id}`)
    const callable = await app.app.ctx.tools.find(tools[0]?.modelName ?? '')

    assert.equal(JSON.stringify(read.tools[0]?.inputSchema), text)
    assert.equal(JSON.stringify(read.tools[0]?.outputSchema), text)
    assert.equal(JSON.stringify(callable?.inputSchema), text)
    assert.ok((read.tools[0]?.warnings.length ?? 0) > 0)
  },
)

verifies(
  ['connectors:secrets-write-only', 'connectors:auth-value-sealed', 'connectors:credential-headers-sealed'],
  'secrets never come back and are not in the database in clear',
  async () => {
    const app = await sharedApp()
    const secrets = ['planted-auth-value', 'planted-key-header', 'planted-flagged']
    const { id } = await create(app, {
      authType: 'bearer',
      authValue: secrets[0],
      defaultHeaders: {
        'X-Shop-Token': secrets[1],
        'X-Plain': { value: secrets[2], secret: true },
        'X-Team': 'red',
      },
    })
    const read = await app.api<Connector>('GET', `/api/v1/connectors/${id}`)
    assert.deepEqual(read.body.authValue, { set: true })
    assert.deepEqual(read.body.defaultHeaders, {
      'X-Shop-Token': { set: true },
      'X-Plain': { set: true },
      'X-Team': 'red',
    })
    const { rows } = await sql`
      select c::text, h::text, a::text from connectors c
      left join connector_headers h on h.connector_id = c.id left join audit_log a on true
      where c.id = ${id}`.execute(app.app.ctx.db)
    for (const secret of secrets)
      assert.ok(!read.text.includes(secret) && !JSON.stringify(rows).includes(secret))
    assert.match(JSON.stringify(rows), /v1\./)
  },
)

verifies(
  'connectors:patch-keeps-secret',
  'a merge patch keeps what is absent, clears what is null, and merges headers',
  async () => {
    const app = await sharedApp()
    const { id } = await create(app, {
      name: 'Patched',
      authType: 'bearer',
      authValue: 'first-value',
      defaultHeaders: { 'X-Token': 't', 'X-A': '1', 'X-B': '2' },
      timeoutMs: 5000,
    })
    const patch = async (body: unknown) => {
      const answer = await app.api<Connector>('PATCH', `/api/v1/connectors/${id}`, body)
      assert.equal(answer.status, 200, answer.text)
      return answer.body
    }
    const renamed = await patch({
      name: 'Store',
      defaultHeaders: { 'x-a': null, 'X-C': '3' },
      timeoutMs: null,
    })
    assert.equal(renamed.name, 'Store')
    assert.equal(renamed.slug, 'patched')
    assert.deepEqual(renamed.authValue, { set: true })
    assert.deepEqual(renamed.defaultHeaders, { 'X-Token': { set: true }, 'X-B': '2', 'X-C': '3' })
    assert.equal(renamed.timeoutMs, 30_000)
    assert.equal(renamed.version, 2)
    assert.equal(renamed.tools[0]?.version, 1)

    const roundTrip = await patch({ authValue: { set: true }, defaultHeaders: renamed.defaultHeaders })
    assert.equal(roundTrip.version, 2)
    assert.deepEqual((await patch({ authValue: null })).authValue, { set: false })
    assert.deepEqual(await refusal(app, 'PATCH', `/api/v1/connectors/${id}`, { authValue: { set: true } }), [
      422,
      'invalid-input',
      ['/authValue'],
    ])
  },
)

verifies('connectors:patch-keeps-secret', 'tools in a patch replace the list, matched by name', async () => {
  const app = await sharedApp()
  const second = { ...getOrder, name: 'second' }
  const { id, tools } = await create(app, { tools: [getOrder, second] })
  const { body } = await app.api<Connector>('PATCH', `/api/v1/connectors/${id}`, {
    tools: [{ ...getOrder, name: 'third' }, getOrder],
  })
  assert.deepEqual(
    body.tools.map(({ name }) => name),
    ['third', 'get_order'],
  )
  assert.equal(body.tools[1]?.id, tools[0]?.id)
  assert.equal(body.tools[1]?.version, 1)
  assert.equal(body.version, 1)
  const changed = await app.api<Connector>('PATCH', `/api/v1/connectors/${id}`, {
    tools: [{ ...getOrder, path: '/o/{id}' }],
  })
  assert.equal(changed.body.tools[0]?.id, tools[0]?.id)
  assert.equal(changed.body.tools[0]?.version, 2)
})

verifies(
  'connectors:origin-change-clears-secrets',
  'a new origin clears the secrets, unless they are sent again',
  async () => {
    const app = await sharedApp()
    const secrets = {
      authType: 'bearer',
      authValue: 'the-value',
      defaultHeaders: { 'X-Token': 't', 'X-Team': 'red' },
    }
    const { id } = await create(app, secrets)
    const patch = async (body: unknown) =>
      (await app.api<Connector>('PATCH', `/api/v1/connectors/${id}`, body)).body

    const samePlace = await patch({ baseUrl: 'https://api.example.test/v2' })
    assert.deepEqual(samePlace.authValue, { set: true })
    for (const other of [
      'https://evil.example.org',
      'http://api.example.test/v2',
      'https://api.example.test:8443',
    ]) {
      await patch({ ...secrets, baseUrl })
      const moved = await patch({ baseUrl: other })
      assert.deepEqual(moved.authValue, { set: false }, other)
      assert.deepEqual(moved.defaultHeaders, { 'X-Team': 'red' }, other)
      assert.equal(moved.warnings.length, 1)
    }
    const along = await patch({
      baseUrl: 'https://third.example.org',
      authValue: 'again',
      defaultHeaders: { 'X-Token': 'again' },
    })
    assert.deepEqual(along.authValue, { set: true })
    assert.deepEqual(along.defaultHeaders, { 'X-Team': 'red', 'X-Token': { set: true } })
    assert.deepEqual(
      await refusal(app, 'PATCH', `/api/v1/connectors/${id}`, {
        baseUrl: 'https://fourth.example.org',
        authValue: { set: true },
      }),
      [422, 'invalid-input', ['/authValue']],
    )
  },
)

verifies('connectors:nothing-half-saved', 'a refused patch changes nothing', async () => {
  const app = await sharedApp()
  const created = await create(app)
  const path = `/api/v1/connectors/${created.id}`
  for (const bad of [
    { name: 'New', baseUrl: 'http://10.0.0.1' },
    { name: 'New', tools: [{ ...getOrder, path: '/{gone}' }] },
    { name: 'New', defaultHeaders: { Host: 'x' } },
  ]) {
    assert.equal((await app.api('PATCH', path, bad)).status, 422)
    assert.deepEqual(await app.get(path), created)
  }
})

verifies('connectors:tool-fields', 'tools are added, changed and deleted one by one', async () => {
  const app = await sharedApp()
  const { id, tools } = await create(app, { name: 'Piecemeal' })
  const path = `/api/v1/connectors/${id}/tools`
  const added = await app.api<Connector['tools'][number]>('POST', path, {
    ...getOrder,
    name: 'two',
    locations: { verbose: 'query' },
  })
  assert.equal(added.status, 201, added.text)
  assert.equal((await app.api('POST', path, { ...getOrder, name: 'two' })).status, 409)
  assert.deepEqual(await refusal(app, 'POST', path, { ...getOrder, name: 'three', path: '/{x}' }), [
    422,
    'invalid-input',
    ['/path'],
  ])

  const one = `${path}/${added.body.id}`
  const changed = await app.api<Connector['tools'][number]>('PATCH', one, {
    name: 'renamed',
    locations: { verbose: null, lang: 'header' },
  })
  assert.equal(changed.body.modelName, 'piecemeal__renamed')
  assert.deepEqual(changed.body.locations, { lang: 'header' })
  assert.equal(changed.body.version, 2)
  assert.equal((await app.api<{ version: number }>('PATCH', one, { name: 'renamed' })).body.version, 2)
  assert.deepEqual(await refusal(app, 'PATCH', one, { name: 'get_order' }), [409, 'name-taken', ['/name']])
  assert.deepEqual(await refusal(app, 'PATCH', one, { path: '/{x}' }), [422, 'invalid-input', ['/path']])

  assert.equal((await app.api('DELETE', one)).status, 204)
  assert.equal((await app.api('DELETE', one)).status, 404)
  const other = await create(app)
  assert.equal((await app.api('DELETE', `/api/v1/connectors/${other.id}/tools/${tools[0]?.id}`)).status, 404)
})

verifies('connectors:fields', 'edits are in the audit log with who made them, without secrets', async () => {
  const app = await sharedApp()
  const { id } = await create(app, { authType: 'bearer', authValue: 'planted-value' })
  await app.api('PATCH', `/api/v1/connectors/${id}`, { authValue: 'planted-other' })
  await app.api('DELETE', `/api/v1/connectors/${id}`)
  const { rows } = await sql<{ action: string; entry: string }>`
    select action, a::text as entry from audit_log a where subject = ${id} order by id`.execute(
    app.app.ctx.db,
  )
  assert.deepEqual(
    rows.map(({ action }) => action),
    ['connector.created', 'connector.changed', 'connector.deleted'],
  )
  assert.doesNotMatch(JSON.stringify(rows), /planted/)
})

verifies(
  [
    'connectors:save-and-test',
    'connectors:test-any-status-reachable',
    'connectors:test-answers-200',
    'connectors:test-calls-no-tool',
  ],
  'the test is one GET of the base URL with headers and auth, saved or not',
  async () => {
    let status = 200
    await using target = await startTarget((_request, response) => response.writeHead(status).end('x'))
    const app = await sharedApp()
    const settings = {
      type: 'http',
      name: 'Shop',
      baseUrl: `${target.origin}/v1`,
      authType: 'basic',
      authValue: 'kim:secret-word',
      defaultHeaders: { 'X-Token': 't', 'X-Team': 'red' },
      tools: [getOrder],
    }
    const { id } = await create(app, settings)

    const problems: Record<number, string | undefined> = {}
    for (status of [200, 404, 500, 302, 401, 403]) {
      for (const [path, body] of [
        [`/api/v1/connectors/${id}/test`, undefined],
        ['/api/v1/connectors/test', settings],
      ] as const) {
        const answer = await app.api<{
          reachable: boolean
          status: number
          address: string
          problem: { code: string } | null
          tls: null
        }>('POST', path, body)
        assert.equal(answer.status, 200, answer.text)
        assert.equal(answer.body.reachable, true)
        assert.equal(answer.body.status, status)
        assert.equal(answer.body.address, '127.0.0.1')
        assert.equal(answer.body.tls, null)
        problems[status] = answer.body.problem?.code
      }
    }
    assert.deepEqual(problems, {
      200: undefined,
      302: undefined,
      401: 'credentials_refused',
      403: 'credentials_refused',
      404: undefined,
      500: undefined,
    })
    assert.equal(target.seen.length, 12)
    for (const request of target.seen) {
      assert.equal(`${request.method} ${request.url}`, 'GET /v1')
      assert.equal(request.headers.authorization, `Basic ${btoa('kim:secret-word')}`)
      assert.equal(request.headers['x-token'], 't')
      assert.equal(request.headers['x-team'], 'red')
    }
  },
)

verifies(
  ['connectors:test-answers-200', 'connectors:save-and-test'],
  'an unreachable address is reported with a message and a code, and stays saved',
  async () => {
    await using target = await startTarget()
    const app = await sharedApp()
    const outcomes: Record<string, unknown> = {}
    for (const url of [
      'http://10.1.2.3',
      'http://localhost',
      'not a url',
      `https://${target.pair}`,
      'http://127.0.0.1:1',
      'https://name.example.test',
    ]) {
      const { status, body } = await app.api<{
        reachable: boolean
        problem: { code: string; rule: string | null }
      }>('POST', '/api/v1/connectors/test', { baseUrl: url })
      assert.equal(status, 200)
      assert.equal(body.reachable, false)
      outcomes[url.replace(target.pair, 'target')] = [body.problem.code, body.problem.rule]
    }
    assert.deepEqual(outcomes, {
      'http://10.1.2.3': ['blocked_address', 'non-public-address'],
      'http://localhost': ['blocked_address', 'local-name'],
      'not a url': ['blocked_address', 'malformed-url'],
      'https://target': ['tls_failed', null],
      'http://127.0.0.1:1': ['connection_failed', null],
      'https://name.example.test': ['dns_failed', null],
    })
    // Save & Test: the save does not depend on the test that follows it.
    const saved = await create(app, { baseUrl: 'http://127.0.0.1:1' })
    const test = await app.api<{ reachable: boolean; problem: { code: string } }>(
      'POST',
      `/api/v1/connectors/${saved.id}/test`,
    )
    assert.deepEqual([test.status, test.body.reachable], [200, false])
    assert.equal(test.body.problem.code, 'connection_failed')
    const kept = await app.get<Connector>(`/api/v1/connectors/${saved.id}`)
    assert.deepEqual([kept.version, kept.tools], [saved.version, saved.tools])
    assert.match(kept.health.lastError ?? '', /\w/)
  },
)

verifies(
  'http-tools:try-it',
  'a read tool is tried at once: the request with secrets masked, and the answer',
  async () => {
    await using target = await startTarget(({ headers }, response) => {
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ echo: headers.authorization }))
    })
    const app = await sharedApp()
    const { tools } = await create(app, {
      baseUrl: `${target.origin}/v1`,
      authType: 'bearer',
      authValue: 'planted-token',
    })
    const path = `/api/v1/tools/${tools[0]?.id}/try`

    const tried = await app.api<{
      request: { url: string; headers: Record<string, string> }
      response: { status: number; body: string } | null
      warnings: string[]
    }>('POST', path, { input: { id: 'a/b' } })
    assert.equal(tried.status, 200, tried.text)
    assert.equal(tried.body.request.url, `${target.origin}/v1/orders/a%2Fb`)
    assert.equal(tried.body.request.headers.Authorization, 'Bearer ••••••••')
    assert.equal(tried.body.response?.status, 200)
    assert.doesNotMatch(tried.text, /planted-token/)
    assert.equal(tried.body.warnings.length, 1)
    assert.equal(target.seen[0]?.headers.authorization, 'Bearer planted-token')

    assert.deepEqual(await refusal(app, 'POST', path, { input: {} }), [422, 'invalid-input', ['/input/id']])
    assert.deepEqual(await refusal(app, 'POST', path, { input: { id: '..' } }), [
      422,
      'invalid-input',
      ['/input/id'],
    ])
    const looked = await app.api<{ response: null }>('POST', path, { input: { id: '1' }, dryRun: true })
    assert.equal(looked.body.response, null)
    assert.equal(target.seen.length, 1)
    const { rows } = await sql`
      select 1 from audit_log where action = 'tool.tried' and subject = ${tools[0]?.id}`.execute(
      app.app.ctx.db,
    )
    assert.equal(rows.length, 1)
  },
)

verifies(
  'http-tools:try-it',
  'a write tool is sent only once its rendered request is confirmed',
  async () => {
    await using target = await startTarget()
    const app = await sharedApp()
    const { tools } = await create(app, {
      baseUrl: target.origin,
      tools: [
        {
          ...getOrder,
          name: 'put',
          method: 'PUT',
          capability: 'write',
          inputSchema: { type: 'object', properties: { id: { type: 'string' }, n: { type: 'number' } } },
        },
      ],
    })
    const path = `/api/v1/tools/${tools[0]?.id}/try`
    const input = { id: '1', n: 2 }

    assert.equal((await refusal(app, 'POST', path, { input }))[1], 'confirmation-required')
    // No input is the same as an empty object.
    assert.equal((await refusal(app, 'POST', path, undefined))[1], 'invalid-input')
    const { body } = await app.api<{ digest: string }>('POST', path, { input, dryRun: true })
    assert.equal(
      (await refusal(app, 'POST', path, { input: { ...input, n: 3 }, confirm: body.digest }))[1],
      'confirmation-required',
    )
    assert.equal(target.seen.length, 0)
    const sent = await app.api<{ response: { status: number } }>('POST', path, {
      input,
      confirm: body.digest,
    })
    assert.equal(sent.body.response.status, 200)
    assert.equal(target.seen[0]?.body, '{"n":2}')
    assert.match(String(target.seen[0]?.headers['idempotency-key']), /^call_/)
  },
)

async function callGetOrder({ app: { ctx } }: TestApp, { tools }: Connector): Promise<ToolAnswer> {
  const tool = await ctx.tools.find(tools[0]?.modelName ?? '')
  assert.ok(tool)
  const prepared = await tool.prepare({ id: '1' }, 'call_1')
  assert.ok(prepared.kind === 'ready')
  return await prepared.send(new AbortController().signal)
}

verifies(
  'http-tools:output-schema-warns',
  'an answer that does not fit outputSchema is a warning, never an error',
  async () => {
    await using target = await startTarget()
    const app = await sharedApp()
    const connector = await create(app, {
      baseUrl: target.origin,
      tools: [{ ...getOrder, outputSchema: { type: 'object', required: ['total'] } }],
    })
    const answer = await callGetOrder(app, connector)
    assert.equal(answer.body, '{"ok":true}')
    assert.equal(answer.error, null)
    assert.deepEqual(answer.warnings, [
      'The answer does not fit the output schema at /total: This is required.',
    ])
  },
)

verifies(
  'http-tools:output-schema-warns',
  'an empty answer, as after a change, is not compared with outputSchema',
  async () => {
    await using target = await startTarget((_request, response) => response.writeHead(204).end())
    const app = await sharedApp()
    const tools = [{ ...getOrder, outputSchema: { type: 'object' } }]
    const answer = await callGetOrder(app, await create(app, { baseUrl: target.origin, tools }))
    assert.deepEqual([answer.status, answer.body, answer.warnings], [204, '', []])
  },
)

verifies(
  'http-tools:output-schema-warns',
  'an answer with too many values to be checked against outputSchema comes whole, with a warning',
  async () => {
    const large = `{"total":[${'[],'.repeat(100_000)}0]}`
    await using target = await startTarget((_request, response) => {
      response.setHeader('content-type', 'application/json').end(large)
    })
    const app = await sharedApp()
    const connector = await create(app, {
      baseUrl: target.origin,
      tools: [{ ...getOrder, outputSchema: { type: 'object', required: ['other'] } }],
    })
    const answer = await callGetOrder(app, connector)
    assert.deepEqual([answer.body === large, answer.error], [true, null])
    assert.deepEqual(answer.warnings, [
      'The answer has too many values to be checked against the output schema.',
    ])
  },
)

verifies(
  'http-tools:input-validated',
  'an input that does not fit is answered as data, and nothing is sent',
  async () => {
    await using target = await startTarget()
    const app = await sharedApp()
    const { tools } = await create(app, { baseUrl: target.origin })
    const { ctx } = app.app
    const tool = await ctx.tools.find(tools[0]?.modelName ?? '')
    assert.ok(tool)
    const deep: unknown = JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`)
    for (const input of [{}, { id: 1 }, 'text', null, [], { id: '..' }, { id: '1', deep }]) {
      const prepared = await tool.prepare(input, 'call_1')
      assert.equal(prepared.kind, 'invalid')
    }
    assert.equal(target.seen.length, 0)
  },
)

async function operatorOf(app: TestApp) {
  const { status, body, text } = await app.api<{ key: string }>('POST', '/api/v1/api-keys', {
    name: 'op',
    role: 'operator',
  })
  assert.equal(status, 201, text)
  return <T = ProblemBody>(method: string, path: string, sent?: unknown) =>
    app.api<T>(method, path, sent, { key: body.key })
}

verifies(
  ['permissions:loosen-admin-only', 'permissions:capability-sets-default'],
  'only an admin can loosen a permission, lower a capability or declare a POST as read, through any endpoint',
  async () => {
    const app = await sharedApp()
    const operator = await operatorOf(app)
    const write = { ...getOrder, name: 'w', method: 'POST', capability: 'write' }
    const { id, tools } = await create(app, {
      tools: [getOrder, write, { ...write, name: 'd', method: 'DELETE', capability: 'destructive' }],
    })
    assert.deepEqual(
      tools.map(({ permission }) => permission),
      ['auto', 'approve', 'confirm'],
    )
    const at = (index: number) => `/api/v1/connectors/${id}/tools/${tools[index]?.id}`

    const refused = [
      await operator('PATCH', at(1), { permission: 'auto' }),
      await operator('PATCH', at(2), { permission: 'approve' }),
      await operator('PATCH', at(2), { capability: 'write' }),
      await operator('PATCH', at(1), { capability: 'read' }),
      await operator('POST', `/api/v1/connectors/${id}/tools`, { ...write, name: 'n', capability: 'read' }),
      await operator('PATCH', `/api/v1/connectors/${id}`, { tools: [{ ...write, permission: 'auto' }] }),
      await operator('POST', '/api/v1/connectors', {
        type: 'http',
        name: 'x',
        baseUrl,
        tools: [{ ...write, capability: 'read' }],
      }),
    ]
    assert.deepEqual(
      refused.map(({ status, body }) => `${status} ${body.type}`),
      refused.map(() => '403 forbidden'),
    )
    assert.equal((await operator('PATCH', at(0), { permission: 'approve' })).status, 200)
    assert.equal((await operator('PATCH', at(0), { permission: null })).status, 200)
    assert.equal((await operator('PATCH', at(1), { permission: 'off' })).status, 200)
    assert.equal((await operator('PATCH', at(1), { capability: 'destructive' })).status, 200)
    assert.equal((await app.api('PATCH', at(2), { capability: 'write', permission: 'auto' })).status, 200)
    assert.equal((await operator('PATCH', at(2), { path: '/other/{id}' })).status, 403)
    assert.equal(
      (await operator('PATCH', `/api/v1/connectors/${id}`, { baseUrl: 'https://other.example.org' })).status,
      403,
    )
  },
)

verifies('http-tools:try-it', 'an operator tries reads; anything else needs an admin', async () => {
  await using target = await startTarget()
  const app = await sharedApp()
  const operator = await operatorOf(app)
  const { tools } = await create(app, {
    baseUrl: target.origin,
    tools: [getOrder, { ...getOrder, name: 'w', method: 'POST', capability: 'write' }],
  })
  assert.equal(
    (await operator('POST', `/api/v1/tools/${tools[0]?.id}/try`, { input: { id: '1' } })).status,
    200,
  )
  assert.equal(
    (await operator('POST', `/api/v1/tools/${tools[1]?.id}/try`, { input: { id: '1' }, confirm: true }))
      .status,
    403,
  )
  assert.equal(target.seen.length, 1)
})
