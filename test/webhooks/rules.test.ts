import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { suggestions } from '../../src/webhooks/suggestions/contract.ts'
import { fc } from '../support/property.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'
import { count, startWebhookApp, type WebhookApp } from './start-webhook-app.ts'

const sharedApp = shareInFile(startWebhookApp)

type Event = {
  id: string
  runId: string
  status: string
  rule: { index: number; when: string; then: string } | null
  ruleFaults: { index: number; detail: string }[]
  reply: { text: string; permalink: string | null } | null
}

/** Sends the body and waits until the event is settled. */
async function settled(app: WebhookApp, url: string, body: unknown): Promise<Event> {
  const { body: receipt } = await app.post(url, typeof body === 'string' ? body : JSON.stringify(body))
  return await end(app, receipt.eventId ?? '')
}

async function end(app: WebhookApp, eventId: string): Promise<Event> {
  const read = () => app.test.get<Event>(`/api/v1/events/${eventId}`)
  await until(async () => !['accepted', 'dispatched'].includes((await read()).status))
  return await read()
}

verifies(
  ['rules:first-match', 'rules:run-not-started'],
  'the first rule that matches skips, notifies or runs; without a match the event runs',
  async () => {
    const app = await sharedApp()
    const other = await app.test.api<{ id: string }>('POST', '/api/v1/channels', {
      name: crypto.randomUUID(),
    })
    const { id, endpointUrl } = await app.create({
      rules: [
        { when: "event.action in ['labeled', 'assigned']", then: 'skip' },
        { when: 'event.severity == "info"', then: 'notify', text: 'Info: {/title} ({/count})' },
        {
          when: "headers['x-test-topic'] == 'billing'",
          then: 'run',
          channelId: other.body.id,
          prompt: 'Count.',
        },
        { when: 'event.action == "labeled"', then: 'notify', text: 'never' },
        { when: 'now > timestamp("2020-01-01T00:00:00Z") && event.n % 2 == 0', then: 'skip' },
      ],
    })
    const skipped = await settled(app, endpointUrl, { action: 'labeled' })
    assert.equal(skipped.status, 'skipped')
    assert.deepEqual(skipped.rule, {
      index: 0,
      when: "event.action in ['labeled', 'assigned']",
      then: 'skip',
      closes: false,
    })
    const gone = await app.test.api<{ type: string; detail: string }>('GET', `/api/v1/runs/${skipped.runId}`)
    assert.equal(gone.status, 410, gone.text)
    assert.equal(gone.body.type, 'run-not-started')
    assert.ok(gone.body.detail.includes(`${skipped.id} was skipped by rule 1`), gone.body.detail)

    const notified = await settled(
      app,
      endpointUrl,
      '{"action":"opened","severity":"info","title":"Disk *full* @everyone","count":12345678901234567}',
    )
    assert.equal(notified.status, 'notified')
    assert.equal(notified.rule?.index, 1)
    assert.match(notified.reply?.text ?? '', /^Info: Disk \\\*full\\\* @\S*everyone \(12345678901234567\)$/)
    const messages = await app.test.get<{ items: { text: string }[] }>(
      `/api/v1/channels/${app.channelId}/messages`,
    )
    assert.equal(messages.items.filter(({ text }) => text.startsWith('Info: ')).length, 1)

    const ran = await app.post(endpointUrl, '{"action":"opened","severity":"high"}', {
      'x-test-topic': 'billing',
    })
    assert.equal((await end(app, ran.body.eventId ?? '')).status, 'done')
    const run = await app.test.get<{ channelId: string; prompt: string }>(`/api/v1/runs/${ran.body.runId}`)
    assert.deepEqual([run.channelId, run.prompt], [other.body.id, 'Count.'])

    assert.equal((await settled(app, endpointUrl, { action: 'x', severity: 'y', n: 4 })).rule?.index, 4)
    const unmatched = await settled(app, endpointUrl, { action: 'x', severity: 'y', n: 5 })
    assert.deepEqual([unmatched.status, unmatched.rule, unmatched.ruleFaults.length], ['done', null, 1])

    const listed = await app.events(`?webhookId=${id}&status=skipped`)
    assert.equal(listed.length, 2)
    const replayed = await app.test.api<{ id: string }>('POST', `/api/v1/events/${skipped.id}/replay`, {})
    assert.equal(replayed.status, 201, replayed.text)
    await until(
      async () =>
        (await app.test.get<{ status: string }>(`/api/v1/runs/${replayed.body.id}`)).status === 'succeeded',
    )
    const metrics = await (await fetch(`${app.test.url}/metrics`)).text()
    assert.match(metrics, /bellhop_events_without_run_total\{outcome="skipped"\} [2-9]/)
  },
)

