import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { ImportPreview } from '../../src/connectors/contract.ts'
import { buildRequest } from '../../src/connectors/http/build-request.ts'
import { importCurl } from '../../src/connectors/import/curl/import-curl.ts'
import { splitShellWords } from '../../src/connectors/import/curl/split-shell-words.ts'
import { importOpenapi } from '../../src/connectors/import/openapi/import-openapi.ts'
import { createSchemaCache } from '../../src/connectors/schema/compile-schema.ts'
import { findSchemaFaults } from '../../src/connectors/schema/find-schema-faults.ts'
import { validateInput } from '../../src/connectors/schema/validate-input.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startTarget } from '../support/start-target.ts'
import { loopback, startTestApp, testApiKey } from '../support/start-test-app.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

const cache = createSchemaCache()

function published(path: string): string {
  return readFileSync(fileURLToPath(new URL(`../../node_modules/${path}`, import.meta.url)), 'utf8')
}

function toolOf(preview: ImportPreview, name: string) {
  const tool = preview.tools.find((candidate) => candidate.name === name)
  assert.ok(tool, `${name} is not among ${preview.tools.map((candidate) => candidate.name).join(', ')}`)
  return tool
}

/** What the imported tool would send. */
function rendered(preview: ImportPreview, name: string, input: Record<string, unknown>) {
  const tool = toolOf(preview, name)
  assert.deepEqual(validateInput(cache, tool.inputSchema, input), [], name)
  const connector = {
    ...preview.connector,
    baseUrl: preview.connector.baseUrl || 'https://api.example.test',
    authName: null,
    hasAuthValue: false,
  }
  const built = buildRequest(
    { ...tool, locations: tool.locations ?? {}, bodyFormat: tool.bodyFormat ?? 'json' },
    connector,
    input,
    'call_1',
  )
  assert.ok(built.ok, JSON.stringify(built))
  return built.request
}

const shop = {
  openapi: '3.0.3',
  info: { title: 'Shop', version: '1' },
  servers: [{ url: 'https://{region}.shop.example.test/v2/', variables: { region: { default: 'eu' } } }],
  security: [{ key: [] }],
  paths: {
    '/orders/{id}': {
      parameters: [{ $ref: '#/components/parameters/Id' }],
      get: {
        operationId: 'get order!',
        summary: 'Reads an order',
        parameters: [
          { name: 'expand', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
          {
            name: 'fields',
            in: 'query',
            explode: false,
            schema: { type: 'array', items: { type: 'string' } },
          },
          { name: 'filter', in: 'query', style: 'deepObject', schema: { type: 'object' } },
          { name: 'page[size]', in: 'query', schema: { type: 'integer' } },
          { name: 'X-Trace', in: 'header', schema: { type: 'string' } },
          { name: 'Authorization', in: 'header', schema: { type: 'string' } },
          { name: 'session', in: 'cookie', schema: { type: 'string' } },
        ],
      },
      patch: {
        operationId: 'get_order',
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['note'],
                properties: {
                  id: { type: 'string', description: 'of the body' },
                  note: { type: 'string', nullable: true },
                  created: { type: 'string', readOnly: true },
                  tree: { $ref: '#/components/schemas/Node' },
                },
              },
            },
          },
        },
      },
      delete: { responses: {} },
    },
    '/bulk': {
      post: {
        requestBody: {
          required: true,
          content: {
            'application/json': { schema: { type: 'array', items: { $ref: '#/components/schemas/Node' } } },
          },
        },
      },
      put: {
        requestBody: { required: true, content: { 'multipart/form-data': { schema: { type: 'object' } } } },
      },
    },
    '/form': {
      post: {
        parameters: [{ name: 'dry', in: 'query', schema: { type: 'boolean' } }],
        requestBody: {
          content: {
            'application/x-www-form-urlencoded': {
              schema: { type: 'object', properties: { items: { type: 'array', items: { type: 'object' } } } },
            },
          },
        },
      },
    },
    '/broken': { get: { parameters: [{ name: 'a', in: 'query', schema: { $ref: 'other.yaml#/a' } }] } },
  },
  components: {
    parameters: {
      Id: { name: 'id', in: 'path', required: true, schema: { $ref: '#/components/schemas/OrderId' } },
    },
    securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Shop-Key' } },
    schemas: {
      OrderId: { type: 'string', minLength: 1 },
      Node: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          children: { type: 'array', items: { $ref: '#/components/schemas/Node' } },
        },
        required: ['name'],
      },
      Unused: { type: 'string' },
    },
  },
}

