import assert from 'node:assert/strict'
import { checkJson } from '../../src/webhooks/ingress/body/check-json.ts'
import { fc } from '../support/property.ts'
import { verifies } from '../support/verifies.ts'

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

verifies(
  'hooks:any-json-value',
  'any JSON value passes, with white space or a byte order mark around it',
  () => {
    const values = [
      '{}',
      '[]',
      '0',
      '-0.5e+10',
      '"x"',
      'true',
      'false',
      'null',
      ' \t\r\n{"a" : [ 1 , 2 ] }\n',
      '\ufeff{}',
    ]
    values.push(
      `${'9'.repeat(400)}`,
      '"\\ud800"',
      '"\\u0000"',
      '{"__proto__":{"a":1}}',
      '{"a":1,"a":2}',
      nested(128),
    )
    for (const value of values)
      assert.deepEqual(checkJson(Buffer.from(value)), { ok: true }, value.slice(0, 40))
  },
)

verifies(
  'hooks:malformed-400',
  'empty, too deeply nested, non-UTF-8 and non-JSON bodies are distinguished',
  () => {
    const fault = (body: string | Buffer) => {
      const verdict = checkJson(Buffer.from(body))
      return verdict.ok ? 'none' : verdict.fault
    }
    assert.deepEqual(['', ' \n', '\ufeff'].map(fault), ['empty', 'empty', 'empty'])
    assert.equal(fault(nested(129)), 'too-deep')
    assert.equal(fault('{"a":'.repeat(1_000_000)), 'too-deep')
    const notUtf8 = [
      [0x22, 0xff, 0x22],
      [0x22, 0xc0, 0xaf, 0x22],
      [0x22, 0xed, 0xa0, 0x80, 0x22],
    ]
    for (const bytes of notUtf8) assert.equal(fault(Buffer.from(bytes)), 'not-utf8')
    for (const text of [
      '{',
      '[1,]',
      "{'a':1}",
      '01',
      '1.',
      '.5',
      '+1',
      'NaN',
      'tru',
      '"\n"',
      '"\\x"',
      '{}{}',
      '[1 2]',
      '{"a"}',
      ']',
    ]) {
      assert.equal(fault(text), 'malformed', text)
    }
  },
)

/** Text that is nearly JSON: the small differences are where two parsers disagree. */
const nearlyJson = fc
  .tuple(
    fc.json({ maxDepth: 4 }),
    fc.nat(),
    fc.constantFrom('', ',', '"', '\\', '0', '-', '.', 'e', '[', '}', ' ', ':', 'u', '\u2028'),
  )
  .map(([json, at, junk]) => {
    const place = at % (json.length + 1)
    return json.slice(0, place) + junk + json.slice(place + (at % 2))
  })

verifies('hooks:malformed-400', 'the check agrees with JSON.parse on everything', () => {
  fc.assert(
    fc.property(fc.oneof(fc.json({ maxDepth: 6 }), nearlyJson, fc.string()), (text) => {
      let parses = true
      try {
        JSON.parse(text)
      } catch {
        parses = false
      }
      // A lone surrogate in the text itself cannot be written as UTF-8: the bytes hold a replacement, inside a string.
      fc.pre(text.isWellFormed())
      assert.equal(checkJson(Buffer.from(text)).ok, parses, text)
    }),
    { numRuns: 1000 },
  )
})
