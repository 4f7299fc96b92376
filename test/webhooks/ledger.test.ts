import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { EventShape } from '../../src/events/contract.ts'
import { moveEvent } from '../../src/events/inbox/move-events.ts'
import { pruneEvents } from '../../src/events/ledger/prune-events.ts'
import type { EventId } from '../../src/shared/ids.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { verifies } from '../support/verifies.ts'
import { count, startWebhookApp } from './start-webhook-app.ts'

const sharedApp = shareInFile(() => startWebhookApp({ quiet: true }))

verifies(
  'events:ledger',
  'events are listed newest first, filtered by webhook, state, time and text, and paged',
  async () => {
    const app = await sharedApp()
    const [one, other] = [await app.create(), await app.create()]
    const begun = new Date().toISOString()
    const sent: string[] = []
    for (let n = 0; n < 5; n++) {
      const { body } = await app.post(one.endpointUrl, `{"order":"A-${n}"}`, {
        'webhook-id': `m${n}`,
        authorization: 'planted',
      })
      sent.unshift(body.eventId ?? '')
    }
    const elsewhere = (await app.post(other.endpointUrl, '{"order":"B"}')).body.eventId
    const ids = async (query: string) => (await app.events(query)).map(({ id }) => id)
    assert.deepEqual(await ids('?limit=6'), [elsewhere, ...sent])
    assert.deepEqual(await ids(`?webhookId=${one.id}`), sent)
    assert.deepEqual(await ids('?status=accepted&limit=2'), [elsewhere, sent[0]])
    assert.deepEqual(await ids('?status=dead'), [])
    assert.deepEqual(await ids('?text=A-3'), [sent[1]])
    assert.deepEqual(await ids('?text=m4'), [sent[0]])
    assert.deepEqual(await ids(`?from=${begun}`), [elsewhere, ...sent])
    assert.deepEqual(await ids(`?to=${begun}&webhookId=${one.id}`), [])

    const since = `/api/v1/events?from=${begun}&limit=4`
    const page = await app.test.get<{ items: { id: string }[]; nextCursor: string }>(since)
    const rest = await app.test.get<{ items: { id: string }[]; nextCursor: null }>(
      `${since}&cursor=${page.nextCursor}`,
    )
    assert.deepEqual(
      [...page.items, ...rest.items].map(({ id }) => id),
      [elsewhere, ...sent],
    )
    assert.equal(rest.nextCursor, null)

    const event = await app.test.api<Record<string, unknown>>('GET', `/api/v1/events/${sent[0]}`)
    assert.deepEqual(event.body.source, { kind: 'webhook', webhookId: one.id, address: '127.0.0.1' })
    assert.equal(event.body.verification, 'off')
    assert.equal(event.body.sizeBytes, 15)
    assert.equal(event.body.deliveryId, 'm4')
    assert.match(String(event.body.runId), /^run_/)
    assert.ok(Math.abs(Date.now() - Date.parse(String(event.body.receivedAt))) < 3_600_000)
    assert.partialDeepStrictEqual(event.body.headers, { 'content-type': 'application/json' })
    assert.ok(!event.text.includes('planted'))
  },
)

