import assert from 'node:assert/strict'
import type { NewTool } from '../../src/connectors/contract.ts'
import { buildRequest } from '../../src/connectors/http/build-request.ts'
import { importOpenapi } from '../../src/connectors/import/openapi/import-openapi.ts'
import { createSchemaCache } from '../../src/connectors/schema/compile-schema.ts'
import { validateInput } from '../../src/connectors/schema/validate-input.ts'
import { verifies } from '../support/verifies.ts'

function importOf(
  paths: Record<string, unknown>,
  servers: unknown[] = [{ url: 'https://api.example.test' }],
) {
  const document = { openapi: '3.0.3', info: { title: 'Shop', version: '1' }, servers, paths }
  return importOpenapi(JSON.stringify(document), null)
}

/** What a call of the tool sends. */
function requestOf(tool: NewTool | undefined, input: Record<string, unknown>) {
  assert.ok(tool)
  const built = buildRequest(
    { ...tool, locations: tool.locations ?? {}, bodyFormat: tool.bodyFormat ?? 'json' },
    {
      baseUrl: 'https://api.example.test',
      defaultHeaders: {},
      authType: 'none',
      authName: null,
      hasAuthValue: false,
    },
    input,
    'call_1',
  )
  assert.ok(built.ok, JSON.stringify(built))
  return built.request
}

verifies('import:openapi', 'the path of a relative server is named where its host is not known', () => {
  const { connector, warnings } = importOf({ '/pets': { get: {} } }, [{ url: '/api/v3' }])
  assert.equal(connector.baseUrl, '')
  assert.deepEqual(warnings, [
    'The document has the path of the API, /api/v3, but not its host. Enter the whole base URL.',
  ])
  assert.match(importOf({ '/pets': { get: {} } }, []).warnings.join(), /has no address of the API/)
})

verifies('import:openapi', 'a JSON body that is not described is one input', () => {
  const { tools } = importOf({
    '/search': { post: { requestBody: { required: true, content: { 'application/json': {} } } } },
  })
  assert.deepEqual(tools[0]?.inputSchema, {
    type: 'object',
    properties: { body: {} },
    required: ['body'],
    additionalProperties: false,
  })
  assert.deepEqual(tools[0]?.locations, { body: 'wholeBody' })
})

verifies('import:openapi', 'an operation that needs a body with GET is listed with the reason', () => {
  const body = { content: { 'application/json': { schema: { type: 'object' } } } }
  const { tools, skipped } = importOf({
    '/needs': { get: { requestBody: { ...body, required: true } } },
    '/may': { get: { requestBody: body } },
  })
  assert.deepEqual(
    tools.map(({ path }) => path),
    ['/may'],
  )
  assert.deepEqual(skipped, [
    { operation: 'GET /needs', reason: 'The operation needs a body, which cannot be sent with GET.' },
  ])
})

verifies('import:openapi', 'an operation whose path could not be saved is listed with the reason', () => {
  const { tools, skipped } = importOf({ [`/${'a'.repeat(4096)}`]: { get: {} }, '/b': { get: {} } })
  assert.deepEqual(
    [tools.map(({ path }) => path), skipped.map(({ reason }) => reason)],
    [['/b'], ['The path is too long, or has a NUL character.']],
  )
})

verifies(
  'import:locations',
  'a placeholder that is not described is an input beside a field with its name',
  () => {
    const { tools } = importOf({
      '/orders/{id}': {
        put: {
          requestBody: {
            content: {
              'application/json': {
                schema: { type: 'object', properties: { id: { type: 'integer' }, note: { type: 'string' } } },
              },
            },
          },
        },
      },
    })
    const request = requestOf(tools[0], { id: 7, id_2: 'o_1' })
    assert.equal(request.url, 'https://api.example.test/orders/o_1')
    assert.equal(request.body, '{"id":7}')
  },
)

verifies('import:openapi', 'a Swagger 2.0 operation keeps the body that it shares with others', () => {
  const shared = {
    thing: {
      name: 'thing',
      in: 'body',
      required: true,
      schema: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
    },
    tags: { name: 'tags', in: 'formData', type: 'array', items: { type: 'string' } },
    page: { name: 'page', in: 'query', type: 'integer' },
    trace: { name: 'trace', in: 'query', type: 'string' },
    page2: { $ref: '#/parameters/page' },
  }
  const form = { consumes: ['application/x-www-form-urlencoded'] }
  const { tools } = importOpenapi(
    JSON.stringify({
      swagger: '2.0',
      info: { title: 'Shop', version: '1' },
      host: 'api.example.test',
      parameters: shared,
      paths: {
        '/things': {
          post: { parameters: [{ $ref: '#/parameters/thing' }, { $ref: '#/parameters/page2' }] },
          // What is written at the path holds for its operations, wherever it stands.
          parameters: [{ $ref: '#/parameters/trace' }],
        },
        '/whole': {
          put: { parameters: [{ name: 'own', in: 'body', schema: { type: 'string' } }] },
          patch: {},
          parameters: [{ $ref: '#/parameters/thing' }],
        },
        '/forms': {
          post: {
            ...form,
            parameters: [{ name: 'a', in: 'formData', type: 'string' }, { $ref: '#/parameters/tags' }],
          },
        },
      },
    }),
    null,
  )
  const inputsOf = (name: string) => tools.find((tool) => tool.name === name)?.inputSchema
  assert.deepEqual(inputsOf('post_things'), {
    type: 'object',
    properties: { name: { type: 'string' }, trace: { type: 'string' }, page: { type: 'integer' } },
    required: ['name'],
    additionalProperties: false,
  })
  assert.deepEqual(Object.keys(inputsOf('put_whole')?.properties ?? {}), ['body'])
  assert.deepEqual(Object.keys(inputsOf('patch_whole')?.properties ?? {}), ['name'])
  assert.deepEqual(Object.keys(inputsOf('post_forms')?.properties ?? {}), ['a', 'tags'])
  // Swagger's default is one value, with commas.
  assert.deepEqual(tools.find(({ name }) => name === 'post_forms')?.locations, {
    tags: { in: 'body', name: 'tags', style: 'comma' },
  })
})

