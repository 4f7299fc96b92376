import assert from 'node:assert/strict'
import { readPointer } from '../../src/webhooks/verification/read-pointer.ts'
import { fc } from '../support/property.ts'
import { verifies } from '../support/verifies.ts'

const read = (json: string, pointer: string) => readPointer(Buffer.from(json), pointer)

verifies('hooks:duplicate-sources', 'an id in a body is found wherever RFC 6901 says that it is', () => {
  assert.equal(read('\ufeff {"event" : {"id":"x"}}', '/event/id'), 'x')
  assert.equal(read('{"a":[{"id":1},{"id":2}]}', '/a/1/id'), '2')
  assert.equal(read('[[0,[]],[1,[7]]]', '/1/1/0'), '7')
  assert.equal(read('{"":{"a/b":{"m~n":"x"}}}', '//a~1b/m~0n'), 'x')
  assert.equal(read('{"":["x"]}', '//0'), 'x')
  assert.equal(read('{"\\u0069\\u0064":"\\u00e9\\ud83d\\ude00"}', '/id'), 'é😀')
  assert.equal(read('{"\\u00e9\\n\\"😀":"x"}', '/é\n"😀'), 'x')
  assert.equal(read('{"__proto__":"x"}', '/__proto__'), 'x')
  assert.equal(read('{"\\"":"x","\\\\":"y"}', '/\\'), 'y')
  assert.equal(read('{"id":1.0e3}', '/id'), '1000')
  assert.equal(read('{"id":9007199254740993}', '/id'), '9007199254740993')
})

verifies(
  'hooks:duplicate',
  'of members with the same name the last one counts, with all that is in it',
  () => {
    assert.equal(read('{"id":"x","id":"y"}', '/id'), 'y')
    assert.equal(read('{"id":"x","\\u0069d":{}}', '/id'), undefined)
    assert.equal(read('{"a":{"id":"x"},"a":{"b":1}}', '/a/id'), undefined)
    assert.equal(read('{"a":{"id":"x"},"a":2}', '/a/id'), undefined)
    assert.equal(read('{"a":2,"a":{"b":{"id":"y"},"id":"x"}}', '/a/id'), 'x')
  },
)

verifies('hooks:duplicate-sources', 'a value that is neither text nor an exact number is not an id', () => {
  for (const json of [
    '{"id":9007199254740993e0}',
    '{"id":1.5}',
    '{"id":""}',
    '{"id":null}',
    '{"id":{}}',
    '[1]',
  ]) {
    assert.equal(read(json, '/id'), undefined, json)
  }
  for (const pointer of ['/length', '/01', '/-', '/2', '/0/0'])
    assert.equal(read('["x","y"]', pointer), undefined)
})

/**
 * Few names and many of them twice, written in many ways: where two readers would disagree. None begins with a backslash: after
 * `{"id":[],"\\\\":1}` V8 reads `{"id":[],"\\u0041":1}` with the names of the former.
 */
const name = fc.constantFrom('id', 'a', '0', '1', '', 'é', '"', '/', '~', 'a\\', '__proto__', 'length')
const writtenName = fc
  .tuple(name, fc.boolean())
  .map(([text, escaped]) =>
    escaped
      ? `"${[...Array(text.length).keys()].map((at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')}"`
      : JSON.stringify(text),
  )
const space = fc.constantFrom('', ' ', '\n\t')
const { json } = fc.letrec<{ json: string; array: string; object: string }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom(
      '"x"',
      '"\\""',
      '1',
      '-0',
      '1e2',
      '1.5',
      '-123456789012345678',
      'null',
      'true',
      '""',
      '"]}"',
    ),
    tie('array'),
    tie('object'),
  ),
  array: fc
    .tuple(space, fc.array(tie('json'), { maxLength: 3 }))
    .map(([gap, items]) => `[${gap}${items.join(`${gap},`)}]`),
  object: fc
    .tuple(space, fc.array(fc.tuple(writtenName, tie('json')), { maxLength: 4 }))
    .map(
      ([gap, members]) => `{${members.map(([key, value]) => `${gap}${key}${gap}:${value}`).join(',')}${gap}}`,
    ),
}))

verifies('hooks:duplicate-sources', 'the reader agrees with JSON.parse on everything', () => {
  fc.assert(
    fc.property(json, fc.array(name, { maxLength: 4 }), (text, steps) => {
      const pointer = steps.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
      assert.equal(read(text, pointer), parseAndWalk(text, steps), `${text} ${pointer}`)
    }),
    { numRuns: 1000 },
  )
})

verifies('hooks:duplicate-sources', 'invalid JSON causes no error', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array(),
        fc.string().map(Buffer.from),
        json.map((text) => Buffer.from(text.slice(1))),
      ),
      (body) => {
        readPointer(body, '/id/0')
      },
    ),
  )
})

function parseAndWalk(text: string, steps: string[]): string | undefined {
  let value: unknown = JSON.parse(text)
  for (const step of steps) {
    if (typeof value !== 'object' || value === null) return undefined
    if (Array.isArray(value) && !/^\d+$/.test(step)) return undefined
    value = Object.getOwnPropertyDescriptor(value, step)?.value
  }
  if (typeof value === 'string') return value || undefined
  return Number.isSafeInteger(value) ? String(value) : undefined
}
