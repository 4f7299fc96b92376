import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { shareInFile } from '../support/share-in-file.ts'
import { verifies } from '../support/verifies.ts'
import { countEvents, post, startWebhookApp, type WebhookApp } from './start-webhook-app.ts'

const sharedApp = shareInFile(() => startWebhookApp({ quiet: true }))

verifies(
  'hooks:rate-limit-429',
  'over the limit the answer is 429 and says exactly when to retry',
  async () => {
    const app = await sharedApp()
    const { id, endpointUrl } = await app.create({ rateLimit: { perSecond: 0.01, burst: 3 } })
    for (let n = 0; n < 3; n++) assert.equal((await app.post(endpointUrl, '{}')).status, 200)
    const { status, headers, body } = await app.post(endpointUrl, '{}')
    assert.equal(status, 429)
    assert.equal(body.type, 'rate-limited')
    assert.equal(headers.get('ratelimit-policy'), '"webhook";q=3;w=300')
    const retryAfter = Number(headers.get('retry-after'))
    assert.equal(headers.get('ratelimit'), `"webhook";r=0;t=${retryAfter}`)
    // One token is added every 100 s, and the first was taken a moment ago.
    assert.ok(retryAfter > 50 && retryAfter <= 100, String(retryAfter))
    await shiftTime(app, id, retryAfter)
    assert.equal((await app.post(endpointUrl, '{}')).status, 200)
    assert.equal((await app.post(endpointUrl, '{}')).status, 429)
    // The clock of the database is set back by months. That costs a burst, and not the months.
    await shiftTime(app, id, -100 * 86_400)
    for (let n = 0; n < 3; n++) assert.equal((await app.post(endpointUrl, '{}')).status, 200)
    const again = await app.post(endpointUrl, '{}')
    assert.equal(again.status, 429)
    assert.ok(Number(again.headers.get('retry-after')) <= 100)
  },
)

/** Simulates passing time for the limit, whose whole state is one timestamp. */
async function shiftTime(app: WebhookApp, webhookId: string, seconds: number): Promise<void> {
  await sql`
    update webhook_traffic set refilled_at = refilled_at - make_interval(secs => ${seconds})
    where webhook_id = ${webhookId}`.execute(app.db)
}

verifies(
  'hooks:rate-limit-setting',
  'the limit is 10/s with a burst of 100 by default, and null is none',
  async () => {
    const app = await sharedApp()
    const answer = await app.test.api<{ rateLimit: object; endpointUrl: string; id: string }>(
      'POST',
      '/api/v1/webhooks',
      {
        name: 'By default',
        channelId: app.channelId,
        prompt: 'x',
        active: true,
      },
    )
    assert.deepEqual(answer.body.rateLimit, { perSecond: 10, burst: 100 })
    const { endpointUrl, id } = answer.body
    // All at once: the burst passes, plus what is refilled meanwhile, ten a second by the database's clock.
    const clock = async () => {
      const { rows } = await sql<{ ms: number }>`
        select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`.execute(app.db)
      return rows[0]?.ms ?? Number.NaN
    }
    const begun = await clock()
    const answers = await Promise.all(Array.from({ length: 140 }, () => app.post(endpointUrl, '{}')))
    const tookSeconds = ((await clock()) - begun) / 1000
    const accepted = answers.filter(({ status }) => status === 200).length
    assert.ok(
      accepted >= 100 && accepted <= 101 + 10 * tookSeconds,
      `${accepted} of 140 within ${tookSeconds} s`,
    )
    await app.test.api('PATCH', `/api/v1/webhooks/${id}`, { rateLimit: { perSecond: 0.001, burst: 1 } })
    assert.equal((await app.post(endpointUrl, '{}')).status, 200)
    assert.equal((await app.post(endpointUrl, '{}')).status, 429)
    await app.test.api('PATCH', `/api/v1/webhooks/${id}`, { rateLimit: null })
    for (let n = 0; n < 5; n++) assert.equal((await app.post(endpointUrl, '{}')).status, 200)
  },
)

verifies(
  'hooks:rate-limit-setting',
  'the lowest limit is one event a day, and a webhook at its limit does not hold up another',
  async () => {
    const app = await sharedApp()
    const perDay = 1 / 86_400
    const { endpointUrl, id } = await app.create({ rateLimit: { perSecond: perDay, burst: 1 } })
    const other = await app.create()
    const lower = await app.test.api<{ errors: object[] }>('PATCH', `/api/v1/webhooks/${id}`, {
      rateLimit: { perSecond: perDay * 0.99, burst: 1 },
    })
    assert.equal(lower.status, 422)
    assert.deepEqual(lower.body.errors, [
      {
        pointer: '/rateLimit/perSecond',
        detail: 'Allow one event a day or more, which is 0.0000116 per second.',
      },
    ])
    assert.equal((await app.post(endpointUrl, '{}')).status, 200)
    const mixed = [...Array(6)].flatMap(() => [
      app.post(endpointUrl, '{}'),
      app.post(other.endpointUrl, '{}'),
    ])
    const statuses = (await Promise.all(mixed)).map(({ status }) => status)
    assert.deepEqual(new Set(statuses.filter((_, n) => n % 2 === 0)), new Set([429]))
    assert.deepEqual(new Set(statuses.filter((_, n) => n % 2 === 1)), new Set([200]))
    // Further ahead than any limit can be, as after the clock was set back by millennia.
    await shiftTime(app, id, -86_400 * 1_000_000)
    assert.equal((await app.post(endpointUrl, '{}')).status, 200)
    assert.equal((await app.post(endpointUrl, '{}')).status, 429)
  },
)