verifies(
  'events:ledger',
  "a webhook's or a channel's events are in one order, whether they wait or have ended, on every page and in a search",
  async () => {
    const app = await sharedApp()
    const createChannel = async (name: string) =>
      (await app.test.api<{ id: string }>('POST', '/api/v1/channels', { name })).body.id
    const [channelId, elsewhere] = [await createChannel('here'), await createChannel('elsewhere')]
    const [one, other] = [await app.create({ channelId }), await app.create({ channelId })]
    const far = await app.create({ channelId: elsewhere })
    const sent = { one: [] as string[], channel: [] as string[] }
    for (let n = 0; n < 12; n++) {
      const webhook = [one, other, far][n % 3] ?? one
      const { body } = await app.post(webhook.endpointUrl, '{"order":"A-1"}')
      const id = body.eventId as EventId
      if (webhook !== far) sent.channel.unshift(id)
      if (webhook === one) sent.one.unshift(id)
      if (n % 2 === 0) {
        await moveEvent(app.db, id, 'dispatched')
        await moveEvent(app.db, id, 'done')
      }
    }
    const pages = async (query: string) => {
      const found: string[] = []
      for (let cursor = ''; ; ) {
        const { items, nextCursor } = await app.test.get<{ items: { id: string }[]; nextCursor: string }>(
          `/api/v1/events?limit=3&${query}${cursor}`,
        )
        found.push(...items.map(({ id }) => id))
        if (!nextCursor) return found
        cursor = `&cursor=${nextCursor}`
      }
    }
    assert.equal(sent.one.length, 4)
    for (const search of ['', '&text=A-1']) {
      assert.deepEqual(await pages(`webhookId=${one.id}${search}`), sent.one)
      assert.deepEqual(await pages(`channelId=${channelId}${search}`), sent.channel)
      assert.deepEqual(await pages(`webhookId=${one.id}&channelId=${channelId}${search}`), sent.one)
      assert.deepEqual(await pages(`webhookId=${one.id}&channelId=${elsewhere}${search}`), [])
      const done = await pages(`channelId=${channelId}&status=done${search}`)
      const waiting = await pages(`channelId=${channelId}&status=accepted${search}`)
      assert.deepEqual([...done, ...waiting].sort(), sent.channel.toSorted())
      assert.equal(done.length, 4)
    }
    const { totals } = await app.test.get<{ totals: { events: number } }>(`/api/v1/stats?webhookId=${one.id}`)
    assert.equal(totals.events, 4)
  },
)

verifies(
  'events:told-in-words',
  'the list says in a few words what each event is, whoever sent it and however long it is',
  async () => {
    const app = await sharedApp()
    const { id, endpointUrl } = await app.create()
    const long = 'x'.repeat(200_000)
    const cases: [body: string, headers: Record<string, string>, summary: string | null][] = [
      [
        '{"action":"opened","number":7,"pull_request":{"title":"Fix the\\n bell"}}',
        { 'x-github-event': 'pull_request' },
        'pull_request opened: Fix the bell',
      ],
      [
        `{"id":"evt_1","object":"event","type":"invoice.paid","data":{"object":{"number":"A-1","lines":"${long}"}}}`,
        {},
        'invoice.paid: number A-1',
      ],
      [
        '{"orderId":12345678901234567890,"total":1.0,"paid":true,"more":4}',
        {},
        'orderId 12345678901234567890, total 1.0, paid true',
      ],
      // Named in a header and in the body: told once, with what else the body says.
      ['{"type":"order.paid","id":"A-9"}', { 'x-shop-event': 'order.paid' }, 'order.paid: id A-9'],
      [
        '{"type":"Issue","action":"create","data":{"title":"Broken"}}',
        { 'linear-event': 'Issue' },
        'Issue create: Broken',
      ],
      ['{"event":"order.paid","name":"order.paid"}', {}, 'order.paid'],
      // As Alertmanager sends it: a resolved alert has the same text.
      [
        '{"receiver":"bellhop","status":"resolved","alerts":[{"status":"resolved","annotations":{"summary":"It is down"}}]}',
        {},
        'resolved: It is down',
      ],
      // One of the group has recovered: its own text would say the opposite.
      [
        '{"status":"firing","alerts":[{"status":"resolved","labels":{"alertname":"Down"},"annotations":{"summary":"A is down"}},{"status":"firing","labels":{"alertname":"Down"},"annotations":{"summary":"B is down"}}],"groupLabels":{"alertname":"Down"}}',
        {},
        'firing: Down',
      ],
      ['{"items":[{"title":"Shirt"},{"title":"Mug"}],"id":7}', {}, 'Shirt, and others'],
      // A batch of CloudEvents.
      [
        '[{"id":"a","source":"/shop","type":"order.paid","subject":"A-1"},{"id":"b","type":"order.paid","subject":"A-2"}]',
        {},
        'order.paid: A-1, and others',
      ],
      ['[{"id":"a","type":"order.paid"},{"id":"b","type":"order.sent"}]', {}, 'order.paid: id a, and others'],
      ['[{"id":"a","type":"order.paid"}]', {}, 'order.paid: id a'],
      ['{"status":"ok","id":5}', {}, 'id 5'],
      [`{"text":"${long}","type":"note"}`, {}, null],
      ['{"token":"planted","id":"A-2"}', {}, 'id A-2'],
      ['"good morning"', {}, 'good morning'],
      ['[]', {}, null],
      [`{"title":"${'ü'.repeat(300)}"}`, {}, `${'ü'.repeat(159)}…`],
    ]
    for (const [body, headers] of cases) await app.post(endpointUrl, body, headers)
    const { items } = await app.test.get<{ items: { id: string; summary: string | null }[] }>(
      `/api/v1/events?webhookId=${id}`,
    )
    assert.deepEqual(
      items.map(({ summary }) => summary).reverse(),
      cases.map(([, , summary]) => summary),
    )

    // After erasing, there is no description.
    const told = items.at(-1)?.id
    await app.test.api('DELETE', `/api/v1/events/${told}`)
    assert.equal((await app.test.get<{ summary: null }>(`/api/v1/events/${told}`)).summary, null)
  },
)

