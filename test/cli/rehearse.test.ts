import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeJunit } from '../../src/cli/rehearse.ts'
import type { RehearsalShape } from '../../src/runs/rehearsals/contract.ts'
import { draft, orders, startRehearsedShop } from '../rehearsals/start-rehearsed-shop.ts'
import { runBellhop } from '../support/run-bellhop.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { verifies } from '../support/verifies.ts'

verifies(
  'cli:rehearse',
  'bellhop rehearse compares a file with what is saved, fails on a new write, and tells the outcomes as text, JSON and JUnit',
  async () => {
    await using app = await startTestApp({ env: loopback })
    await using shop = await startRehearsedShop(app)
    await using folder = await temporaryFolder()
    const webhook = await shop.createWebhook()
    await shop.handle(webhook, [orders.same, orders.newWrite])
    const { prompt } = await app.get<{ prompt: string }>(`/api/v1/webhooks/${webhook.id}`)
    const file = join(folder.path, 'bellhop.yaml')
    const declare = (text: string) =>
      writeFile(file, `webhooks:\n  - { name: Orders, channel: orders, prompt: "${text}" }\n`)
    // No more than a build needs: an operator rehearses, and cannot save what only an admin may.
    const made = await app.api<{ key: string }>('POST', '/api/v1/api-keys', { name: 'CI', role: 'operator' })
    const run = (...args: string[]) => runAlone('-f', file, ...args)
    const runAlone = (...args: string[]) =>
      runBellhop(['rehearse', ...args], { PUBLIC_URL: app.url, API_KEY: made.body.key })

    await declare(prompt)
    const unchanged = await run('--budget', '1')
    assert.deepEqual(
      [unchanged.code, unchanged.out],
      [0, 'The file changes nothing that can be rehearsed.\n'],
    )

    await declare(draft)
    const said = await run('--budget', '1.00', '--last', '50', '--fail-on', 'new-write,failed')
    assert.equal(said.code, 2, said.err)
    assert.match(said.out, /Rehearsal of "Orders": 2 of 2 events compared/)
    assert.match(said.out, /new-write +1\n/)
    assert.match(said.out, /new write: evt_\S+ shop__refund \{"id":"A-3"\}/)
    assert.equal(shop.target.seen.filter(({ method }) => method === 'POST').length, 0)

    const when = `event.id == '${orders.newWrite}'`
    const some = await run('--budget', '1', '--when', when, '--fail-on', 'failed', '--format', 'json')
    assert.equal(some.code, 0, some.err)
    const told = JSON.parse(some.out) as { rehearsals: RehearsalShape[] } // what the command writes
    assert.deepEqual(
      told.rehearsals.map(({ total, counts }) => [total, counts.newWrite]),
      [[1, 1]],
    )

    // The description of a tool is part of what the model reads, so it is tried on whatever may use the tool.
    await writeFile(
      file,
      `connectors:\n  - { name: Shop, type: http, tools: [{ name: get_order, description: "${draft}" }] }\n`,
    )
    const described = await run('--budget', '1', '--format', 'json')
    assert.equal(described.code, 2, described.err)
    const tried = JSON.parse(described.out) as { rehearsals: RehearsalShape[] } // as above
    assert.deepEqual(
      tried.rehearsals.map(({ name, change, counts }) => [name, change, counts.newWrite]),
      [['Orders', { tools: { shop__get_order: { description: draft } } }, 1]],
    )
    await declare(draft)

    // The first event has spent this, so the second was not compared.
    const small = await run('--budget', '0.000001', '--fail-on', 'failed', '--format', 'junit')
    assert.equal(small.code, 3, small.err)
    assert.match(small.out, /<testsuite name="Orders" tests="2" failures="0" skipped="1">/)

    const events = await app.get<{ items: { id: string; summary: string | null }[] }>('/api/v1/events')
    const eventId = events.items.find(({ summary }) => summary?.includes(orders.newWrite))?.id
    const checks = [{ must: 'notCall', tool: 'shop__refund' }]
    const none = await runAlone('--cases', '--budget', '1')
    assert.deepEqual([none.code, none.out], [0, 'There are no cases to run.\n'])
    await app.api('POST', '/api/v1/cases', { eventId, name: 'No refund', checks })
    const passing = await runAlone('--cases', '--budget', '1')
    assert.deepEqual([passing.code, passing.err], [0, ''])
    assert.match(passing.out, /checks passed 1 of 1/)
    const breaking = await run('--cases', '--budget', '1')
    assert.equal(breaking.code, 2, breaking.err)
    assert.match(breaking.out, /1 of 1 events compared/)
    assert.match(breaking.out, /check failed: evt_\S+ Does not call shop__refund/)

    for (const [args, says] of [
      [[], /--budget 1\.00/],
      [['--budget', '1', '--fail-on', 'bad-mood'], /--fail-on bad-mood: use some of same/],
      [['--budget', '1', '--format', 'pdf'], /use text, json or junit/],
    ] as const) {
      const refused = await run(...args)
      assert.equal(refused.code, 1)
      assert.match(refused.err, says)
    }
  },
)

verifies('cli:rehearse', 'whatever an event says, the JUnit report is XML that names failed checks', () => {
  const event = {
    eventId: 'evt_1',
    summary: '<a> & "b" \u0007',
    newWrites: [],
    checks: [],
    after: null,
    outcome: 'failed',
  }
  const check = { must: 'notCall', tool: 'shop__refund', passed: false }
  const judged = { ...event, eventId: 'evt_2', summary: null, outcome: 'same', checks: [check] }
  const rehearsal = { name: 'A & B', total: 2, events: [event, judged] } as unknown as RehearsalShape // only what is read
  const report = writeJunit([rehearsal], new Set(['failed', 'check']))
  assert.match(report, /name="evt_1 &lt;a&gt; &amp; &quot;b&quot; \ufffd"><failure message="failed">/)
  assert.match(report, /<testsuite name="A &amp; B" tests="2" failures="2" skipped="0">/)
  assert.match(report, /name="evt_2"><failure message="check">[^<]*Does not call shop__refund/)
})