verifies(
  'import:openapi',
  'a document becomes a connector with its address and authentication, and tools',
  () => {
    for (const text of [JSON.stringify(shop), JSON.stringify(shop, null, 2)]) {
      const { connector, tools } = importOpenapi(text, null)
      assert.equal(connector.name, 'Shop')
      assert.equal(connector.baseUrl, 'https://eu.shop.example.test/v2')
      assert.equal(connector.authType, 'api_key')
      assert.equal(connector.authName, 'X-Shop-Key')
      assert.equal(tools.length, 5)
    }
    const yaml = 'openapi: 3.1.0\ninfo: {title: Y, version: "1"}\npaths:\n  /a:\n    get: {operationId: a}\n'
    assert.equal(
      importOpenapi(yaml, 'https://docs.example.test/openapi.yaml').connector.baseUrl,
      'https://docs.example.test',
    )
    // YAML reads a version without quotes as a number.
    for (const version of ['swagger: 2.0', 'swagger: 2', 'openapi: 3.0', 'openapi: 3.1', 'openapi: 3']) {
      const text = `${version}\ninfo: {title: Y, version: 1}\nhost: h.example.test\npaths:\n  /a/{b}:\n    get: {operationId: a}\n`
      assert.equal(importOpenapi(text, null).tools[0]?.path, '/a/{b}', version)
    }
    assert.equal(
      importOpenapi('swagger: 2.0\nhost: h.example.test\nschemes: [https]\n', null).connector.baseUrl,
      'https://h.example.test',
    )
  },
)

verifies('import:suggested-capability', 'the method suggests the capability', () => {
  const preview = importOpenapi(JSON.stringify(shop), null)
  assert.deepEqual(
    preview.tools.map(({ method, capability }) => `${method} ${capability}`),
    ['GET read', 'PATCH write', 'DELETE destructive', 'POST write', 'POST write'],
  )
})

verifies(
  'import:suggested-capability',
  'a POST that seems only to ask stays a write, and is named for an admin to decide; GraphQL is not, since it may change things',
  () => {
    const post = (more = {}) => ({ post: { responses: { 401: { description: 'No' } }, ...more } })
    const { tools, onlyQueries, connector, warnings } = importOpenapi(
      JSON.stringify({
        openapi: '3.1.0',
        servers: [{ url: 'https://api.example.test' }],
        paths: {
          '/orders/_search': post({ operationId: 'search' }),
          '/report': post({ operationId: 'report', 'x-readonly': true }),
          '/orders': post({ operationId: 'create' }),
          '/graphql': post({ operationId: 'graphql' }),
        },
      }),
      null,
    )
    assert.deepEqual(new Set(tools.map(({ capability }) => capability)), new Set(['write']))
    assert.deepEqual(onlyQueries, ['search', 'report'])
    assert.deepEqual(importCurl(`curl -d '{"selector":{}}' https://db.example.test/shop/_find`).onlyQueries, [
      'post__find',
    ])
    // It names no way to authenticate, and refuses whoever does not.
    assert.equal(connector.authType, 'none')
    assert.match(warnings.join(), /does not say how the API authenticates/)
  },
)

verifies('import:names-valid-and-unique', 'names are made valid and unique', () => {
  const { tools } = importOpenapi(JSON.stringify(shop), null)
  assert.deepEqual(
    tools.map(({ name }) => name),
    ['get_order', 'get_order_2', 'delete_orders_id', 'post_bulk', 'post_form'],
  )
})