verifies(
  'events:by-type',
  'events are filtered by the type that their sender names, on all pages, and not by the same word elsewhere in the body',
  async () => {
    const app = await sharedApp()
    const { id, endpointUrl } = await app.create()
    const other = await app.create()
    const paid: string[] = []
    for (let n = 0; n < 8; n++) {
      await app.post(endpointUrl, `{"type":"order.sent","after":"order.paid","n":${n}}`)
      const { body } = await app.post(endpointUrl, `{"n":${n}}`, { 'x-shop-event': 'order.paid' })
      if (body.eventId) paid.unshift(body.eventId)
    }
    await app.post(endpointUrl, '{"action":"opened"}', { 'x-github-event': 'pull_request' })
    await app.post(endpointUrl, '{"type":"größer \\"als\\""}')
    await app.post(other.endpointUrl, '{"type":"other"}')
    const found = async (type: string) => {
      const ids: string[] = []
      for (let cursor = ''; ; ) {
        const { items, nextCursor } = await app.test.get<{ items: EventShape[]; nextCursor: string | null }>(
          `/api/v1/events?limit=3&webhookId=${id}&type=${encodeURIComponent(type)}${cursor}`,
        )
        for (const event of items) assert.equal(event.type, type)
        ids.push(...items.map((event) => event.id))
        if (nextCursor === null) return ids
        cursor = `&cursor=${nextCursor}`
      }
    }
    assert.deepEqual(await found('order.paid'), paid)
    assert.equal((await found('order.sent')).length, 8)
    assert.equal((await found('pull_request opened')).length, 1)
    assert.equal((await found('größer "als"')).length, 1)
    assert.deepEqual(await found('order'), [])
    const { items } = await app.test.get<{ items: string[] }>(`/api/v1/events/types?webhookId=${id}`)
    assert.deepEqual(items.toSorted(), ['größer "als"', 'order.paid', 'order.sent', 'pull_request opened'])
  },
)

verifies(
  'hooks:agent-headers',
  'a credential that the operator shows to the agent stays masked on our own pages',
  async () => {
    const app = await sharedApp()
    const { id, endpointUrl } = await app.create({ exposeHeaders: ['X-Api-Key', 'X-Shop'] })
    const { body } = await app.post(endpointUrl, '{}', {
      'x-api-key': 'for-the-prompt',
      'x-shop': 'Berlin',
      cookie: 'c',
    })
    const { rows } = await sql<{ headers: Record<string, string> }>`
      select headers from events where source_id = ${id}`.execute(app.db)
    assert.equal(rows[0]?.headers['x-api-key'], 'for-the-prompt')
    assert.equal(rows[0]?.headers['x-shop'], 'Berlin')
    assert.equal(rows[0]?.headers.cookie, undefined)
    const shown = await app.test.get<{ headers: Record<string, string> }>(`/api/v1/events/${body.eventId}`)
    assert.deepEqual([shown.headers['x-api-key'], shown.headers['x-shop']], ['••••', 'Berlin'])
  },
)

verifies(
  'events:raw-download',
  'the raw bytes come as a download that no browser shows as a page',
  async () => {
    const app = await sharedApp()
    const { endpointUrl } = await app.create()
    const { body } = await app.post(endpointUrl, '"<script>alert(1)</script>"')
    const answer = await app.test.api('GET', `/api/v1/events/${body.eventId}/body`)
    assert.equal(answer.text, '"<script>alert(1)</script>"')
    assert.equal(answer.headers.get('content-type'), 'application/octet-stream')
    assert.match(answer.headers.get('content-disposition') ?? '', /^attachment/)
  },
)