verifies(
  'rules:refused',
  'a condition that cannot be read is refused with its rule and the position of the fault',
  async () => {
    const app = await sharedApp()
    const { id } = await app.create()
    const wrong = [
      { rule: { when: 'event.a = 1', then: 'skip' }, at: /^Rule 2, character 9: .*Use == to compare\.$/ },
      {
        rule: { when: 'evnt.a == 1', then: 'skip' },
        at: /character 1: There is no “evnt”\. There are: event, headers, now\./,
      },
      { rule: { when: 'event.a.frobnicate()', then: 'skip' }, at: /There is no function “frobnicate”/ },
      {
        rule: { when: 'event.a.matches("(")', then: 'skip' },
        at: /character 17: This regular expression cannot be read/,
      },
    ]
    for (const { rule, at } of wrong) {
      const refused = await app.test.api<{ errors: { pointer: string; detail: string }[] }>(
        'PATCH',
        `/api/v1/webhooks/${id}`,
        { rules: [{ when: 'true', then: 'skip' }, rule] },
      )
      assert.equal(refused.status, 422, refused.text)
      assert.equal(refused.body.errors[0]?.pointer, '/rules/1/when')
      assert.match(refused.body.errors[0]?.detail ?? '', at)
    }
    const shapes = [
      [{ when: 'true', then: 'notify' }, '/rules/0/text'],
      [{ when: 'true', then: 'notify', text: '{alerts}' }, '/rules/0/text'],
      [{ when: 'true', then: 'skip', prompt: 'x' }, '/rules/0/prompt'],
      [
        { when: 'true', then: 'run', channelId: 'chan_0190a1b2-0000-7000-8000-000000000000' },
        '/rules/0/channelId',
      ],
    ] as const
    for (const [rule, pointer] of shapes) {
      const refused = await app.test.api<{ errors: { pointer: string }[] }>(
        'PATCH',
        `/api/v1/webhooks/${id}`,
        {
          rules: [rule],
        },
      )
      assert.equal(refused.status, 422, refused.text)
      assert.equal(refused.body.errors[0]?.pointer, pointer)
    }
    const many = await app.test.api('PATCH', `/api/v1/webhooks/${id}`, {
      rules: Array.from({ length: 51 }, () => ({ when: 'true', then: 'skip' })),
    })
    assert.equal(many.status, 422)
  },
)

verifies(
  'rules:faults-lose-nothing',
  'a condition that fails, is slow or has an exploding pattern is no match, is told on the event, and blocks nobody',
  async () => {
    const app = await sharedApp()
    const { endpointUrl } = await app.create({
      rules: [
        { when: 'event.absent.deep == 1', then: 'skip' },
        { when: 'event.list + 1 == 2', then: 'skip' },
        { when: 'event.list.all(a, event.list.all(b, event.list.all(c, a + b + c >= 0)))', then: 'skip' },
        { when: "event.text.matches('^(a+)+$')", then: 'skip' },
        { when: 'event.list', then: 'skip' },
      ],
    })
    const quick = await app.create({ rules: [{ when: 'true', then: 'skip' }] })
    const delays: number[] = []
    let last = performance.now()
    const ticks = setInterval(() => {
      delays.push(performance.now() - last)
      last = performance.now()
    }, 5)
    const body = { list: Array.from({ length: 2000 }, (_, n) => n), text: `${'a'.repeat(40)}!` }
    const [slow, fast] = await Promise.all([
      settled(app, endpointUrl, body),
      settled(app, quick.endpointUrl, {}),
    ])
    clearInterval(ticks)
    assert.deepEqual([slow.status, slow.rule], ['done', null])
    assert.deepEqual(
      slow.ruleFaults.map(({ index }) => index),
      [0, 1, 2, 4],
      JSON.stringify(slow.ruleFaults),
    )
    assert.match(slow.ruleFaults[0]?.detail ?? '', /The field “absent” is absent/)
    assert.match(slow.ruleFaults[2]?.detail ?? '', /took longer than 200 ms/)
    assert.equal(fast.status, 'skipped')
    assert.ok(Math.max(...delays) < 2_000, `the process stood still for ${Math.max(...delays)} ms`)

    const empty = await app.create({ rules: [{ when: 'true', then: 'notify', text: 'Look: {/a/b}' }] })
    const nowhere = await settled(app, empty.endpointUrl, { title: 'A [title](https://example.com)' })
    assert.equal(nowhere.reply?.text, 'Look: –\n\nA \\[title\\](https://example.com)')
  },
)

