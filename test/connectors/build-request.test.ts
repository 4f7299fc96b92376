import assert from 'node:assert/strict'
import {
  buildRequest,
  type RequestConnector,
  type RequestTool,
} from '../../src/connectors/http/build-request.ts'
import { digestRequest, showRequest } from '../../src/connectors/http/show-request.ts'
import { fc } from '../support/property.ts'
import { verifies } from '../support/verifies.ts'

const connector: RequestConnector = {
  baseUrl: 'https://api.example.com/v1',
  defaultHeaders: {},
  authType: 'none',
  authName: null,
  hasAuthValue: false,
}

function tool(more: Partial<RequestTool>): RequestTool {
  return { method: 'GET', path: '/', locations: {}, bodyFormat: 'json', inputSchema: {}, ...more }
}

function build(
  more: Partial<RequestTool>,
  input: Record<string, unknown> = {},
  settings: Partial<RequestConnector> = {},
) {
  const built = buildRequest(tool(more), { ...connector, ...settings }, input, 'call_1')
  assert.ok(built.ok, JSON.stringify(built))
  return built.request
}

function faults(more: Partial<RequestTool>, input: Record<string, unknown> = {}) {
  const built = buildRequest(tool(more), connector, input, 'call_1')
  return built.ok ? [] : built.errors.map(({ pointer }) => pointer)
}

verifies('http-tools:one-tool-one-endpoint', 'a tool is its method and the base URL plus its path', () => {
  const request = build({ method: 'DELETE', path: '/orders' })
  assert.equal(request.method, 'DELETE')
  assert.equal(request.url, 'https://api.example.com/v1/orders')
})

verifies('http-tools:url-join', 'exactly one slash joins base and path, however they are written', () => {
  for (const baseUrl of [
    'https://api.example.com/v1',
    'https://api.example.com/v1/',
    'https://api.example.com/v1//',
  ]) {
    for (const path of ['orders', '/orders', '//orders']) {
      assert.equal(build({ path }, {}, { baseUrl }).url, 'https://api.example.com/v1/orders')
    }
  }
  assert.equal(
    build({ path: '/' }, {}, { baseUrl: 'https://api.example.com' }).url,
    'https://api.example.com/',
  )
  assert.equal(build({ path: '//evil.example.org/x' }).url, 'https://api.example.com/v1/evil.example.org/x')
})

verifies(
  'http-tools:url-join',
  'a literal query stays, its placeholders are query values, and more inputs follow',
  () => {
    const request = build({ path: '/search?kind=a%20b&q={q}' }, { q: 'x&y=z #', page: 2 })
    assert.equal(request.url, 'https://api.example.com/v1/search?kind=a%20b&q=x%26y%3Dz%20%23&page=2')
  },
)

verifies('http-tools:placeholders', 'placeholders are filled with texts, numbers and truth values', () => {
  assert.equal(
    build({ path: '/a/{id}/b/{n}/{ok}.json' }, { id: 'x', n: 12, ok: true }).url,
    'https://api.example.com/v1/a/x/b/12/true.json',
  )
  assert.equal(build({ path: '/{a}-{b}/{a}' }, { a: '1', b: '2' }).url, 'https://api.example.com/v1/1-2/1')
  // A name with braces names no placeholder, even where the path has the same characters.
  assert.match(build({ path: '/{a}/{b}' }, { a: 1, b: 2, 'a}/{b': 3 }).url, /\/1\/2\?a%7D%2F%7Bb=3$/)
})

verifies('http-tools:path-value-is-one-segment', 'a path value cannot change the shape of the URL', () => {
  assert.equal(
    build({ path: '/o/{id}' }, { id: 'a/../b ?#%' }).url,
    'https://api.example.com/v1/o/a%2F..%2Fb%20%3F%23%25',
  )
  assert.equal(
    build({ path: '/o/{id}' }, { id: '..\\..\\x' }).url,
    'https://api.example.com/v1/o/..%5C..%5Cx',
  )
  assert.equal(build({ path: '/o/{id}' }, { id: '%2e%2e' }).url, 'https://api.example.com/v1/o/%252e%252e')
})