verifies('import:locations', 'each parameter is sent where the document says, under its own name', () => {
  const preview = importOpenapi(JSON.stringify(shop), null)
  const get = rendered(preview, 'get_order', {
    id: 'a b',
    expand: ['x', 'y'],
    fields: ['p', 'q'],
    filter: { s: 1 },
    page_size: 5,
    'X-Trace': 't',
  })
  assert.equal(
    decodeURIComponent(get.url),
    'https://eu.shop.example.test/v2/orders/a b?expand=x&expand=y&fields=p,q&filter[s]=1&page[size]=5',
  )
  assert.equal(get.headers['X-Trace'], 't')
  const properties = toolOf(preview, 'get_order').inputSchema.properties
  assert.deepEqual(Object.keys(properties ?? {}), [
    'id',
    'expand',
    'fields',
    'filter',
    'page_size',
    'X-Trace',
  ])

  const patch = rendered(preview, 'get_order_2', { id: 'body-id', id_2: 'path-id', note: null })
  assert.equal(patch.url, 'https://eu.shop.example.test/v2/orders/path-id')
  assert.equal(patch.body, '{"id":"body-id","note":null}')
  const bulk = rendered(preview, 'post_bulk', { body: [{ name: 'a' }] })
  assert.equal(bulk.body, '[{"name":"a"}]')
  const form = rendered(preview, 'post_form', { items: [{ id: 1 }], dry: true })
  assert.equal(form.url, 'https://eu.shop.example.test/v2/form?dry=true')
  assert.equal(form.body, 'items%5B0%5D%5Bid%5D=1')
})

verifies('import:locations', 'lists in a form are written as the document says', () => {
  const list = { type: 'array', items: { type: 'string' } }
  const fields = {
    to: { ...list, nullable: true },
    'by-ref': { $ref: '#/components/schemas/List' },
    expand: list,
    ids: list,
  }
  const properties = {
    ...fields,
    lines: { type: 'array', items: { type: 'object' } },
    map: { type: 'object' },
  }
  const encoding = { expand: { style: 'deepObject', explode: true }, ids: { explode: false } }
  const form = { schema: { type: 'object', properties }, encoding }
  const requestBody = { content: { 'application/x-www-form-urlencoded': form } }
  const document = {
    openapi: '3.0.3',
    paths: { '/calls': { post: { operationId: 'call', requestBody } } },
    components: { schemas: { List: list } },
  }
  const input = {
    to: ['a', 'b'],
    'by-ref': ['c', 'd'],
    expand: ['e', 'f'],
    ids: ['g', 'h'],
    lines: [{ id: 1 }],
    map: { k: 'v' },
  }
  const { body } = rendered(importOpenapi(JSON.stringify(document), null), 'call', input)
  assert.equal(
    decodeURIComponent(body ?? ''),
    'to=a&to=b&by-ref=c&by-ref=d&expand[]=e&expand[]=f&ids=g,h&lines[0][id]=1&map[k]=v',
  )
})

verifies('import:openapi', 'fields that only answers have are not required, wherever they are', () => {
  const base = {
    type: 'object',
    required: ['id', 'title', 'created'],
    properties: {
      id: { type: 'integer', readOnly: true },
      created: { $ref: '#/components/schemas/Time' },
      title: { type: 'string' },
    },
  }
  const reference = { $ref: '#/components/schemas/Base' }
  const added = { type: 'object', required: ['id', 'note'], properties: { note: { type: 'string' } } }
  const post = (operationId: string, schema: unknown) => ({
    post: { operationId, requestBody: { required: true, content: { 'application/json': { schema } } } },
  })
  const document = {
    openapi: '3.0.3',
    paths: {
      '/flat': post('flat', reference),
      '/nested': post('nested', {
        type: 'object',
        properties: { lines: { type: 'array', items: reference } },
      }),
      '/combined': post('combined', { allOf: [reference, added], required: ['created', 'title'] }),
    },
    components: {
      schemas: {
        Base: base,
        Time: { $ref: '#/components/schemas/At' },
        At: { type: 'string', readOnly: true },
      },
    },
  }
  const preview = importOpenapi(JSON.stringify(document), null)
  const missing = (name: string, input: unknown) =>
    validateInput(cache, toolOf(preview, name).inputSchema, input).map(({ pointer }) => pointer)
  assert.deepEqual(missing('flat', { title: 'a' }), [])
  assert.deepEqual(missing('flat', {}), ['/title'])
  assert.deepEqual(missing('nested', { lines: [{ title: 'a' }] }), [])
  assert.deepEqual(missing('nested', { lines: [{}] }), ['/lines/0/title'])
  assert.deepEqual(missing('combined', { body: { title: 'a', note: 'b' } }), [])
  assert.deepEqual(missing('combined', { body: { title: 'a' } }), ['/body/note'])
})

