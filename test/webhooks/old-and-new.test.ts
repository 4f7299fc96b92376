import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { acceptEvents } from '../../src/events/inbox/accept-events.ts'
import type { NewEvent } from '../../src/events/inbox/new-event.ts'
import { binaryArray } from '../../src/platform/db/binary-array.ts'
import { newId, type WebhookId } from '../../src/shared/ids.ts'
import { fc } from '../support/property.ts'
import { createTestDatabase } from '../support/test-database.ts'

const hooks: { id: WebhookId; rate: number | null; burst: number | null }[] = [
  { id: 'hook_a', rate: null, burst: null },
  { id: 'hook_b', rate: 1 / 86_400, burst: 3 },
  { id: 'hook_c', rate: 0.001, burst: 8 },
  { id: 'hook_d', rate: 0.01, burst: 1 },
]
const noTraffic: WebhookId = 'hook_e'

const delivery = fc.record({
  hook: fc.constantFrom(...hooks.map(({ id }) => id), 'hook_a' as const, noTraffic),
  key: fc.option(fc.integer({ min: 0, max: 4 })),
  bindsBody: fc.boolean(),
  body: fc.constantFrom('', '{}', '{"a":1}', '{"a":2}', 'é\u0000"\\x'),
  payload: fc.option(fc.constantFrom('{}', '[1]')),
  isTest: fc.boolean(),
  deliveryId: fc.option(fc.constantFrom('x', '"{,}\\', 'é😀', '😀'.slice(0, 1), '')),
})
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('batch' as const),
      deliveries: fc.array(delivery, { minLength: 1, maxLength: 12 }),
    }),
  },
  fc.record({ kind: fc.constant('age' as const), days: fc.constantFrom(6.99, 7.01, 30) }),
  fc.record({ kind: fc.constant('erase' as const), nth: fc.nat(20) }),
  fc.record({ kind: fc.constant('delete' as const), nth: fc.nat(20) }),
  fc.record({
    kind: fc.constant('refill' as const),
    hook: fc.constantFrom('hook_b', 'hook_c', 'hook_d'),
    steps: fc.integer({ min: -3, max: 9 }),
  }),
)

test('the new code does what the functions did', async () => {
  await using old = await createTestDatabase()
  await using fresh = await createTestDatabase()
  const pools = [old, fresh].map(
    ({ url }) => new pg.Pool({ connectionString: url, max: 1, pipeline: true }),
  ) as [pg.Pool, pg.Pool]
  const counts: Record<string, number> = {}
  await using stack = new AsyncDisposableStack()
  for (const pool of pools) stack.defer(() => pool.end())
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      await both(`truncate events, delivery_keys, webhook_traffic, webhooks cascade`)
      for (const { id, rate, burst } of [...hooks, { id: noTraffic, rate: null, burst: null }])
        await both(
          `insert into webhooks (id, name, channel_id, prompt, state, rate_per_second, rate_burst) values ($1, 'n', 'c', 'p', 'active', $2, $3)`,
          [id, rate, burst],
        )
      for (const { id } of hooks) await both('insert into webhook_traffic (webhook_id) values ($1)', [id])
      const ids: string[] = []
      for (const one of steps) {
        if (one.kind === 'age')
          await both(
            `update delivery_keys set created_at = now() - make_interval(secs => $1) where key::text < '8'`,
            [one.days * 86_400],
          )
        if (one.kind === 'erase')
          await both(`update events set body = null, payload = null where id = $1`, [
            ids[one.nth % ids.length],
          ])
        if (one.kind === 'delete') await both(`delete from events where id = $1`, [ids[one.nth % ids.length]])
        if (one.kind === 'refill') {
          const rate = hooks.find(({ id }) => id === one.hook)?.rate ?? 1
          // Half a step more, so that the milliseconds between the two databases decide nothing.
          await both(
            `update webhook_traffic set arrival = now() + make_interval(secs => $2) where webhook_id = $1`,
            [one.hook, (one.steps + 0.5) / rate],
          )
        }
        if (one.kind !== 'batch') continue
        const events = toEvents(one.deliveries)
        ids.push(...events.map(({ eventId }) => eventId))
        const { rows } = await pools[0].query<{
          receipts: { outcome: string; eventId: string; runId: string; retryAfterMs: number }[] | null
        }>(statement(events))
        const expected =
          rows[0]?.receipts ??
          events.map((event) => ({
            outcome: 'accepted',
            eventId: event.eventId,
            runId: `run_${event.eventId.slice(4)}`,
            retryAfterMs: null,
          }))
        const answers = await acceptEvents(pools[1], events)
        for (const [n, { eventId }] of events.entries()) {
          const is = answers.get(eventId)
          const was = expected[n]
          assert.ok(is && was)
          counts[is.outcome] = (counts[is.outcome] ?? 0) + 1
          assert.equal(is.outcome, was.outcome)
          if ('eventId' in is) assert.deepEqual([is.eventId, is.runId], [was.eventId, was.runId])
          if ('retryAfterMs' in is && events[n]?.webhookId !== noTraffic)
            assert.ok(
              Math.abs(is.retryAfterMs - (was.retryAfterMs ?? 1000)) < 5_000,
              `${is.retryAfterMs} ${was.retryAfterMs}`,
            )
        }
        const [a, b] = await Promise.all(pools.map(state))
        assert.deepEqual(b, a)
      }
    }),
    { numRuns: Number(process.env.RUNS ?? 50), ...(process.env.SEED && { seed: Number(process.env.SEED) }) },
  )
  console.log('outcomes compared', JSON.stringify(counts))

  async function both(text: string, values: unknown[] = []): Promise<void> {
    for (const pool of pools) await pool.query(text, values)
  }
})