verifies(
  'http-tools:dot-segments-refused',
  'an empty path value, . and .. are input errors, objects and lists too',
  () => {
    for (const id of ['', '.', '..', null, {}, [], ['a']])
      assert.deepEqual(faults({ path: '/o/{id}' }, { id }), ['/id'])
    assert.deepEqual(faults({ path: '/o/{id}' }, { id: '\ud800' }), ['/id'])
    const form = { method: 'POST', bodyFormat: 'form' } as const
    assert.deepEqual(faults(form, { note: { a: ['\ud800'] }, other: 'x' }), ['/note'])
    assert.deepEqual(faults({ ...form, locations: { all: 'wholeBody' } }, { all: { note: '\ud800' } }), [
      '/all',
    ])
  },
)

verifies('http-tools:missing-placeholder', 'each missing placeholder value is named', () => {
  assert.deepEqual(faults({ path: '/{a}/{b}?c={c}' }, { b: 1 }), ['/a', '/c'])
})

const anyTool = fc.record({
  method: fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE' as const),
  path: fc.constantFrom('/a/{p}', '/{p}{r}', 'x/{p}/y/{r}.json?lit=1&s={s}', '/plain', '', '/%41/{p}'),
  baseUrl: fc.constantFrom(
    'https://api.example.com',
    'https://api.example.com/v1/',
    'http://[2001:db8::1]:8080/a%2Fb',
  ),
})
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '.',
    '..',
    '../',
    '/..',
    '%2e%2e',
    '//evil.example.org',
    '\\\\evil',
    '?x',
    '#y',
    '@evil',
    ':80',
    '\t..',
    '..\n',
    '\u2025',
    '．．',
  ),
)