verifies(
  'hooks:rate-limit-setting',
  'a changed limit counts from the change on: what an earlier one used up does not block the sender',
  async () => {
    const app = await sharedApp()
    const { endpointUrl, id } = await app.create({ rateLimit: { perSecond: 0.001, burst: 1 } })
    const statuses = async () => [
      (await app.post(endpointUrl, '{}')).status,
      (await app.post(endpointUrl, '{}')).status,
    ]
    assert.deepEqual(await statuses(), [200, 429])
    const change = (patch: object) => app.test.api('PATCH', `/api/v1/webhooks/${id}`, patch)
    await change({ prompt: 'Another prompt', rateLimit: { perSecond: 0.001, burst: 1 } })
    assert.deepEqual(await statuses(), [429, 429], 'the same limit again is no change')
    await change({ rateLimit: { perSecond: 1, burst: 2 } })
    assert.deepEqual(await statuses(), [200, 200])
  },
)

verifies(
  'hooks:rate-limit-across-replicas',
  'the burst is handed out once, however many replicas and requests at once',
  async () => {
    const app = await sharedApp()
    await using replica = await startWebhookApp({ quiet: true, databaseUrl: app.test.databaseUrl })
    const { id, endpointUrl } = await app.create({ rateLimit: { perSecond: 0.001, burst: 40 } })
    const there = endpointUrl.replace(app.test.url, replica.test.url)
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, n) => post(n % 2 ? endpointUrl : there, '{}')),
    )
    const statuses = Object.groupBy(answers, ({ status }) => status)
    assert.deepEqual([statuses[200]?.length, statuses[429]?.length], [40, 160])
    assert.equal(await countEvents(app, id), 40)
  },
)

verifies('hooks:rate-limit-after-checks', 'refused and repeated deliveries cost no quota', async () => {
  const app = await sharedApp()
  const { endpointUrl } = await app.create({ rateLimit: { perSecond: 0.001, burst: 2 } })
  assert.equal((await app.post(endpointUrl, '{}', { 'webhook-id': 'm' })).status, 200)
  for (let n = 0; n < 5; n++) {
    assert.equal((await app.post(endpointUrl, '{')).status, 400)
    assert.equal((await app.post(endpointUrl, '{}', { 'webhook-id': 'm' })).body.status, 'duplicate')
    assert.equal((await app.post(endpointUrl, '[]', { 'webhook-id': 'm' })).status, 409)
  }
  assert.equal((await app.post(endpointUrl, '{}')).status, 200)
  assert.equal((await app.post(endpointUrl, '{}')).status, 429)
})

verifies(
  'hooks:failures-limited-by-source',
  'an address that fails too often gets 429, and is still accepted with the right signature',
  async () => {
    await using app = await startWebhookApp({ quiet: true, env: { TRUSTED_PROXIES: '127.0.0.1' } })
    const verification = { preset: 'shared_secret', secrets: ['right'] }
    const { endpointUrl } = await app.create({ verification })
    const send = (secret: string, source: string) =>
      post(endpointUrl, '{}', { 'x-webhook-secret': secret, 'x-forwarded-for': source })
    // At once, so that refilling does not matter on a slow machine.
    const storm = async (count: number) => {
      const answers = await Promise.all(Array.from({ length: count }, () => send('wrong', '203.0.113.7')))
      return answers.find(({ status }) => status === 429)
    }
    assert.equal((await send('wrong', '203.0.113.7')).status, 401)
    assert.ok(await storm(400))
    assert.equal((await send('right', '203.0.113.7')).status, 200)
    assert.equal((await send('wrong', '203.0.113.8')).status, 401)
    // Whoever has an IPv6 address has a whole network of them.
    const many = Array.from({ length: 400 }, (_, n) => send('wrong', `2001:db8:1:2:${n.toString(16)}::7`))
    assert.ok((await Promise.all(many)).some(({ status }) => status === 429))
    assert.equal((await send('wrong', '2001:db8:1:3::7')).status, 401)
    const limited = await storm(50)
    assert.equal(limited?.body.type, 'too-many-requests')
    assert.ok(Number(limited?.headers.get('retry-after')) >= 1)

    // Another process learns of it.
    await app.test.app.ctx.webhooks.flush()
    await using replica = await startWebhookApp({
      quiet: true,
      databaseUrl: app.test.databaseUrl,
      env: { TRUSTED_PROXIES: '127.0.0.1' },
    })
    const there = endpointUrl.replace(app.test.url, replica.test.url)
    const elsewhere = () =>
      post(there, '{}', { 'x-webhook-secret': 'wrong', 'x-forwarded-for': '203.0.113.7' })
    // By itself it would allow a burst of 300. At once again, ten times twenty.
    let quiet = false
    for (let n = 0; n < 10 && !quiet; n++) {
      const answers = await Promise.all(Array.from({ length: 20 }, elsewhere))
      quiet = answers.some(({ status }) => status === 429)
      await replica.test.app.ctx.webhooks.flush()
    }
    assert.ok(quiet)
  },
)