verifies(
  'import:refs-keep-working',
  'references work within the tool alone, recursive ones too, and nothing unused comes along',
  () => {
    const preview = importOpenapi(JSON.stringify(shop), null)
    const { inputSchema } = toolOf(preview, 'get_order_2')
    assert.deepEqual(Object.keys(inputSchema.$defs ?? {}), ['Node', 'OrderId'])
    const good = { id_2: '1', note: 'n', tree: { name: 'a', children: [{ name: 'b', children: [] }] } }
    assert.deepEqual(validateInput(cache, inputSchema, good), [])
    const bad = { ...good, tree: { name: 'a', children: [{ children: [] }] } }
    assert.deepEqual(
      validateInput(cache, inputSchema, bad).map(({ pointer }) => pointer),
      ['/tree/children/0/name'],
    )
    assert.deepEqual(
      validateInput(cache, inputSchema, { id_2: '', note: 'n' }).map(({ pointer }) => pointer),
      ['/id_2'],
    )
  },
)

verifies('import:openapi', 'operations that cannot become tools are listed with the reason', () => {
  const { skipped } = importOpenapi(JSON.stringify(shop), null)
  assert.deepEqual(
    skipped.map(({ operation }) => operation),
    ['PUT /bulk', 'GET /broken'],
  )
  assert.match(skipped[0]?.reason ?? '', /multipart/)
  assert.match(skipped[1]?.reason ?? '', /outside this schema/)
  // Few documents say that the file of an upload is required, and without it the call would do nothing useful.
  const petstore = importOpenapi(published('@readme/oas-examples/3.0/json/petstore.json'), null)
  assert.deepEqual(petstore.skipped, [
    {
      operation: 'POST /pet/{petId}/uploadImage',
      reason: 'Its body is multipart/form-data; only JSON and forms can be sent.',
    },
  ])
  const note = {
    operationId: 'ring',
    requestBody: { content: { 'text/plain': { schema: { type: 'string' } } } },
  }
  const { tools } = importOpenapi(
    JSON.stringify({ openapi: '3.0.3', paths: { '/ring': { post: note } } }),
    null,
  )
  assert.deepEqual(
    tools.map(({ name }) => name),
    ['ring'],
    'another body can be left out if it is optional',
  )
})

verifies('import:openapi', 'version 2 documents are read, forms and definitions included', () => {
  const preview = importOpenapi(published('@readme/oas-examples/2.0/json/petstore.json'), null)
  assert.equal(preview.connector.baseUrl, 'http://petstore.swagger.io/v2')
  const add = rendered(preview, 'addPet', { name: 'Rex', photoUrls: [], category: { name: 'dogs' } })
  assert.equal(add.url, 'http://petstore.swagger.io/v2/pet')
  assert.equal(add.body, '{"name":"Rex","photoUrls":[],"category":{"name":"dogs"}}')
  const find = rendered(preview, 'findPetsByStatus', { status: ['sold', 'pending'] })
  assert.equal(find.url, 'http://petstore.swagger.io/v2/pet/findByStatus?status=sold&status=pending')
})

