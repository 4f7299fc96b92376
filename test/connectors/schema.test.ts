import assert from 'node:assert/strict'
import type { JsonSchema } from '../../src/connectors/contract.ts'
import { createSchemaCache } from '../../src/connectors/schema/compile-schema.ts'
import { findSchemaFaults } from '../../src/connectors/schema/find-schema-faults.ts'
import { lintSchema } from '../../src/connectors/schema/lint-schema.ts'
import { collectProperties } from '../../src/connectors/schema/property-names.ts'
import { runWithTimeout } from '../../src/connectors/schema/run-with-timeout.ts'
import { validateInput } from '../../src/connectors/schema/validate-input.ts'
import { verifies } from '../support/verifies.ts'

const cache = createSchemaCache(3)
const faultsOf = (schema: JsonSchema) => findSchemaFaults(schema).map(({ pointer }) => pointer)
const inputFaults = (schema: JsonSchema, value: unknown) =>
  validateInput(cache, schema, value).map(({ pointer }) => pointer)

verifies('connectors:schema-compiles', 'schemas of 2020-12 and of draft-07 compile', () => {
  const good: JsonSchema[] = [
    {},
    {
      type: 'object',
      properties: { a: true, b: false, c: { $ref: '#/$defs/x' } },
      $defs: { x: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
    },
    {
      $schema: 'http://json-schema.org/draft-07/schema#',
      definitions: { a: { type: 'string' } },
      items: [{ $ref: '#/definitions/a' }],
    },
    {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      prefixItems: [{ type: 'integer' }],
      unevaluatedProperties: false,
    },
    {
      $ref: '#/$defs/node',
      $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
    },
    {
      $id: 'https://example.com/a',
      properties: { b: { $ref: 'b' } },
      $defs: { b: { $id: 'b', type: 'string' } },
    },
    { properties: { a: { format: 'made-up', 'x-own': 1 } } },
    { properties: { $ref: { type: 'string' }, a: { default: { $ref: 'https://example.com/data' } } } },
  ]
  for (const schema of good) assert.deepEqual(findSchemaFaults(schema), [], JSON.stringify(schema))
})

verifies('connectors:schema-compiles', 'a bad schema is refused with the place of its fault', () => {
  assert.deepEqual(faultsOf({ type: 'objekt' }).includes('/type'), true)
  assert.ok(faultsOf({ properties: { a: { minimum: 'x' } } }).includes('/properties/a/minimum'))
  assert.ok(faultsOf({ required: 'a' }).includes('/required'))
  assert.deepEqual(faultsOf({ properties: { a: { $ref: '#/$defs/gone' } } }), ['/properties/a/$ref'])
  assert.equal(faultsOf({ properties: { a: { pattern: '(' } } }).length, 1)
  let deep: JsonSchema = {}
  for (let i = 0; i < 5000; i++) deep = { properties: { a: deep } }
  assert.deepEqual(faultsOf(deep), [''])
})

verifies(
  'connectors:remote-refs-refused',
  'a reference to another document is refused where it stands',
  () => {
    assert.deepEqual(faultsOf({ properties: { a: { $ref: 'https://example.com/order.json' } } }), [
      '/properties/a/$ref',
    ])
    assert.deepEqual(faultsOf({ items: { $ref: 'common.json#/a' } }), ['/items/$ref'])
    assert.deepEqual(faultsOf({ allOf: [{ $ref: 'file:///etc/passwd' }] }), ['/allOf/0/$ref'])
  },
)

verifies(
  'http-tools:input-validated',
  'each fault of an input is reported with its place and an explanation',
  () => {
    const schema = {
      type: 'object',
      properties: {
        id: { type: 'integer' },
        kind: { enum: ['a', 'b'] },
        mail: { type: 'string', format: 'email' },
        n: { properties: { x: { type: 'string' } } },
      },
      required: ['id', 'kind'],
      additionalProperties: false,
    }
    assert.deepEqual(validateInput(cache, schema, { id: 1, kind: 'a' }), [])
    assert.deepEqual(inputFaults(schema, { kind: 'c', mail: 'x', n: { x: 1 }, more: 1 }), [
      '/id',
      '/more',
      '/kind',
      '/mail',
      '/n/x',
    ])
    assert.deepEqual(validateInput(cache, schema, 'text'), [{ pointer: '', detail: 'Must be object.' }])
    assert.match(validateInput(cache, schema, { id: 1, kind: 'c' })[0]?.detail ?? '', /one of \["a","b"\]/)
  },
)

verifies(
  'http-tools:input-validated',
  'schemas with the same $id do not mix, and the cache forgets the oldest',
  () => {
    const one = { $id: 'https://example.com/s', type: 'object', required: ['a'] }
    const two = { $id: 'https://example.com/s', type: 'object', required: ['b'] }
    for (let round = 0; round < 4; round++) {
      assert.deepEqual(inputFaults(one, {}), ['/a'])
      assert.deepEqual(inputFaults(two, {}), ['/b'])
      for (let i = 0; i < 4; i++) assert.deepEqual(inputFaults({ required: [`x${i}`] }, {}), [`/x${i}`])
    }
  },
)

verifies(
  'connectors:placeholder-needs-property',
  'properties are found through references and branches',
  () => {
    const schema: JsonSchema = {
      $ref: '#/$defs/base',
      anyOf: [{ properties: { b: {} } }, { $ref: '#' }],
      if: { properties: { c: {} } },
      $defs: { base: { properties: { a: { type: 'string' } } } },
    }
    assert.deepEqual([...collectProperties(schema).keys()].sort(), ['a', 'b', 'c'])
  },
)

verifies('connectors:schema-lint', 'what a provider would refuse is a warning with its place', () => {
  const inputSchema = {
    anyOf: [{ type: 'object' }],
    properties: { 'filter[x]': { type: 'array' }, id: { $ref: '#/$defs/id' }, oneOf: { type: 'string' } },
    $defs: { id: { type: ['string', 'null'] } },
  }
  const before = JSON.stringify(inputSchema)
  const warnings = lintSchema({ modelName: '1shop__x', description: 'd', inputSchema })
  const found = warnings.map(({ provider, pointer }) => `${provider} ${pointer}`)
  assert.deepEqual(found.sort(), [
    'all /inputSchema/anyOf',
    'all /inputSchema/type',
    'anthropic /inputSchema/properties/filter[x]',
    'google /inputSchema/$defs/id/type',
    'google /inputSchema/properties/id/$ref',
    'google /name',
    'openai /inputSchema/properties/filter[x]/items',
  ])
  assert.equal(JSON.stringify(inputSchema), before)
  assert.deepEqual(
    lintSchema({ modelName: 'shop__x', description: 'd', inputSchema: { type: 'object', properties: {} } }),
    [],
  )
})

verifies('http-tools:input-validated', 'a pattern that would take forever is reported as a fault', () => {
  const slow = 'a'.repeat(200)
  const spaces = `${' '.repeat(100_000)}!`
  assert.equal(inputFaults({ properties: { a: { pattern: '\\s+$' } } }, { a: spaces }).length, 1)
  for (const pattern of [
    '^(a+)+$',
    '^(a|a)*$',
    '^((a+)b?)+$',
    '^([a-z]+){2,}$',
    '^(?:x?a*)*$',
    '^a*a*a*a*a*$',
    '^(?=(((a+)+)+)b|a+!?$)a*',
  ]) {
    const schema = { properties: { a: { type: 'string', pattern } } }
    assert.equal(inputFaults(schema, { a: `${slow}!` }).length, 1, pattern)
    assert.deepEqual(inputFaults(schema, { a: 'aa' }), [], pattern)
  }
  // A sleeping thread simulates a busy machine: only its own CPU time counts.
  const others = new Int32Array(new SharedArrayBuffer(4))
  assert.deepEqual(
    runWithTimeout(50, () => Atomics.wait(others, 0, 0, 100)),
    { done: true, value: 'timed-out' },
  )
})

verifies(
  'http-tools:input-validated',
  'a schema that would take forever to check or to compile is a fault, and so is a value that is nested too deeply',
  () => {
    const list = { type: 'array', items: { $ref: '#/$defs/list' } }
    const branching = { $ref: '#/$defs/list', $defs: { list: { anyOf: [list, list, list] } } }
    const nested = (depth: number) => JSON.parse(`${'['.repeat(depth)}1${']'.repeat(depth)}`) as unknown
    const slow = { type: 'array', items: { pattern: '^(a+)+$' } }
    const cases: [JsonSchema, unknown][] = [
      [branching, nested(30)],
      [{ $ref: '#/$defs/list', $defs: { list } }, nested(100_000)],
      [slow, Array<string>(100_000).fill(`${'a'.repeat(40)}!`)],
      [{ uniqueItems: true }, Array.from({ length: 100_000 }, (_, n) => ({ n }))],
      // A format is a pattern, too, and a list of values is compared with each item of another list.
      [{ properties: { a: { type: 'string', format: 'url' } } }, { a: `http://${':'.repeat(300_000)}` }],
      [{ items: { enum: Array.from({ length: 1_000 }, (_, n) => n) } }, Array<string>(200_000).fill('x')],
      // What was not tested to its end might match.
      [{ properties: { a: { not: { pattern: '^(a+)+$' } } } }, { a: `${'a'.repeat(40)}!` }],
      [{ patternProperties: { '^(a+)+$': false } }, { [`${'a'.repeat(40)}!`]: 1 }],
    ]
    for (const [schema, value] of cases) {
      assert.match(validateInput(cache, schema, value)[0]?.detail ?? '', /takes too long/)
    }
    assert.deepEqual(validateInput(cache, branching, [[[]]]), [])
    const part = {
      type: 'object',
      properties: { a: { enum: ['a'] }, b: { type: 'array', items: { minLength: 1 } } },
    }
    const huge = { properties: Object.fromEntries(Array.from({ length: 9_000 }, (_, n) => [`p${n}`, part])) }
    assert.match(findSchemaFaults(huge)[0]?.detail ?? '', /too large or too complicated/)
  },
)