verifies(
  'rules:faults-lose-nothing',
  'what a fault quotes of an event, half a character or a megabyte, keeps neither it nor the events of other webhooks waiting',
  async () => {
    const app = await sharedApp()
    const { endpointUrl } = await app.create({ rules: [{ when: 'int(event.n) > 3', then: 'skip' }] })
    const other = await app.create({ rules: [{ when: 'true', then: 'skip' }] })
    const [half, long, fine] = await Promise.all([
      settled(app, endpointUrl, '{"n":"A\\ud83dB"}'),
      settled(app, endpointUrl, { n: 'x'.repeat(1_000_000) }),
      settled(app, other.endpointUrl, {}),
    ])
    assert.deepEqual([half.status, long.status, fine.status], ['done', 'done', 'skipped'])
    assert.match(half.ruleFaults[0]?.detail ?? '', /Cannot convert A\ufffdB/)
    const { length } = long.ruleFaults[0]?.detail ?? ''
    assert.ok(length > 0 && length < 1000, `${length} characters`)
  },
)

verifies(
  'rules:faults-lose-nothing',
  'a webhook whose events cannot be judged at all holds up no other webhook',
  async () => {
    const app = await sharedApp()
    const broken = await app.create({ rules: [{ when: 'true', then: 'notify', text: 'Look.' }] })
    const other = await app.create({ rules: [{ when: 'true', then: 'skip' }] })
    // No request gets this into the table.
    await sql`update webhooks set rules = replace(rules::text, 'Look.', '\\ud83d')::json where id = ${broken.id}`.execute(
      app.db,
    )
    await app.post(broken.endpointUrl, '{}')
    assert.equal((await settled(app, other.endpointUrl, {})).status, 'skipped')
    assert.equal((await app.test.api('DELETE', `/api/v1/webhooks/${broken.id}`)).status, 204)
  },
)

verifies(
  'rules:erased',
  'erasing an event erases the text that a rule posted, and keeps which rule it was',
  async () => {
    const app = await sharedApp()
    const { endpointUrl } = await app.create({
      rules: [{ when: 'true', then: 'notify', text: 'Secret {/word}' }],
    })
    const event = await settled(app, endpointUrl, { word: 'xyzzy' })
    assert.equal(event.reply?.text, 'Secret xyzzy')
    const before = await app.test.get<{ items: { text: string; origin: { eventId: string } | null }[] }>(
      `/api/v1/channels/${app.channelId}/messages`,
    )
    const posted = before.items.find(({ text }) => text === 'Secret xyzzy')
    assert.equal(posted?.origin?.eventId, event.id, 'it names the event that it is about')
    assert.equal((await app.test.api('DELETE', `/api/v1/events/${event.id}`)).status, 204)
    const erased = await app.test.get<Event>(`/api/v1/events/${event.id}`)
    assert.deepEqual([erased.status, erased.rule?.then, erased.reply], ['notified', 'notify', null])
    const after = await app.test.api('GET', `/api/v1/channels/${app.channelId}/messages`)
    assert.ok(!after.text.includes('xyzzy'))
  },
)

verifies(
  'rules:preview',
  'a preview tells what the kept events would become, and changes nothing',
  async () => {
    const app = await sharedApp()
    const { id, endpointUrl } = await app.create({ rules: [{ when: 'true', then: 'skip' }] })
    const sent = []
    for (const body of [{ n: 1, k: 'a' }, { n: 2, k: 'a' }, { n: 3, k: 'b' }, { n: 4 }])
      sent.push(await settled(app, endpointUrl, body))
    const preview = await app.test.api<{
      counts: Record<string, number>
      items: { eventId: string; outcome: string; joinedTo: string | null; threadKeyFault: string | null }[]
    }>('POST', `/api/v1/webhooks/${id}/rules/preview`, {
      rules: [{ when: 'event.n == 3', then: 'notify', text: '{/k}' }],
      threadKey: '/k',
      collect: { quietSeconds: 60, maxSeconds: 60 },
    })
    assert.equal(preview.status, 200, preview.text)
    assert.deepEqual(preview.body.counts, { run: 2, skipped: 0, notified: 1, joined: 1, threads: 2 })
    const [fourth, third, second, first] = preview.body.items
    assert.deepEqual(
      [first?.outcome, second?.outcome, third?.outcome, fourth?.outcome],
      ['run', 'joined', 'notified', 'run'],
    )
    assert.deepEqual([first?.eventId, second?.joinedTo], [sent[0]?.id, sent[0]?.id])
    assert.equal(fourth?.threadKeyFault, 'The body has nothing at /k.')
    assert.deepEqual(
      (await app.events(`?webhookId=${id}`)).map(({ status }) => status),
      ['skipped', 'skipped', 'skipped', 'skipped'],
    )
    const wrong = await app.test.api<{ errors: { pointer: string }[] }>(
      'POST',
      `/api/v1/webhooks/${id}/rules/preview`,
      { rules: [{ when: 'event.', then: 'skip' }] },
    )
    assert.equal(wrong.status, 422, wrong.text)
    assert.equal(wrong.body.errors[0]?.pointer, '/rules/0/when')
  },
)