verifies(
  'import:locations',
  'an object in the query is sent as its fields, a JSON media type keeps its name, and no call goes to another address',
  () => {
    const page = {
      type: 'object',
      required: ['page'],
      properties: {
        page: { type: 'integer' },
        size: { type: 'integer' },
        sort: { type: 'array', items: { type: 'string' } },
      },
    }
    const patch = {
      required: true,
      content: { 'application/merge-patch+json': { schema: { type: 'object' } } },
    }
    const list = { schema: { type: 'array', items: { type: 'object' } } }
    const operations = { required: true, content: { 'application/json-patch+json': list } }
    const json = { schema: { type: 'object', properties: { data: { type: 'object' } } } }
    const both = { content: { 'application/vnd.api+json': json, 'application/json': json } }
    const document = {
      openapi: '3.0.1',
      info: { title: 'Orders', version: '1' },
      paths: {
        '/orders': {
          servers: [{ url: 'https://api.example.test/v1' }],
          get: {
            operationId: 'list',
            parameters: [
              {
                name: 'pageable',
                in: 'query',
                required: true,
                schema: { $ref: '#/components/schemas/Page' },
              },
            ],
          },
          patch: { operationId: 'change', requestBody: patch },
          post: { operationId: 'add', requestBody: both },
        },
        '/pods': { patch: { operationId: 'replace', requestBody: operations } },
        '/files': { post: { operationId: 'upload', servers: [{ url: 'https://files.example.test' }] } },
      },
      components: { schemas: { Page: page } },
    }
    const preview = importOpenapi(JSON.stringify(document), null)
    assert.equal(preview.connector.baseUrl, 'https://api.example.test/v1')
    assert.equal(
      rendered(preview, 'list', { page: 0, size: 20, sort: ['id', 'name,desc'] }).url,
      'https://api.example.test/v1/orders?page=0&size=20&sort=id&sort=name%2Cdesc',
    )
    assert.deepEqual(toolOf(preview, 'list').inputSchema.required, ['page'])
    const change = { 'Content-Type': 'application/merge-patch+json', body: { note: null } }
    const { headers, body } = rendered(preview, 'change', change)
    assert.deepEqual([headers['Content-Type'], body], ['application/merge-patch+json', '{"note":null}'])
    const replace = { 'Content-Type': 'application/json-patch+json', body: [] }
    assert.equal(rendered(preview, 'replace', replace).headers['Content-Type'], 'application/json-patch+json')
    assert.equal(rendered(preview, 'add', { data: {} }).headers['Content-Type'], 'application/json')
    assert.deepEqual(
      preview.skipped.map(({ operation }) => operation),
      ['POST /files'],
    )
    assert.match(preview.skipped[0]?.reason ?? '', /another address, https:\/\/files\.example\.test/)
  },
)

verifies('import:openapi', 'https is preferred to http, and http on the Internet is a warning', () => {
  const swagger = { swagger: '2.0', host: 'api.example.com', basePath: '/v1', paths: {} }
  const withServers = (...urls: string[]) => ({
    openapi: '3.0.0',
    paths: {},
    servers: urls.map((url) => ({ url })),
  })
  for (const [document, baseUrl, warnings] of [
    [{ ...swagger, schemes: ['http', 'https'] }, 'https://api.example.com/v1', 0],
    [{ ...swagger, schemes: ['http'] }, 'http://api.example.com/v1', 1],
    [
      withServers('http://api.example.com/v1/', 'https://api.example.com/v1'),
      'https://api.example.com/v1',
      0,
    ],
    [withServers('http://api.example.com/v1', 'https://api.example.com/v2'), 'http://api.example.com/v1', 1],
    [withServers('http://8.8.8.8'), 'http://8.8.8.8', 1],
    [withServers('http://localhost:3000', 'https://api.example.com'), 'http://localhost:3000', 0],
    [withServers('http://erp.internal'), 'http://erp.internal', 0],
    [withServers('http://10.1.2.3:8080/api'), 'http://10.1.2.3:8080/api', 0],
    [withServers('http://[::1]:8080'), 'http://[::1]:8080', 0],
  ] as const) {
    const preview = importOpenapi(JSON.stringify(document), null)
    assert.equal(preview.connector.baseUrl, baseUrl)
    assert.equal(preview.warnings.filter((text) => text.includes('http:')).length, warnings, baseUrl)
  }
})

