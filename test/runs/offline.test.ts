import assert from 'node:assert/strict'
import { fillInputs } from '../../src/models/offline/fill-inputs.ts'
import { writeDigest } from '../../src/models/offline/write-digest.ts'
import { listFields } from '../../src/platform/json/list-fields.ts'
import { verifies } from '../support/verifies.ts'

const event =
  '{"event":"order.paid","order":{"id":"A-1","total":12345678901234567890},"customer":{"name":"Kim","email":"kim@example.com"},"note":""}'

verifies('models:offline-default', 'the offline agent follows simple instructions in a prompt', () => {
  const write = (prompt: string) => writeDigest({ prompt, event, used: [] })
  assert.equal(write('Reply with exactly "PONG"'), 'PONG')
  assert.equal(write('Say "Order {order.id} of {{customer.name}} is paid"'), 'Order A-1 of Kim is paid')
  assert.equal(write('Say "Paid by {nobody.here}"'), 'Paid by {nobody.here}')
  assert.match(
    write('Tell the customer name and the total.'),
    /- \*\*customer\.name\*\*: Kim\n- \*\*order\.total\*\*: 12345678901234567890\n/,
  )
  assert.ok(!write('Tell the customer name and the total.').includes('kim@example.com'))
  assert.match(write('Summarise it in one sentence.'), /^event order\.paid, .*\.\n\n_offline/)
  assert.ok(!write('Summarise it in one sentence.').includes('kim@example.com'), 'four facts are enough')
  assert.equal(write('Give me two bullet points.').match(/^- /gm)?.length, 2)
  assert.match(write('Show the order as a table.'), /\| field \| value \|\n\| --- \| --- \|\n/)
  assert.match(write('Start with "🔔 New:" and be brief.'), /^🔔 New:\n\n/)
  assert.match(write('Whatever.'), /_offline \(no language model\)/)
  const list = '{"order":{"id":7,"items":["bell","polish"],"paid":[{"by":"card"}]}}'
  assert.match(
    writeDigest({ prompt: 'Tell the id and items.', event: list, used: [] }),
    /- \*\*order\.id\*\*: 7\n- \*\*order\.items\*\*: bell, polish\n/,
  )
  // What a tool repeats is written once, what it adds is written.
  const used = [
    {
      name: 'shop__get_order',
      text: 'HTTP 200 application/json\n<<a>>\n{"id":"A-1","status":"sent"}\n<<end a>>',
    },
  ]
  assert.match(
    writeDigest({ prompt: 'Tell the id and the status.', event, used }),
    /^\*\*order\.paid\*\*\n\n- \*\*order\.id\*\*: A-1\n- \*\*status\*\*: sent\n\n/,
  )
  assert.match(writeDigest({ prompt: '', event: null, used: [] }), /\n_offline \(no language model\)_$/)
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
    const digest = (body: string, prompt = '') => writeDigest({ prompt, event: body, used: [] })
    for (const [body, shown] of [
      ['1'.repeat(mib), '1'.repeat(200)],
      [`"${'x '.repeat(mib / 2)}"`, `"${'x '.repeat(100)}`.slice(0, 200)],
      [`{"${'k'.repeat(mib)}":1}`, `{"${'k'.repeat(198)}`],
      [`["${'\\"'.repeat(mib / 2)}",1]`, `["${'\\"'.repeat(99)}`],
    ] as const) {
      assert.deepEqual(listFields(body), [])
      assert.ok(digest(body).startsWith(`${shown}…\n`))
      assert.ok(digest(body, 'In one sentence.').startsWith(`${shown}…\n`))
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
    const fields = listFields(event)
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
      fields,
      'Look at the order.',
    )
    assert.deepEqual(calls, [
      { toolName: 'shop__get_order', input: '{"orderId":"A-1","email":"kim@example.com"}' },
      { toolName: 'shop__by_total', input: '{"total":12345678901234567890}' },
    ])
    const wanted = fillInputs([tool('shop__list_users', [], {})], fields, 'List the users, please.')
    assert.deepEqual(wanted, [{ toolName: 'shop__list_users', input: '{}' }])
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
    const write = (event: object, prompt = 'Summarise it.') =>
      writeDigest({ prompt, event: JSON.stringify(event), used: [] })
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
    // What was asked for is told as before, and so is a short event.
    assert.doesNotMatch(write(group, 'Tell the receiver.'), /DiskFull/)
    assert.match(
      write({ commits: [{ id: 'c1', message: 'Fix it' }] }),
      /- \*\*commits\.0\.message\*\*: Fix it/,
    )
  },
)
