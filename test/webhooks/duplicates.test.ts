import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { sql } from 'kysely'
import { pruneDeliveryKeys } from '../../src/events/inbox/prune-delivery-keys.ts'
import { becomes } from '../support/becomes.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { verifies } from '../support/verifies.ts'
import { noteDeletions } from './note-deletions.ts'
import { count, countEvents, post, startWebhookApp } from './start-webhook-app.ts'

const sharedApp = shareInFile(() => startWebhookApp({ quiet: true }))

verifies(
  'hooks:duplicate',
  'the same delivery again answers duplicate with the same ids and starts nothing',
  async () => {
    const app = await sharedApp()
    const { id, endpointUrl } = await app.create()
    for (const header of [
      'idempotency-key',
      'webhook-id',
      'svix-id',
      'x-github-delivery',
      'x-gitlab-event-uuid',
      'linear-delivery',
      'x-shopify-webhook-id',
    ]) {
      const first = await app.post(endpointUrl, '{"a":1}', { [header]: 'same' })
      const second = await app.post(endpointUrl, '{"a":1}', { [header]: 'same' })
      assert.equal(first.body.status, 'accepted', header)
      assert.deepEqual(second.body, { ...first.body, status: 'duplicate' }, header)
    }
    assert.equal(await countEvents(app, id), 7)
  },
)

verifies(
  'hooks:duplicate-other-body',
  'another body under a sender-chosen key answers 409; under an id of the sender’s system it is a duplicate',
  async () => {
    const app = await sharedApp()
    const { endpointUrl } = await app.create({ deliveryId: { pointer: '/meta/id' } })
    const statuses = async (headers: Record<string, string>, first: string, second: string) => [
      (await app.post(endpointUrl, first, headers)).status,
      (await app.post(endpointUrl, second, headers)).body.status ?? 'refused',
    ]
    for (const header of ['idempotency-key', 'webhook-id', 'svix-id']) {
      assert.equal((await app.post(endpointUrl, '{"a":1}', { [header]: 'k' })).status, 200)
      const conflict = await app.post(endpointUrl, '{"a":2}', { [header]: 'k' })
      assert.deepEqual([conflict.status, conflict.body.type], [409, 'delivery-conflict'])
    }
    assert.deepEqual(await statuses({ 'x-github-delivery': 'g' }, '{"a":1}', '{"a":2}'), [200, 'duplicate'])
    assert.deepEqual(await statuses({}, '{"meta":{"id":"x"},"try":1}', '{"meta":{"id":"x"},"try":2}'), [
      200,
      'duplicate',
    ])
    // Beyond JavaScript's exact integers: equal after rounding, but two different ids for the sender.
    for (const [id, status] of [
      ['12345678901234567890', 'accepted'],
      ['12345678901234567891', 'accepted'],
      ['12345678901234567890', 'duplicate'],
    ]) {
      assert.equal((await app.post(endpointUrl, `{"meta":{"id":${id}}}`)).body.status, status)
    }
  },
)

verifies(
  'hooks:duplicate-other-body',
  'a repetition is compared with what is stored: every byte of a large body, and nothing once the event is erased',
  async () => {
    const app = await sharedApp()
    const { id, endpointUrl } = await app.create()
    const large = (last: string) => `["${'x'.repeat(300_000)}${last}"]`
    const send = async (body: string) => (await app.post(endpointUrl, body, { 'webhook-id': 'm' })).body
    const { eventId } = await send(large('a'))
    assert.equal((await send(large('b'))).type, 'delivery-conflict')
    assert.deepEqual([(await send(large('a'))).status, await countEvents(app, id)], ['duplicate', 1])
    assert.equal((await app.test.api('DELETE', `/api/v1/events/${eventId}`)).status, 204)
    const repeated = await send(large('b'))
    assert.deepEqual([repeated.status, repeated.eventId], ['duplicate', eventId])
  },
)

verifies(
  'hooks:duplicate-sources',
  'without an id there is no de-duplication, and each webhook remembers for itself',
  async () => {
    const app = await sharedApp()
    const [one, other] = [await app.create(), await app.create()]
    for (let n = 0; n < 3; n++) assert.equal((await app.post(one.endpointUrl, '{}')).body.status, 'accepted')
    assert.equal((await app.post(one.endpointUrl, '{}', { 'webhook-id': 'm' })).body.status, 'accepted')
    assert.equal((await app.post(other.endpointUrl, '{}', { 'webhook-id': 'm' })).body.status, 'accepted')
  },
)