verifies('import:openapi', 'invalid documents are refused with an explanation', () => {
  const odd = ['', '42', '[]', '{"a":', 'a: b: c', '{"openapi":"4.0"}', '{"openapi":"3.0.0"', 'just text']
  for (const text of odd)
    assert.throws(() => importOpenapi(text, null), { name: 'Error', message: /document/i }, text)
  const bomb = `openapi: 3.0.0\na: &a [${'x,'.repeat(9)}x]\n${[...'bcdefgh'].map((name, at) => `${name}: &${name} [${`*${'abcdefgh'[at]},`.repeat(9)}*${'abcdefgh'[at]}]`).join('\n')}`
  assert.throws(() => importOpenapi(bomb, null), /alias/i)
  const ownPart = 'openapi: 3.0.0\ninfo: &info { title: T, more: *info }\npaths: {}'
  assert.throws(() => importOpenapi(ownPart, null), /A part of the document contains itself/)
  const hollow = [
    '{"openapi":"3.1.0"}',
    '{"openapi":"3.0.0","paths":[]}',
    '{"swagger":"2.0","paths":{"/a":null,"/b":{"get":7}}}',
  ]
  for (const text of hollow) assert.deepEqual(importOpenapi(text, null).tools, [], text)
})

verifies(
  'import:real-documents',
  'documents published by others become tools that can be saved, and send what they mean',
  () => {
    const figma = importOpenapi(published('@figma/rest-api-spec/openapi/openapi.yaml'), null)
    assert.ok(figma.tools.length > 40)
    assert.equal(figma.connector.baseUrl, 'https://api.figma.com')
    assert.equal(
      rendered(figma, 'getFile', { file_key: 'abc', depth: 2 }).url,
      'https://api.figma.com/v1/files/abc?depth=2',
    )
    const comment = rendered(figma, 'postComment', { file_key: 'abc', message: 'hi' })
    assert.equal(
      `${comment.method} ${comment.url} ${comment.body}`,
      'POST https://api.figma.com/v1/files/abc/comments {"message":"hi"}',
    )

    const netlify = importOpenapi(published('@netlify/open-api/dist/swagger.json'), null)
    assert.ok(netlify.tools.length > 150)
    assert.equal(rendered(netlify, 'getSite', { site_id: 's' }).url, 'https://api.netlify.com/api/v1/sites/s')

    const startrek = importOpenapi(published('@readme/oas-examples/3.0/json/star-trek.json'), null)
    assert.ok(startrek.tools.length > 50)
    const trains = importOpenapi(published('@readme/oas-examples/3.1/json/train-travel.json'), null)
    assert.ok(trains.tools.length > 5)
    for (const { tools } of [figma, netlify, startrek, trains]) {
      assert.equal(new Set(tools.map(({ name }) => name)).size, tools.length)
      for (const tool of tools) {
        assert.match(tool.name, /^[a-zA-Z0-9_-]{1,64}$/)
        assert.deepEqual(findSchemaFaults(tool.inputSchema), [], tool.name)
      }
    }
  },
)

verifies(
  'import:real-documents',
  'a published document is imported and saved whole through the API',
  async () => {
    const app = await sharedApp()
    const preview = await app.api<ImportPreview>('POST', '/api/v1/connectors/import', {
      openapi: published('@figma/rest-api-spec/openapi/openapi.yaml'),
    })
    assert.equal(preview.status, 200, preview.text)
    const { connector, tools } = preview.body
    const saved = await app.api<{ tools: unknown[] }>('POST', '/api/v1/connectors', {
      ...connector,
      authValue: 'k',
      tools,
    })
    assert.equal(saved.status, 201, saved.text)
    assert.equal(saved.body.tools.length, tools.length)
  },
)

