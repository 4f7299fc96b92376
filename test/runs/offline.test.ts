import assert from 'node:assert/strict'
import { fillInputs } from '../../src/models/offline/fill-inputs.ts'
import { writeDigest } from '../../src/models/offline/write-digest.ts'
import { listFields } from '../../src/platform/json/list-fields.ts'
import { verifies } from '../support/verifies.ts'

const event =
  '{"event":"order.paid","order":{"id":"A-1","total":12345678901234567890},"customer":{"name":"Kim","email":"kim@example.com"},"note":""}'

verifies('models:offline-default', 'the digest lists what came in, and says who wrote it', () => {
  assert.equal(
    writeDigest(event, []),
    [
      '**order.paid**\n',
      '- **order.id**: A-1',
      '- **order.total**: 12345678901234567890',
      '- **customer.name**: Kim',
      '- **customer.email**: kim@example.com\n',
      '_offline (no language model)_',
    ].join('\n'),
  )
  const list = '{"order":{"id":7,"items":["bell","polish"],"paid":[{"by":"card"}]}}'
  assert.match(writeDigest(list, []), /- \*\*order\.id\*\*: 7\n- \*\*order\.items\*\*: bell, polish\n/)
  const text = 'HTTP 200 application/json\n<<a>>\n{"id":"A-1","status":"sent"}\n<<end a>>'
  assert.match(
    writeDigest(event, [{ name: 'shop__get_order', text }]),
    /\n\n\*\*shop__get_order\*\* → HTTP 200 application\/json\n- id: A-1\n- status: sent\n\n_offline/,
  )
  assert.match(writeDigest(null, []), /^I am the offline agent.*\n\n_offline \(no language model\)_$/)
})

verifies('models:offline-default', 'links come last in the digest of a long event', () => {
  const urls = Array.from({ length: 20 }, (_, n) => [`part${n}_url`, 'https://github.example.com'])
  const pull = { ...Object.fromEntries(urls), number: 7, state: 'open', title: 'Ring twice' }
  const digest = writeDigest(JSON.stringify({ action: 'opened', pull_request: pull }), [])
  assert.match(digest, /^\*\*opened\*\*\n\n- \*\*pull_request\.number\*\*: 7\n/)
  assert.match(digest, /title\*\*: Ring twice\n- \*\*pull_request\.part0_url/)
  assert.match(digest, /… and 11 more fields/)
})

verifies(
  'models:offline-default',
  'it reads the beginning of a very long document, and every value correctly',
  () => {
    const first = '{"n":12345678901234567890,"t":"a,]}\\\\\\",{[","list":['
    const items = Array.from({ length: 60_000 }, (_, n) => `{"k${n}":"v,\\"}${n}"}`).join(',')
    const fields = listFields(`${first}${items}],"last":1}`)
    assert.deepEqual(fields.slice(0, 4), [
      { path: ['n'], value: '12345678901234567890' },
      { path: ['t'], value: 'a,]}\\",{[' },
      { path: ['list', '0', 'k0'], value: 'v,"}0' },
      { path: ['list', '1', 'k1'], value: 'v,"}1' },
    ])
    assert.equal(fields.length, 500)
    const long = 'x'.repeat(50_000)
    assert.deepEqual(listFields(JSON.stringify(long)), [{ path: [], value: long }])
    assert.deepEqual(listFields(`{"a":1,"b":"${long}","c":2}`), [{ path: ['a'], value: '1' }])
    // Nor does a long value at the beginning cause the rest to be read.
    assert.deepEqual(listFields(`["${long}",${items}]`), [{ path: ['0'], value: long }])
  },
)

verifies(
  'models:offline-default',
  'a value or name of a million characters is shortened, and not read to its end',
  () => {
    const mib = 1024 * 1024
    const digest = (body: string) => writeDigest(body, [])
    for (const [body, shown] of [
      ['1'.repeat(mib), '1'.repeat(200)],
      [`"${'x '.repeat(mib / 2)}"`, `"${'x '.repeat(100)}`.slice(0, 200)],
      [`{"${'k'.repeat(mib)}":1}`, `{"${'k'.repeat(198)}`],
      [`["${'\\"'.repeat(mib / 2)}",1]`, `["${'\\"'.repeat(99)}`],
    ] as const) {
      assert.deepEqual(listFields(body), [])
      assert.ok(digest(body).startsWith(`${shown}…\n`))
    }
    // Every field contains the names of its parents.
    const under = `{"${'k'.repeat(8_000)}":{${Array.from({ length: 600 }, (_, n) => `"a${n}":1`).join(',')}}}`
    assert.equal(listFields(under)[0]?.path.join('.'), `${'k'.repeat(100)}….a0`)
    assert.ok(digest(under).length < 4_000)
  },
)

verifies(
  'models:offline-default',
  'it calls a tool when, and only when, the event has what the tool requires by name',
  () => {
    const tool = (name: string, required: string[], properties: Record<string, unknown>) => ({
      name,
      inputSchema: { type: 'object', required, properties },
    })
    const text = { type: 'string' }
    const calls = fillInputs(
      [
        tool('shop__get_order', ['orderId'], { orderId: text, email: text }),
        tool('shop__by_total', ['total'], { total: { type: 'integer' } }),
        tool('shop__get_parcel', ['parcel_id'], { parcel_id: text }),
        tool('shop__list_users', [], {}),
        tool('shop__set_kind', ['event'], { event: { enum: ['order.lost'] } }),
      ],
      event,
    )
    assert.deepEqual(calls, [
      { toolName: 'shop__get_order', input: '{"orderId":"A-1","email":"kim@example.com"}' },
      { toolName: 'shop__by_total', input: '{"total":12345678901234567890}' },
    ])
  },
)

verifies(
  'models:offline-default',
  'the digest of a group names each alert, however much the group says about itself',
  () => {
    const alert = (alertname: string, summary: string) => ({
      status: 'firing',
      labels: { alertname, instance: 'db-1', severity: 'page' },
      annotations: { summary },
      startsAt: '2026-01-02T03:04:05Z',
      fingerprint: 'f00d',
    })
    const group = {
      receiver: 'bellhop',
      status: 'firing',
      alerts: [alert('DiskFull', 'The disk of db-1 is full'), alert('SlowQueries', 'Queries take 4 s')],
      groupLabels: { team: 'data' },
      commonLabels: { instance: 'db-1', severity: 'page', cluster: 'eu', job: 'db' },
      commonAnnotations: { runbook: 'https://runbooks.example.com/db' },
      externalURL: 'https://alerts.example.com',
      version: '4',
      groupKey: '{}:{team="data"}',
      truncatedAlerts: 0,
    }
    const write = (body: object) => writeDigest(JSON.stringify(body), [])
    const digest = write(group)
    assert.match(digest, /^- \*\*alerts\.0\*\*: DiskFull, The disk of db-1 is full, firing\n/)
    assert.match(digest, /- \*\*alerts\.1\*\*: SlowQueries, Queries take 4 s, firing\n/)
    assert.match(digest, /- \*\*receiver\*\*: bellhop\n- \*\*status\*\*: firing\n/)
    assert.equal(digest.match(/^- /gm)?.length, 12)
    const many = write({
      ...group,
      alerts: Array.from({ length: 9 }, (_, n) => alert(`Alert${n}`, 'It fires')),
    })
    assert.match(many, /\*\*alerts\.7\*\*: Alert7/)
    assert.match(many, /and \d+ more fields/)
    assert.match(
      write({ commits: [{ id: 'c1', message: 'Fix it' }] }),
      /- \*\*commits\.0\.message\*\*: Fix it/,
    )
  },
)