verifies(
  'http-tools:base-never-changes',
  'whatever the input, origin and base path stay and no segment is added or lost',
  () => {
    fc.assert(
      fc.property(anyTool, anyText, anyText, anyText, ({ method, path, baseUrl }, p, r, s) => {
        const built = buildRequest(
          tool({ method, path }),
          { ...connector, baseUrl },
          { p, r, s, other: p },
          'call_1',
        )
        if (!built.ok) return
        const url = new URL(built.request.url)
        const base = new URL(baseUrl)
        const basePath = base.pathname.replace(/\/+$/, '')
        assert.equal(url.href, built.request.url)
        assert.equal(url.origin, base.origin)
        assert.equal(url.hash, '')
        assert.equal(url.username, '')
        assert.ok(url.pathname.startsWith(basePath))
        const template = path.split('?')[0] ?? ''
        const expected =
          basePath.split('/').length + (template === '' ? 0 : template.replace(/^\//, '').split('/').length)
        assert.equal(url.pathname.split('/').length, Math.max(expected, 2))
      }),
      { numRuns: 2000 },
    )
  },
)

verifies(
  'http-tools:one-place-each',
  'without locations, inputs go to the query or into the body by method',
  () => {
    for (const method of ['GET', 'HEAD', 'DELETE'] as const) {
      const request = build({ method, path: '/o/{id}' }, { id: 1, a: 'x', b: 2 })
      assert.equal(request.url, 'https://api.example.com/v1/o/1?a=x&b=2')
      assert.equal(request.body, null)
    }
    for (const method of ['POST', 'PUT', 'PATCH'] as const) {
      const request = build({ method, path: '/o/{id}' }, { id: 1, a: 'x', b: 2 })
      assert.equal(request.url, 'https://api.example.com/v1/o/1')
      assert.equal(request.body, '{"a":"x","b":2}')
      assert.equal(request.headers['Content-Type'], 'application/json')
    }
  },
)

verifies(
  'http-tools:one-place-each',
  'locations move inputs, under another name if they say so; the path wins',
  () => {
    const request = build(
      {
        method: 'POST',
        path: '/o/{id}',
        locations: { id: 'body', dry: 'query', trace: 'header', kind: { in: 'query', name: 'filter[kind]' } },
      },
      { id: 7, dry: true, trace: 'abc', kind: 'k', note: 'n' },
    )
    assert.equal(request.url, 'https://api.example.com/v1/o/7?dry=true&filter%5Bkind%5D=k')
    assert.equal(request.headers.trace, 'abc')
    assert.equal(request.body, '{"note":"n"}')
  },
)

verifies('http-tools:one-place-each', 'each input, whatever its name, is in exactly one place', () => {
  const place = fc.constantFrom('query', 'header', 'body' as const)
  const names = fc.uniqueArray(fc.stringMatching(/^[a-z_]{1,12}$/), { maxLength: 6 })
  fc.assert(
    fc.property(
      names,
      fc.array(fc.option(place)),
      fc.constantFrom('GET', 'POST' as const),
      (keys, places, method) => {
        const input: Record<string, unknown> = Object.fromEntries(
          keys.map((key, index) => [key, `value${index}!`]),
        )
        const locations = Object.fromEntries(
          keys.flatMap((key, index) => (places[index] ? [[key, places[index]] as const] : [])),
        )
        const path = keys[0] ? `/x/{${keys[0]}}` : '/x'
        const request = build({ method, path, locations }, input)
        const everything = JSON.stringify([decodeURIComponent(request.url), request.headers, request.body])
        for (const value of Object.values(input)) assert.equal(everything.split(String(value)).length, 2)
      },
    ),
  )
  const odd = build({ method: 'POST' }, JSON.parse('{"__proto__":1,"constructor":2,"toString":3}'))
  assert.equal(odd.body, '{"__proto__":1,"constructor":2,"toString":3}')
})

verifies(
  'http-tools:query-encoding',
  'in a query lists repeat the key, objects are JSON, absent inputs are left out',
  () => {
    const url = build(
      {},
      { tags: ['a b', 'c'], where: { x: [1] }, gone: undefined, none: null, empty: [], n: 1.5 },
    ).url
    const parsed = new URL(url).searchParams
    assert.deepEqual(
      [...parsed],
      [
        ['tags', 'a b'],
        ['tags', 'c'],
        ['where', '{"x":[1]}'],
        ['none', 'null'],
        ['n', '1.5'],
      ],
    )
  },
)

verifies('http-tools:query-encoding', 'lists can be sent with commas or brackets', () => {
  const { url } = build(
    { locations: { a: { in: 'query', style: 'comma' }, b: { in: 'query', style: 'brackets' } } },
    { a: [1, 2], b: { x: [1, { y: 2 }], z: true } },
  )
  assert.equal(decodeURIComponent(new URL(url).search), '?a=1,2&b[x][]=1&b[x][1][y]=2&b[z]=true')
})

verifies('http-tools:json-body-as-given', 'body inputs are sent as the JSON that was given', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (input) => {
      const { body } = build({ method: 'PUT' }, input)
      if (Object.keys(input).length === 0) assert.equal(body, null)
      else assert.equal(body, JSON.stringify(input))
    }),
  )
})

verifies(
  'http-tools:json-body-as-given',
  'a tool with optional body inputs sends {} when none is given; one input may be the whole body',
  () => {
    const inputSchema = { type: 'object', properties: { note: { type: 'string' } } }
    assert.equal(build({ method: 'POST', inputSchema }).body, '{}')
    assert.equal(build({ method: 'DELETE', inputSchema }).body, null)
    const whole = build({ method: 'POST', locations: { rows: 'wholeBody' } }, { rows: [1, { a: null }] })
    assert.equal(whole.body, '[1,{"a":null}]')
  },
)

verifies('http-tools:json-body-as-given', 'a body can be sent as a form', () => {
  const request = build(
    { method: 'POST', bodyFormat: 'form' },
    { amount: 5, items: [{ id: 'a' }], 'a&b': 'c=d' },
  )
  assert.equal(request.headers['Content-Type'], 'application/x-www-form-urlencoded')
  assert.equal(request.body, 'amount=5&items%5B0%5D%5Bid%5D=a&a%26b=c%3Dd')
  const locations = { two: { in: 'body', style: 'repeat' }, three: { in: 'body', style: 'comma' } } as const
  const lists = build(
    { method: 'POST', bodyFormat: 'form', locations },
    { one: ['a', 'b'], two: ['c', 'd'], three: ['e', 'f'] },
  )
  assert.equal(decodeURIComponent(lists.body ?? ''), 'one[]=a&one[]=b&two=c&two=d&three=e,f')
})