verifies(
  'import:url',
  'a document is fetched through the guarded egress, or refused with the reason',
  async () => {
    await using target = await startTarget(({ url }, response) => {
      if (url === '/openapi.json') response.end(JSON.stringify({ ...shop, servers: [{ url: '/v3' }] }))
      else if (url === '/choices') response.writeHead(300).end()
      else response.writeHead(url === '/moved' ? 301 : 404, { location: '/openapi.json' }).end()
    })
    const app = await sharedApp()
    const ask = (url: string) =>
      app.api<ImportPreview & { type: string; detail: string }>('POST', '/api/v1/connectors/import', { url })

    const found = await ask(`${target.origin}/openapi.json`)
    assert.equal(found.status, 200, found.text)
    assert.equal(found.body.connector.baseUrl, `${target.origin}/v3`)
    assert.equal((await ask('http://10.0.0.1/openapi.json')).body.type, 'address-not-allowed')
    assert.match((await ask(`${target.origin}/moved`)).body.detail, /redirects/)
    assert.match((await ask(`${target.origin}/choices`)).body.detail, /answered 300/)
    assert.match((await ask(`${target.origin}/gone`)).body.detail, /404/)
    assert.equal(
      (await app.api<{ type: string }>('POST', '/api/v1/connectors/import', { openapi: 'nonsense' })).body
        .type,
      'import-failed',
    )
    const deep = `{"openapi":{"paths":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`
    const headers = { authorization: `Bearer ${testApiKey}`, 'content-type': 'application/json' }
    const buried = await fetch(`${app.url}/api/v1/connectors/import`, { method: 'POST', headers, body: deep })
    assert.equal(buried.status, 422)
    assert.equal((await app.api('POST', '/api/v1/connectors/import', {})).status, 422)
    assert.equal((await app.api('POST', '/api/v1/connectors/import', { url: 'x', curl: 'y' })).status, 422)
  },
)

verifies('import:curl', 'a curl line becomes a connector with one tool', () => {
  const preview = importCurl(`curl -X POST 'https://api.example.test/v1/customers/4711/orders?notify=true' \\
    -H 'Authorization: Bearer tok_1' -H "Content-Type: application/json" -H 'X-Team: red' \\
    --data-raw '{"sku": "A-1", "count": 2, "gift": {"note": "it'\\''s"}, "price": 1.5}'`)
  assert.deepEqual(preview.connector, {
    type: 'http',
    name: 'example.test',
    baseUrl: 'https://api.example.test',
    defaultHeaders: { 'X-Team': 'red' },
    authType: 'bearer',
    authValue: 'tok_1',
  })
  const [tool] = preview.tools
  assert.equal(tool?.name, 'post_orders')
  assert.equal(tool?.capability, 'write')
  assert.equal(tool?.path, '/v1/customers/{customer_id}/orders')
  const request = rendered(preview, 'post_orders', { customer_id: '5', notify: 'false', sku: 'B', count: 1 })
  assert.equal(request.url, 'https://api.example.test/v1/customers/5/orders?notify=false')
  assert.equal(request.body, '{"sku":"B","count":1}')
})