verifies(
  'rules:one-outcome',
  'whatever the rules are, every accepted event ends in exactly one of run, skipped, notified and joined',
  async () => {
    const app = await sharedApp()
    const condition = fc.constantFrom(
      'true',
      'event.n == 1',
      'event.n > 1',
      'event.k == "a"',
      'event.none',
      'event.k + 1 > 2',
    )
    const rule = fc.oneof(
      fc.record({ when: condition, then: fc.constant('skip'), closes: fc.boolean() }),
      fc.record({ when: condition, then: fc.constant('run'), closes: fc.boolean() }),
      fc.record({
        when: condition,
        then: fc.constant('notify'),
        text: fc.constant('{/n}'),
        closes: fc.boolean(),
      }),
    )
    const settings = fc.record({
      rules: fc.array(rule, { maxLength: 4 }),
      threadKey: fc.constantFrom(null, '/k', '{/k}-{/n}'),
      collect: fc.constantFrom(null, { quietSeconds: 1, maxSeconds: 1 }),
    })
    const events = fc.array(
      fc.record({ n: fc.integer({ min: 0, max: 3 }), k: fc.constantFrom('a', 'b', '') }),
      {
        minLength: 1,
        maxLength: 8,
      },
    )
    const { id, endpointUrl } = await app.create({ concurrency: 8 })
    await fc.assert(
      fc.asyncProperty(settings, events, async (chosen, bodies) => {
        assert.equal((await app.test.api('PATCH', `/api/v1/webhooks/${id}`, chosen)).status, 200)
        const sent = await Promise.all(bodies.map((body) => app.post(endpointUrl, JSON.stringify(body))))
        for (const { body } of sent) {
          const event = await end(app, body.eventId ?? '')
          assert.ok(['done', 'skipped', 'notified', 'joined'].includes(event.status), event.status)
          const runs = await count(app.db, 'runs', `event_id = '${event.id}'`)
          assert.equal(runs, event.status === 'done' ? 1 : 0, JSON.stringify(event))
          const notices = await count(app.db, 'messages', `post_key = 'notice:${event.id}'`)
          assert.equal(notices, event.status === 'notified' ? 1 : 0)
          if (event.status !== 'joined') continue
          const first = await end(app, (event as Event & { joinedTo: string }).joinedTo)
          assert.equal(first.status, 'done')
        }
      }),
      { numRuns: 10 },
    )
  },
)

verifies('rules:suggestions', 'what is suggested for a sender is accepted as it is', async () => {
  const app = await sharedApp()
  const { id } = await app.create()
  for (const { sender, threadKey, rules } of suggestions) {
    const saved = await app.test.api('PATCH', `/api/v1/webhooks/${id}`, {
      threadKey,
      rules: rules.map(({ rule }) => rule),
    })
    assert.equal(saved.status, 200, `${sender}: ${saved.text}`)
  }
})

/** What each sender sends, cut to what its suggestion reads. */
const samples: Record<string, [body: object, becomes: string, key: string][]> = {
  Grafana: [
    [{ status: 'firing', groupKey: 'g1', commonLabels: { alertname: 'Disk' } }, 'done', 'g1'],
    [{ status: 'resolved', groupKey: 'g1', commonLabels: { alertname: 'Disk' } }, 'notified', 'g1'],
  ],
  'GitHub pull requests': [
    [pullRequest('opened', 'User'), 'done', 'octo/app#7'],
    [pullRequest('labeled', 'User'), 'skipped', 'octo/app#7'],
    [pullRequest('synchronize', 'Bot'), 'skipped', 'octo/app#7'],
    [pullRequest('closed', 'User'), 'done', 'octo/app#7'],
  ],
  'GitHub issues': [
    [{ ...pullRequest('opened', 'User'), issue: { number: 8 } }, 'done', 'octo/app#8'],
    [{ ...pullRequest('assigned', 'User'), issue: { number: 8 } }, 'skipped', 'octo/app#8'],
  ],
  'GitLab merge requests': [
    [
      { project: { path_with_namespace: 'octo/app' }, object_attributes: { iid: 3, action: 'merge' } },
      'done',
      'octo/app!3',
    ],
  ],
  'Sentry issues': [
    [{ action: 'created', data: { issue: { id: '11', title: 'TypeError' } } }, 'done', '11'],
    [{ action: 'resolved', data: { issue: { id: '11', title: 'TypeError' } } }, 'notified', '11'],
    [{ action: 'archived', data: { issue: { id: '11', title: 'TypeError' } } }, 'skipped', '11'],
  ],
  'PagerDuty incidents': [
    [{ event: { event_type: 'incident.triggered', data: { id: 'P1', title: 'Down' } } }, 'done', 'P1'],
    [{ event: { event_type: 'incident.resolved', data: { id: 'P1', title: 'Down' } } }, 'notified', 'P1'],
  ],
  'Jira issues': [
    [{ issue: { key: 'OPS-1', fields: { status: { statusCategory: { key: 'done' } } } } }, 'done', 'OPS-1'],
  ],
}