verifies(
  'hooks:duplicate-sources',
  'a signed id takes precedence: a captured delivery with another unsigned id is still a duplicate',
  async () => {
    const app = await sharedApp()
    const secret = Buffer.alloc(24, 7)
    const secrets = [`whsec_${secret.toString('base64')}`]
    const { endpointUrl } = await app.create({ verification: { preset: 'svix', secrets } })
    const time = String(Math.floor(Date.now() / 1000))
    const signature = createHmac('sha256', secret).update(`msg_1.${time}.{}`).digest('base64')
    const captured = { 'svix-id': 'msg_1', 'svix-timestamp': time, 'svix-signature': `v1,${signature}` }
    const [first, again] = [
      await app.post(endpointUrl, '{}', captured),
      await app.post(endpointUrl, '{}', { ...captured, 'webhook-id': 'msg_2', 'idempotency-key': 'k' }),
    ]
    assert.equal(first.body.status, 'accepted')
    assert.deepEqual(again.body, { ...first.body, status: 'duplicate' })
  },
)

verifies('hooks:duplicate-window', 'an id is remembered for 7 days and then forgotten', async () => {
  await using app = await startWebhookApp({ quiet: true })
  const { endpointUrl } = await app.create()
  const send = async () => (await app.post(endpointUrl, '{}', { 'webhook-id': 'm' })).body.status
  await send()
  await sql`update delivery_keys set created_at = now() - interval '6 days 23 hours'`.execute(app.db)
  await pruneDeliveryKeys(app.test.app.ctx)
  assert.equal(await send(), 'duplicate')
  await sql`update delivery_keys set created_at = now() - interval '7 days 1 second'`.execute(app.db)
  assert.equal(await send(), 'accepted')
  assert.equal(await send(), 'duplicate')
  await sql`update delivery_keys set created_at = now() - interval '7 days 1 second'`.execute(app.db)
  await pruneDeliveryKeys(app.test.app.ctx)
  assert.equal(await count(app.db, 'delivery_keys'), 0)

  assert.equal(await send(), 'accepted')
  await sql`update delivery_keys set created_at = now() - interval '7 days 1 second'`.execute(app.db)
  await using _worker = await startWebhookApp({ databaseUrl: app.test.databaseUrl })
  await becomes(() => count(app.db, 'delivery_keys'), 0, 'a worker does so by itself')
})

verifies(
  'hooks:duplicate-window',
  'old ids are forgotten wherever they are in the table, in small transactions, and young ones are kept',
  async () => {
    const app = await sharedApp()
    await sql`
      insert into delivery_keys (key, event_id, created_at)
      select gen_random_uuid(), 'evt_' || gen_random_uuid(), now() - case n % 3 when 0 then interval '6 days' else interval '8 days' end
      from generate_series(1, 30000) n`.execute(app.db)
    const deletions = await noteDeletions(app.db, 'delivery_keys')
    await pruneDeliveryKeys(app.test.app.ctx)
    assert.equal(await count(app.db, 'delivery_keys', 'event_id not in (select id from events)'), 10_000)
    const counts = await deletions()
    assert.ok((counts[0] ?? 0) < 5_000, `${counts[0]} at once`)
  },
)

verifies(
  'hooks:duplicate-concurrent',
  'hundreds of deliveries in up to five copies at once, to two replicas, make one event each',
  async () => {
    const app = await sharedApp()
    await using replica = await startWebhookApp({ quiet: true, databaseUrl: app.test.databaseUrl })
    const { id, endpointUrl } = await app.create()
    const there = endpointUrl.replace(app.test.url, replica.test.url)
    const copies = Array.from({ length: 300 }, (_, n) => Array.from({ length: 1 + (n % 5) }, () => n)).flat()
    const shuffled = copies.map((n) => ({ n, at: Math.random() })).sort((a, b) => a.at - b.at)
    const runIds = new Map<number, Set<string>>()
    let accepted = 0
    const queue = [...shuffled.entries()]
    await Promise.all(
      Array.from({ length: 50 }, async () => {
        for (let next = queue.pop(); next; next = queue.pop()) {
          const [index, { n }] = next
          const answer = await post(index % 2 ? endpointUrl : there, `{"n":${n}}`, { 'webhook-id': `m${n}` })
          assert.equal(answer.status, 200)
          if (answer.body.status === 'accepted') accepted++
          runIds.set(n, (runIds.get(n) ?? new Set()).add(answer.body.runId ?? ''))
        }
      }),
    )
    assert.equal(accepted, 300)
    assert.equal(await countEvents(app, id), 300)
    assert.ok([...runIds.values()].every((ids) => ids.size === 1))
  },
)

verifies(
  'hooks:refused-leaves-no-trace',
  'a delivery answered 429 is accepted when it is sent again',
  async () => {
    const app = await sharedApp()
    const { id, endpointUrl } = await app.create({ rateLimit: { perSecond: 0.001, burst: 1 } })
    assert.equal((await app.post(endpointUrl, '{}', { 'webhook-id': 'm1' })).status, 200)
    assert.equal((await app.post(endpointUrl, '{}', { 'webhook-id': 'm2' })).status, 429)
    await app.test.api('PATCH', `/api/v1/webhooks/${id}`, { rateLimit: null })
    assert.equal((await app.post(endpointUrl, '{}', { 'webhook-id': 'm2' })).body.status, 'accepted')
    assert.equal((await app.post(endpointUrl, '{}', { 'webhook-id': 'm2' })).body.status, 'duplicate')
  },
)