verifies('import:curl', 'ids in a path become inputs, and fixed segments stay', () => {
  const pathOf = (path: string) => importCurl(`curl 'https://api.example.test${path}'`).tools[0]?.path
  for (const [example, path] of [
    // Ids that become inputs.
    ['/v1/orders/A-1042', '/v1/orders/{order_id}'],
    ['/v1/companies/42/addresses/7', '/v1/companies/{company_id}/addresses/{address_id}'],
    ['/orders/3f1c9a52-7d1e-4b8c-9d0a-5e6f7a8b9c0d/refunds', '/orders/{order_id}/refunds'],
    ['/admin/api/2024-01/orders/450789469.json', '/admin/api/2024-01/orders/{order_id}.json'],
    ['/v1/customers/cus_NffrFeUfNV2Hib', '/v1/customers/{customer_id}'],
    ['/v1/checkout/sessions/cs_test_a11YYufWQzN2', '/v1/checkout/sessions/{session_id}'],
    ['/v1/operations/42:cancel', '/v1/operations/{operation_id}:cancel'],
    // Placeholders as manuals write them.
    ['/orders/{orderId}/lines/:line', '/orders/{orderId}/lines/{line}'],
    ['/orders/<order id>', '/orders/{order_id}'],
    ['/orders/{{order_id}}/items/$ITEM_ID', '/orders/{order_id}/items/{item_id}'],
    ['/repos/OWNER/REPO/issues/ISSUE_NUMBER', '/repos/{owner}/{repo}/issues/{issue_number}'],
    // Fixed segments.
    ['/api/v4/projects/5/merge_requests', '/api/v4/projects/{project_id}/merge_requests'],
    ['/v1/setup_intents', '/v1/setup_intents'],
    ['/2/users/by', '/2/users/by'],
    ['/2010-04-01/Accounts.json', '/2010-04-01/Accounts.json'],
    ['/sap/API_BUSINESS_PARTNER/users:search', '/sap/API_BUSINESS_PARTNER/users:search'],
  ] as const) {
    assert.equal(pathOf(example), path, example)
  }
  const { tools } = importCurl(`curl https://api.example.test/orders/A-1042 -d '{"order_id": "B"}'`)
  assert.equal(tools[0]?.path, '/orders/{order_id_2}', 'an input of the body keeps its name')
  assert.deepEqual(tools[0]?.inputSchema.required, ['order_id_2'])
})

verifies('import:curl', 'the ways in which curl lines are written are understood', () => {
  const auth = (line: string) => {
    const { authType, authName, authValue } = importCurl(line).connector
    return [authType, authName, authValue].filter(Boolean).join(' ')
  }
  assert.equal(auth('curl -u kim:pw https://a.example.test'), 'basic kim:pw')
  assert.equal(auth('curl https://kim:p%40w@a.example.test'), 'basic kim:p@w')
  assert.equal(auth('curl -H "X-API-Key: k" a.example.test/x'), 'api_key X-API-Key k')
  assert.equal(auth('curl -sSL --oauth2-bearer t https://a.example.test'), 'bearer t')
  assert.equal(auth(`curl -H 'authorization: Basic ${btoa('a:b')}' https://a.example.test`), 'basic a:b')
  assert.equal(auth('$ curl --location https://a.example.test'), 'none')

  const form = importCurl("curl https://a.example.test/t -d amount=5 --data-urlencode 'note=a b' -XPUT")
  assert.equal(rendered(form, 'put_t', { amount: '6', note: 'x y' }).body, 'amount=6&note=x%20y')
  const query = importCurl('curl -G https://a.example.test/s -d q=1 -d tag=a -d tag=b')
  assert.equal(rendered(query, 'get_s', { q: '2', tag: ['c'] }).url, 'https://a.example.test/s?q=2&tag=c')
  const json = importCurl(`curl --json '[1,2]' https://a.example.test/list`)
  assert.equal(rendered(json, 'post_list', { body: [3] }).body, '[3]')
  const key = importCurl('curl -u kim:pw "https://a.example.test/x?api_key=planted"')
  assert.doesNotMatch(JSON.stringify(key), /planted/)
  assert.equal(key.warnings.length, 1)
  for (const line of [
    'wget https://x.test',
    'curl',
    'curl -X TRACE https://a.example.test',
    'curl https://kim:100%@a.example.test',
    "curl --json '{' https://a.example.test",
  ]) {
    assert.throws(() => importCurl(line), /curl|method/, line)
  }
  assert.deepEqual(splitShellWords(`a 'b c' "d \\"e\\" $f" g\\ h $'i\\n\\u00e9' ''  j\\\n k`), [
    'a',
    'b c',
    'd "e" $f',
    'g h',
    'i\né',
    '',
    'j',
    'k',
  ])
})