verifies('import:locations', 'lists are written with the marks that the document asks for', () => {
  const list = { type: 'array', items: { type: 'string' } }
  const form = {
    schema: { type: 'object', properties: { piped: list, spaced: list } },
    encoding: { piped: { style: 'pipeDelimited', explode: false }, spaced: { style: 'spaceDelimited' } },
  }
  const { tools } = importOf({
    '/search': {
      get: {
        parameters: [
          { name: 'piped', in: 'query', style: 'pipeDelimited', explode: false, schema: list },
          // Only the style `form` repeats the name by default.
          { name: 'usual', in: 'query', style: 'pipeDelimited', schema: list },
          { name: 'spaced', in: 'query', style: 'spaceDelimited', schema: list },
          { name: 'repeated', in: 'query', style: 'pipeDelimited', explode: true, schema: list },
          { name: 'written', in: 'query', content: { 'application/json': { schema: list } } },
        ],
      },
      post: { requestBody: { content: { 'application/x-www-form-urlencoded': form } } },
    },
  })
  const ab = ['a', 'b']
  const { url } = requestOf(tools[0], { piped: ab, usual: ab, spaced: ab, repeated: ab, written: ab })
  assert.equal(
    decodeURIComponent(new URL(url).search),
    '?piped=a|b&usual=a|b&spaced=a b&repeated=a&repeated=b&written=["a","b"]',
  )
  const { body } = requestOf(tools[1], { piped: ab, spaced: ab })
  assert.equal(body, 'piped=a%7Cb&spaced=a%20b')
})

verifies('import:openapi', 'alternatives that a field tells apart are told apart by it', () => {
  const schemas = {
    Pet: { type: 'object', required: ['kind'], properties: { kind: { type: 'string' } } },
    Cat: {
      allOf: [{ $ref: '#/components/schemas/Pet' }, { properties: { lives: { type: 'integer' } } }],
    },
    Dog: { allOf: [{ $ref: '#/components/schemas/Pet' }, { properties: { tail: { type: 'string' } } }] },
    Fish: { type: 'object', properties: { kind: { type: 'string', enum: ['fish', 'shark'] } } },
  }
  const oneOf = ['Cat', 'Dog', 'Fish'].map((name) => ({ $ref: `#/components/schemas/${name}` }))
  const mapping = { cat: '#/components/schemas/Cat', kitten: 'Cat', dog: 'Dog', fish: 'Fish' }
  const bodyOf = (discriminator: unknown) => {
    const schema = { oneOf, discriminator }
    const { tools } = importOpenapi(
      JSON.stringify({
        openapi: '3.0.3',
        info: { title: 'Pets', version: '1' },
        servers: [{ url: 'https://api.example.test' }],
        paths: { '/pets': { post: { requestBody: { content: { 'application/json': { schema } } } } } },
        components: { schemas },
      }),
      null,
    )
    const inputSchema = tools[0]?.inputSchema ?? {}
    return {
      inputSchema,
      faults: (body: unknown) => validateInput(createSchemaCache(), inputSchema, { body }),
    }
  }
  const mapped = bodyOf({ propertyName: 'kind', mapping })
  for (const body of [{ kind: 'cat' }, { kind: 'kitten', lives: 9 }, { kind: 'dog' }, { kind: 'shark' }])
    assert.deepEqual(mapped.faults(body), [], body.kind)
  assert.notDeepEqual(mapped.faults({ kind: 'cat', lives: 'nine' }), [])
  assert.notDeepEqual(mapped.faults({ kind: 'horse' }), [])
  // The agent learns the values from the schema alone.
  assert.match(JSON.stringify(mapped.inputSchema), /"kitten"/)
  assert.deepEqual(bodyOf({ propertyName: 'kind' }).faults({ kind: 'Cat' }), [])
})

verifies('import:refs-keep-working', 'what a reference to nothing describes may have any value', () => {
  const schema = { $ref: '#/components/schemas/Gone' }
  const { tools } = importOf({
    '/orders': { get: { parameters: [{ name: 'filter', in: 'query', required: true, schema }] } },
  })
  const inputSchema = tools[0]?.inputSchema ?? {}
  assert.deepEqual(validateInput(createSchemaCache(), inputSchema, { filter: 'open' }), [])
})