verifies(
  'http-tools:default-headers',
  'default headers are part of the request, sealed ones without their value',
  () => {
    const request = build(
      {},
      {},
      { defaultHeaders: { 'X-Team': 'red', Accept: 'text/csv', 'X-Token': null } },
    )
    assert.equal(request.headers['X-Team'], 'red')
    assert.equal(request.headers.Accept, 'text/csv')
    assert.deepEqual(request.secretHeaders, { 'X-Token': '••••••••' })
  },
)

verifies(
  'http-tools:auth-wins',
  'the configured authentication replaces a default header and an input of the same name',
  () => {
    const request = build(
      { locations: { AUTHORIZATION: 'header' } },
      { AUTHORIZATION: 'Bearer of-the-model' },
      { defaultHeaders: { authorization: 'Basic old' }, authType: 'bearer', hasAuthValue: true },
    )
    assert.deepEqual(request.secretHeaders, { Authorization: 'Bearer ••••••••' })
    assert.deepEqual(
      Object.keys(request.headers).filter((name) => /authorization/i.test(name)),
      [],
    )
  },
)

verifies('egress:no-header-injection', 'an input with a line break cannot become a header', () => {
  assert.deepEqual(faults({ locations: { trace: 'header' } }, { trace: 'a\r\nX-Evil: 1' }), ['/trace'])
})

verifies('http-tools:idempotency-key', 'every call but a GET carries the key of its tool call', () => {
  assert.equal(build({ method: 'GET' }).headers['Idempotency-Key'], undefined)
  for (const method of ['HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const) {
    assert.equal(build({ method }).headers['Idempotency-Key'], 'call_1', method)
  }
})

verifies(
  'approvals:bound-to-digest',
  'the shown request is masked, and its digest changes with every byte of it',
  () => {
    const settings = { authType: 'basic', hasAuthValue: true } as const
    const request = build({ method: 'POST', path: '/o/{id}' }, { id: 1, a: 2 }, settings)
    assert.equal(showRequest(request).headers.Authorization, 'Basic ••••••••')
    assert.equal(
      digestRequest(request),
      digestRequest(build({ method: 'POST', path: '/o/{id}' }, { id: 1, a: 2 }, settings)),
    )
    const others = [
      build({ method: 'PUT', path: '/o/{id}' }, { id: 1, a: 2 }, settings),
      build({ method: 'POST', path: '/o/{id}' }, { id: 2, a: 2 }, settings),
      build({ method: 'POST', path: '/o/{id}' }, { id: 1, a: 3 }, settings),
      build(
        { method: 'POST', path: '/o/{id}' },
        { id: 1, a: 2 },
        { ...settings, defaultHeaders: { 'X-A': '1' } },
      ),
      build({ method: 'POST', path: '/o/{id}' }, { id: 1, a: 2 }),
    ]
    assert.equal(new Set([request, ...others].map(digestRequest)).size, 6)
  },
)

verifies(
  'approvals:shows-request',
  'invisible and bidirectional characters are sent escaped, so that the shown body is the sent one and hides nothing',
  () => {
    const hidden = 'pay 1\u202e000\u202c to A\u200b\u{e0041}\u2066B\u009f\u3164\u{e0101}\u{1bca0}\u{e0fff}'
    const input = { note: hidden, who: 'Ünal 👩‍🚀' }
    const { body } = build({ method: 'POST', path: '/pay' }, input)
    assert.equal(
      body,
      String.raw`{"note":"pay 1\u202e000\u202c to A\u200b\udb40\udc41\u2066B\u009f\u3164\udb40\udd01\ud82f\udca0\udb43\udfff","who":"Ünal 👩‍🚀"}`,
    )
    assert.deepEqual(JSON.parse(body ?? ''), input)
  },
)