async function state(pool: pg.Pool): Promise<unknown> {
  const { rows: events } = await pool.query(
    `select id, webhook_id, run_id, trigger, status, parked, source, headers::text, content_type, delivery_id, verification, size_bytes, body, payload,
       received_at > now() - interval '1 minute' and received_at <= now() as is_recent from events order by id`,
  )
  const { rows: keys } = await pool.query(
    `select key, event_id, body_digest, round(extract(epoch from now() - created_at) / 60) as age from delivery_keys order by key`,
  )
  const { rows: traffic } = await pool.query(
    `select webhook_id, accepted, last_event_at is null as never,
       case when arrival = '-infinity' then null else round(extract(epoch from arrival - now()) / 60) end as ahead from webhook_traffic order by webhook_id`,
  )
  return { events, keys, traffic }
}

type Delivery = typeof delivery extends fc.Arbitrary<infer T> ? T : never

function toEvents(deliveries: readonly Delivery[]): NewEvent[] {
  const seen = new Set<string>()
  return deliveries.flatMap(({ hook, key, bindsBody, body, payload, isTest, deliveryId }) => {
    const hex =
      key === null
        ? null
        : `${key}${hook}`
            .split('')
            .map((c) => c.charCodeAt(0).toString(16))
            .join('')
            .padEnd(32, key % 2 ? '0' : 'f')
            .slice(-32)
            .replace(/^./, key % 2 ? '1' : '9')
    if (hex && seen.has(hex)) return []
    if (hex) seen.add(hex)
    return [
      {
        eventId: newId('event'),
        webhookId: hook,
        trigger: isTest ? ('test' as const) : ('webhook' as const),
        key: hex,
        bindsBody: hex !== null && bindsBody,
        deliveryId,
        source: '127.0.0.1',
        headers: { 'user-agent': 'é"\\' },
        contentType: payload,
        verification: 'off' as const,
        body: Buffer.from(body),
        payload: payload === null ? null : Buffer.from(payload),
      },
    ]
  })
}

function statement(events: readonly NewEvent[]): pg.QueryConfig {
  const text = (of: (event: NewEvent) => string | null) => binaryArray('text', events.map(of))
  const bytes = (of: (event: NewEvent) => Buffer | null) => binaryArray('bytea', events.map(of))
  const digests = (of: (event: NewEvent) => string | null) => binaryArray('uuid', events.map(of))
  const counts = new Map<WebhookId, number>()
  for (const { webhookId } of events) counts.set(webhookId, (counts.get(webhookId) ?? 0) + 1)
  return {
    name: 'take-in',
    text: 'call take_in($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, null)',
    values: [
      binaryArray('text', [...counts.keys()]),
      [...counts.values()],
      text(({ eventId }) => eventId),
      text(({ webhookId }) => webhookId),
      text(({ trigger }) => trigger),
      digests(({ key }) => key),
      digests(({ bindsBody }) => (bindsBody ? '0'.repeat(32) : null)),
      text(({ source }) => source),
      text(({ headers }) => JSON.stringify(headers)),
      text(({ contentType }) => contentType),
      text(({ deliveryId }) => deliveryId),
      text(({ verification }) => verification),
      bytes(({ body }) => body),
      bytes(({ payload }) => payload),
      false,
    ],
  }
}