verifies(
  'events:erase',
  'erasing wipes body, headers and ids, stops what has not begun, and is audited',
  async () => {
    const app = await sharedApp()
    const { id, endpointUrl } = await app.create()
    const { body } = await app.post(endpointUrl, '{"planted":"erase-me"}', { 'webhook-id': 'planted-id' })
    const path = `/api/v1/events/${body.eventId}`
    assert.equal((await app.test.api('DELETE', path)).status, 204)
    assert.equal((await app.test.api('GET', `${path}/body`)).status, 410)
    const event = await app.test.get<Record<string, unknown>>(path)
    assert.deepEqual(
      [event.erased, event.status, event.deliveryId, event.source],
      [true, 'ignored', null, { kind: 'webhook', webhookId: id, address: null }],
    )
    assert.notEqual(event.settledAt, null)
    const { rows } = await sql<{ row: string }>`
      select row_to_json(e)::text as row from events e where id = ${body.eventId}`.execute(app.db)
    assert.equal(rows.length, 1)
    // Bytes are written in hex there.
    for (const left of ['planted', Buffer.from('planted').toString('hex'), '127.0.0.1']) {
      assert.ok(!rows[0]?.row.includes(left), left)
    }
    assert.equal(
      await count(app.db, 'audit_log', `action = 'event.erased' and subject = '${body.eventId}'`),
      1,
    )
    assert.equal(
      (await app.test.api('DELETE', '/api/v1/events/evt_01890000-0000-7000-8000-000000000000')).status,
      404,
    )
  },
)

verifies(
  'events:life',
  'an event changes state only along the allowed transitions, and an ended one does not change',
  async () => {
    const app = await sharedApp()
    const { endpointUrl } = await app.create()
    const { body } = await app.post(endpointUrl, '{}')
    const id = body.eventId as `evt_${string}` // what the ingress answers
    const move = (status: Parameters<typeof moveEvent>[2]) => moveEvent(app.db, id, status)
    assert.deepEqual([await move('done'), await move('dead'), await move('dispatched')], [false, false, true])
    assert.deepEqual(
      [await move('dispatched'), await move('done'), await move('failed'), await move('ignored')],
      [false, true, false, false],
    )
  },
)

verifies('events:life', 'waiting events of a deleted webhook are ignored', async () => {
  const app = await sharedApp()
  const { id, endpointUrl } = await app.create()
  for (let n = 0; n < 3; n++) await app.post(endpointUrl, '{}')
  await app.test.api('DELETE', `/api/v1/webhooks/${id}`)
  assert.deepEqual(
    (await app.events(`?webhookId=${id}`)).map(({ status }) => status),
    ['ignored', 'ignored', 'ignored'],
  )
})

verifies(
  'events:retention',
  'events are kept 30 days after they ended by default, whenever they came; waiting and active ones are kept longer',
  async () => {
    let now = new Date()
    await using app = await startWebhookApp({ quiet: true, now: () => now })
    const { endpointUrl } = await app.create()
    const send = async () =>
      (await app.post(endpointUrl, '{}', { 'webhook-id': crypto.randomUUID() })).body
        .eventId as `evt_${string}`
    const ended = await send()
    now = new Date(now.getTime() + 1)
    const waiting = await send()
    await moveEvent(app.db, ended, 'dispatched')
    await moveEvent(app.db, ended, 'done')
    const day = 86_400_000
    const prune = async (days: number) => {
      now = new Date(now.getTime() + 1)
      await pruneEvents({ ...app.test.app.ctx, now: () => new Date(now.getTime() + days * day) })
      return (await app.events()).map(({ id }) => id)
    }
    assert.deepEqual(await prune(29), [waiting, ended])
    assert.deepEqual(await prune(31), [waiting])

    await app.test.api('PATCH', '/api/v1/settings', { retention: { days: 2 } })
    const second = await send()
    await moveEvent(app.db, second, 'dispatched')
    await moveEvent(app.db, second, 'failed')
    assert.deepEqual(await prune(1), [second, waiting])
    assert.deepEqual(await prune(3), [waiting])

    // Long behind a pause, or taken in by a process whose clock was late.
    now = new Date(now.getTime() - 40 * day)
    const late = await send()
    now = new Date(now.getTime() + 40 * day)
    await moveEvent(app.db, late, 'dispatched')
    await moveEvent(app.db, late, 'done')
    assert.deepEqual(await prune(1), [waiting, late])
    assert.deepEqual(await prune(3), [waiting])
  },
)