function pullRequest(action: string, type: string): object {
  return { action, sender: { type }, repository: { full_name: 'octo/app' }, pull_request: { number: 7 } }
}

verifies(
  'rules:suggestions',
  'with what is suggested for a sender, its events become what the labels say, each with its key',
  async () => {
    const app = await sharedApp()
    for (const { sender, threadKey, rules } of suggestions) {
      const { endpointUrl } = await app.create({ threadKey, rules: rules.map(({ rule }) => rule) })
      const closing = rules.findIndex(({ rule }) => rule.then === 'run' && 'closes' in rule)
      // Alertmanager's own bodies are in event-threads.test.ts.
      for (const [body, becomes, key] of samples[sender] ?? []) {
        const event = await settled(app, endpointUrl, body)
        const { threadKey: found } = event as Event & { threadKey: string }
        assert.deepEqual([event.status, found], [becomes, key], `${sender}: ${JSON.stringify(body)}`)
        if (becomes === 'done' && event.rule) assert.equal(event.rule.index, closing, sender)
      }
    }
    assert.deepEqual(
      suggestions.map(({ sender }) => sender).filter((sender) => !(sender in samples)),
      ['Alertmanager'],
    )
  },
)

verifies(
  ['rules:suggestions', 'rules:first-match'],
  'of all events that GitHub publishes as examples, each is skipped, run or kept apart as the chosen rules say, and has the key of its pull request',
  async () => {
    const app = await sharedApp()
    const suggested = suggestions.find(({ sender }) => sender === 'GitHub pull requests')
    assert.ok(suggested)
    const { endpointUrl } = await app.create({
      threadKey: suggested.threadKey,
      rules: [
        ...suggested.rules.map(({ rule }) => rule),
        { when: "headers['x-github-event'] == 'push'", then: 'notify', text: '{/ref}' },
        { when: 'true', then: 'skip' },
      ],
      concurrency: 8,
    })
    const file = new URL(import.meta.resolve('@octokit/webhooks-examples'))
    // What the package has in it.
    const published = JSON.parse(await readFile(file, 'utf8')) as { name: string; examples: GithubEvent[] }[]
    const examples = published.flatMap(({ name, examples }) => examples.map((body) => ({ name, body })))
    assert.ok(examples.length > 250)
    const sent = await Promise.all(
      examples.map(({ name, body }) =>
        app.post(endpointUrl, JSON.stringify(body), { 'x-github-event': name }),
      ),
    )
    for (const [place, { name, body }] of examples.entries()) {
      const { eventId = '' } = sent[place]?.body ?? {}
      const event = (await end(app, eventId)) as Event & { threadKey: string | null }
      const rule =
        body.sender?.type === 'Bot'
          ? 0
          : /^(un)?(labeled|assigned)$/.test(body.action ?? '')
            ? 1
            : body.action === 'closed'
              ? 2
              : name === 'push'
                ? 3
                : 4
      const outcome = ['skipped', 'skipped', 'done', 'notified', 'skipped'][rule]
      const key = body.pull_request ? `${body.repository?.full_name}#${body.pull_request.number}` : null
      assert.deepEqual(
        [event.rule?.index, event.status, event.threadKey],
        [rule, outcome, key],
        `${name}: ${JSON.stringify(event)}`,
      )
      for (const { detail } of event.ruleFaults) assert.match(detail, /The field “\w+” is absent/)
    }
  },
)

/** What the rules read. */
type GithubEvent = {
  action?: string
  sender?: { type?: string }
  repository?: { full_name: string }
  pull_request?: { number: number }
}
