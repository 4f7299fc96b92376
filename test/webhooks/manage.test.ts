import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { providerShape } from '../../src/models/contract.ts'
import { rawNumber } from '../../src/platform/json/parse-exact-json.ts'
import type { Stats } from '../../src/status/contract.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { testApiKey } from '../support/start-test-app.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'
import { count, post, startWebhookApp, type WebhookApp } from './start-webhook-app.ts'

const sharedApp = shareInFile(() => startWebhookApp({ quiet: true }))

type Shown = Record<string, unknown> & { id: string; endpointUrl: string; verification: unknown }

async function keyOf(app: WebhookApp, role: 'operator' | 'member'): Promise<string> {
  const answer = await app.test.api<{ key: string }>('POST', '/api/v1/api-keys', { name: role, role })
  assert.equal(answer.status, 201, answer.text)
  return answer.body.key
}

verifies(
  ['hooks:fields', 'hooks:url-masked'],
  'a webhook is shown as it was made, its URL whole only once',
  async () => {
    const app = await sharedApp()
    const fields = {
      name: 'Orders',
      prompt: 'Sum it up.',
      active: true,
      ceiling: 'read',
      connectorIds: null,
      exposeHeaders: ['X-Shop'],
      rateLimit: { perSecond: 5, burst: 7 },
      allowSilence: true,
      concurrency: 2,
      maxBodyBytes: 5000,
      deliveryId: { header: 'X-Id' },
      runsPerHour: 10,
      costPerDay: 1.5,
    }
    const made = await app.create(fields)
    const url = made.endpointUrl
    assert.ok(url.startsWith(`${app.test.url}/hooks/whk_`))
    const shown = await app.test.get<Shown>(`/api/v1/webhooks/${made.id}`)
    for (const [name, value] of Object.entries(fields)) assert.deepEqual(shown[name], value, name)
    assert.equal(shown.channelId, app.channelId)
    assert.equal(shown.lastEventAt, null)
    assert.ok(shown.endpointUrl.includes('••••'))
    const list = await app.test.api<{ items: Shown[] }>('GET', '/api/v1/webhooks')
    assert.ok(list.body.items.some(({ id }) => id === made.id))
    assert.ok(!list.text.includes(url))
    const revealed = await app.test.api<{ endpointUrl: string }>('POST', `/api/v1/webhooks/${made.id}/reveal`)
    assert.equal(revealed.body.endpointUrl, url)
    assert.equal(
      await count(app.db, 'audit_log', `action = 'webhook.revealed' and subject = '${made.id}'`),
      1,
    )
  },
)

verifies('hooks:fields', 'invalid fields are refused with a pointer to each', async () => {
  const app = await sharedApp()
  const pointers = async (fields: Record<string, unknown>) => {
    const body = { name: 'x', channelId: app.channelId, prompt: 'x', active: true, ...fields }
    const answer = await app.test.api<{ errors: { pointer: string }[] }>('POST', '/api/v1/webhooks', body)
    assert.equal(answer.status, 422, answer.text)
    return answer.body.errors.map(({ pointer }) => pointer)
  }
  assert.deepEqual(await pointers({ name: ' ' }), ['/name'])
  assert.deepEqual(await pointers({ prompt: 'a\0b' }), ['/prompt'])
  assert.deepEqual(await pointers({ channelId: 'chan_01890000-0000-7000-8000-000000000000' }), ['/channelId'])
  assert.deepEqual(await pointers({ nonsense: 1 }), ['/nonsense'])
  assert.deepEqual(await pointers({ rateLimit: { perSecond: 0, burst: 1 } }), ['/rateLimit/perSecond'])
  assert.deepEqual(await pointers({ runsPerHour: 2 ** 31 }), ['/runsPerHour'])
  // Saved, they would fail every run.
  assert.deepEqual(await pointers({ model: { provider: 'antropic', name: 'x' } }), ['/model/provider'])
  assert.deepEqual(await pointers({ model: { provider: 'anthropic', name: ' ' } }), ['/model/name'])
  for (const provider of providerShape.options) {
    const model = { provider, name: provider === 'offline' ? '' : 'x' }
    const body = { name: 'x', channelId: app.channelId, prompt: 'x', model }
    assert.equal((await app.test.api('POST', '/api/v1/webhooks', body)).status, 201, provider)
  }
  assert.deepEqual(await pointers({ verification: { preset: 'github' } }), ['/verification/secrets'])
  assert.deepEqual(await pointers({ verification: { preset: 'discord', secrets: ['short'] } }), [
    '/verification/secrets/0',
  ])
  const copied = { preset: 'svix', secrets: ['"whsec_c2VjcmV0c2VjcmV0"'] }
  const body = { name: 'x', channelId: app.channelId, prompt: 'x', verification: copied }
  const { text } = await app.test.api('POST', '/api/v1/webhooks', body)
  assert.match(text, /cannot be read as base64 because of the white space or quotation marks around it/)
  const generic = { preset: 'generic', secrets: ['s'] }
  assert.deepEqual(await pointers({ verification: { ...generic, template: '{ts}' } }), [
    '/verification/template',
  ])
  assert.deepEqual(await pointers({ verification: { ...generic, template: '{body}{nope}' } }), [
    '/verification/template',
  ])
  assert.deepEqual(await pointers({ verification: { ...generic, timestampHeader: 'X-T' } }), [
    '/verification/template',
  ])
})

verifies(
  'hooks:active-or-draft',
  'a webhook is switched on and off at any time and keeps its URL',
  async () => {
    const app = await sharedApp()
    const { id, endpointUrl } = await app.create({ active: false })
    const answers = []
    for (const active of [true, false, true]) {
      await app.test.api('PATCH', `/api/v1/webhooks/${id}`, { active })
      answers.push((await app.post(endpointUrl, '{}')).status)
    }
    assert.deepEqual(answers, [200, 404, 200])
  },
)

verifies(
  ['hooks:fields', 'vault:planted-secrets-stay'],
  'nobody reads a stored secret by letting a test event carry it in a header that is shown',
  async () => {
    const app = await sharedApp()
    const secrets = ['planted-signing-secret']
    const { id } = await app.create({ verification: { preset: 'github', secrets } })
    const change = (patch: object) => app.test.api('PATCH', `/api/v1/webhooks/${id}`, patch)
    for (const [header, patch, status] of [
      ['X-Kind', { exposeHeaders: ['x-kind'] }, 422],
      ['X-Kind', { deliveryId: { header: 'X-Kind' } }, 200],
      ['Idempotency-Key', {}, 200],
      ['X-Secret', { exposeHeaders: ['X-Secret'] }, 200],
    ] as const) {
      const saved = await change({ verification: { preset: 'shared_secret', header }, ...patch })
      assert.equal(saved.status, status, saved.text)
      const tested = await app.test.api<{ eventId: string }>('POST', `/api/v1/webhooks/${id}/test`, {})
      assert.equal(tested.status, 200, tested.text)
      const shown = await app.test.api('GET', `/api/v1/events/${tested.body.eventId}`)
      assert.doesNotMatch(shown.text, /planted/, header)
      // The agent does not get it either.
      const { rows } = await sql`
        select headers, delivery_id from events where source_id = ${id}`.execute(app.db)
      assert.doesNotMatch(JSON.stringify(rows), /planted/, header)
    }
  },
)

verifies(
  'hooks:change-in-force',
  'a change is in force in this process with the answer, and in others soon after',
  async () => {
    const app = await sharedApp()
    await using replica = await startWebhookApp({ quiet: true, databaseUrl: app.test.databaseUrl })
    const { id, endpointUrl } = await app.create()
    const there = endpointUrl.replace(app.test.url, replica.test.url)
    assert.equal((await post(there, '{}')).status, 200)
    for (let n = 0; n < 10; n++) {
      await app.test.api('PATCH', `/api/v1/webhooks/${id}`, { active: n % 2 === 1 })
      assert.equal((await post(endpointUrl, '{}')).status, n % 2 === 1 ? 200 : 404)
    }
    // The best of twenty, since a busy machine is not what is measured here.
    let quickestMs = Number.POSITIVE_INFINITY
    for (let n = 0; n < 20 && quickestMs >= 1000; n++) {
      await app.test.api('PATCH', `/api/v1/webhooks/${id}`, { active: n % 2 === 1 })
      const changedAt = performance.now()
      await until(async () => (await post(there, '{}')).status === (n % 2 === 1 ? 200 : 404))
      quickestMs = Math.min(quickestMs, performance.now() - changedAt)
    }
    assert.ok(quickestMs < 1000, `${quickestMs} ms`)
  },
)

verifies('hooks:rotate-by-delete', 'after delete and create the old URL belongs to no webhook', async () => {
  const app = await sharedApp()
  const old = await app.create()
  assert.equal((await app.test.api('DELETE', `/api/v1/webhooks/${old.id}`)).status, 204)
  const fresh = await app.create()
  assert.equal((await app.post(old.endpointUrl, '{}')).status, 410)
  assert.equal((await app.post(fresh.endpointUrl, '{}')).status, 200)
  assert.equal((await app.test.api('GET', `/api/v1/webhooks/${old.id}`)).status, 404)
  assert.equal((await app.test.api('PATCH', `/api/v1/webhooks/${old.id}`, { active: true })).status, 404)
  assert.equal(await count(app.db, 'webhook_tokens', `webhook_id = '${old.id}' and sealed is not null`), 0)
})

verifies(
  'hooks:rotate-in-place',
  'a rotated URL works beside the old one for the overlap, and its last use is shown',
  async () => {
    const app = await sharedApp()
    const { id, endpointUrl: first } = await app.create()
    const rotated = await app.test.api<Shown>('POST', `/api/v1/webhooks/${id}/rotate`, {
      overlapSeconds: 3600,
    })
    const second = rotated.body.endpointUrl
    assert.notEqual(second, first)
    assert.equal((await app.post(second, '{}')).status, 200)
    const formerUrls = async () =>
      (
        await app.test.get<{ formerUrls: { lastUsedAt: string | null; lastUsedFrom: string | null }[] }>(
          `/api/v1/webhooks/${id}`,
        )
      ).formerUrls
    assert.deepEqual(
      (await formerUrls()).map(({ lastUsedAt }) => lastUsedAt),
      [null],
    )
    assert.equal((await app.post(first, '{}')).status, 200)
    await app.test.app.ctx.webhooks.flush()
    assert.deepEqual(
      (await formerUrls()).map(({ lastUsedFrom }) => lastUsedFrom),
      ['127.0.0.1'],
    )
    await sql`update webhook_tokens set expires_at = now() where webhook_id = ${id} and expires_at is not null`.execute(
      app.db,
    )
    // A change makes the ingress look again.
    await app.test.api('PATCH', `/api/v1/webhooks/${id}`, { name: 'Renamed' })
    assert.equal((await app.post(first, '{}')).body.type, 'webhook-not-found')
    assert.equal((await app.post(second, '{}')).status, 200)

    const third = (await app.test.api<Shown>('POST', `/api/v1/webhooks/${id}/rotate`)).body.endpointUrl
    assert.equal((await app.post(second, '{}')).status, 404)
    assert.equal((await app.post(third, '{}')).status, 200)
  },
)

verifies(
  'verify:secrets-write-only',
  'secrets are sealed, never come back, and are kept until others are given',
  async () => {
    const app = await sharedApp()
    const planted = 'planted-signing-secret'
    const made = await app.create({ verification: { preset: 'shared_secret', secrets: [planted, 'second'] } })
    assert.deepEqual(made.verification, { preset: 'shared_secret', secrets: { set: true, count: 2 } })
    const { rows } = await sql<{ row: string }>`
    select row_to_json(w)::text as row from webhooks w union all select row_to_json(s)::text from webhook_secrets s`.execute(
      app.db,
    )
    assert.ok(!rows.some(({ row }) => row.includes(planted)))
    const patch = (verification: unknown) =>
      app.test.api<Shown>('PATCH', `/api/v1/webhooks/${made.id}`, { verification })
    const opens = async (secret: string, header = 'x-webhook-secret') =>
      (await app.post(made.endpointUrl, '{}', { [header]: secret })).status === 200

    const renamed = await patch({ header: 'X-Other' })
    assert.ok(!renamed.text.includes(planted))
    assert.deepEqual(
      [await opens(planted, 'x-other'), await opens('second', 'x-other'), await opens(planted)],
      [true, true, false],
    )
    await patch({ header: null, secrets: ['third'] })
    assert.deepEqual([await opens('third'), await opens(planted)], [true, false])
    await patch(null)
    assert.equal((await app.post(made.endpointUrl, '{}')).status, 200)
    assert.equal(await count(app.db, 'webhook_secrets', `webhook_id = '${made.id}'`), 0)
  },
)

verifies(
  ['permissions:ceiling-destructive-by-admin', 'hooks:rate-limit-setting'],
  'an operator manages webhooks but gives neither higher limits nor destructive tools; a member sees none',
  async () => {
    const app = await sharedApp()
    const [operator, member] = [await keyOf(app, 'operator'), await keyOf(app, 'member')]
    const body = { name: 'x', channelId: app.channelId, prompt: 'x', active: true }
    const create = (fields: object, key: string) =>
      app.test.api<Shown>('POST', '/api/v1/webhooks', { ...body, ...fields }, { key })
    const made = await create({}, operator)
    assert.deepEqual([made.status, made.body.ceiling], [201, 'write'])
    assert.equal((await create({ ceiling: 'destructive' }, operator)).status, 403)
    assert.equal((await create({ rateLimit: null }, operator)).status, 403)
    const patch = async (fields: object, key?: string) =>
      (await app.test.api('PATCH', `/api/v1/webhooks/${made.body.id}`, fields, key ? { key } : {})).status
    assert.equal(await patch({ rateLimit: { perSecond: 99, burst: 1 } }, operator), 403)
    assert.equal(await patch({ ceiling: 'destructive' }, operator), 403)
    assert.equal(await patch({ rateLimit: { perSecond: 10, burst: 100 }, name: 'same limit' }, operator), 200)
    assert.equal(await patch({ ceiling: 'destructive', rateLimit: { perSecond: 99, burst: 1 } }), 200)
    assert.equal(await patch({ name: 'kept limit and ceiling' }, operator), 200)
    for (const path of ['/api/v1/webhooks', `/api/v1/webhooks/${made.body.id}`, '/api/v1/events']) {
      assert.equal((await app.test.api('GET', path, undefined, { key: member })).status, 403)
    }
  },
)

verifies(
  'hooks:test-event',
  'a test event is signed as configured and goes through the real checks, on drafts too',
  async () => {
    await using app = await startWebhookApp({ quiet: true })
    const presets = [
      'standard_webhooks',
      'github',
      'gitlab',
      'stripe',
      'slack',
      'linear',
      'twilio',
      'zendesk',
      'hubspot',
      'shared_secret',
    ]
    for (const preset of presets) {
      const secrets = [Buffer.from('a secret of thirty-two bytes ok!').toString('base64')]
      const { id } = await app.create({ active: false, verification: { preset, secrets } })
      const answer = await app.test.api<{ eventId: string }>('POST', `/api/v1/webhooks/${id}/test`)
      assert.equal(answer.status, 200, `${preset}: ${answer.text}`)
      const event = await app.test.get<Record<string, unknown>>(`/api/v1/events/${answer.body.eventId}`)
      assert.deepEqual([event.trigger, event.verification, event.webhookId], ['test', 'verified', id], preset)
    }
    const discord = await app.create({ verification: { preset: 'discord', secrets: ['ab'.repeat(32)] } })
    const answer = await app.test.api<{ eventId: string }>('POST', `/api/v1/webhooks/${discord.id}/test`, {
      body: [rawNumber('12345678901234567890'), rawNumber('1.0'), 'own'],
    })
    assert.equal(
      (await app.test.get<Record<string, unknown>>(`/api/v1/events/${answer.body.eventId}`)).verification,
      'test',
    )
    assert.equal(
      (await app.test.api('GET', `/api/v1/events/${answer.body.eventId}/body`)).text,
      '[12345678901234567890,1.0,"own"]',
    )
    const deep = await fetch(`${app.test.url}/api/v1/webhooks/${discord.id}/test`, {
      method: 'POST',
      headers: { authorization: `Bearer ${testApiKey}`, 'content-type': 'application/json' },
      body: `{"body":${'['.repeat(30_000)}${']'.repeat(30_000)}}`,
    })
    assert.equal(deep.status, 400)
    const small = await app.create({ maxBodyBytes: 1000 })
    const sent = (length: number) =>
      app.test.api('POST', `/api/v1/webhooks/${small.id}/test`, { body: 'x'.repeat(length - '""'.length) })
    assert.deepEqual([(await sent(1000)).status, (await sent(1001)).status], [200, 413])
    await app.test.api('PATCH', `/api/v1/webhooks/${small.id}`, { maxBodyBytes: 16 * 1024 * 1024 })
    assert.equal((await sent(1024 * 1024)).status, 200)
    // However much the webhook takes, a test is parsed at once and therefore bounded.
    const large = await sent(2 * 1024 * 1024)
    assert.equal(large.status, 413)
    assert.match(large.text, /The body can have 2097152 bytes at most/)
  },
)

verifies(
  'hooks:refusals-visible',
  'refusals are counted, the last ones kept with their reason, and no credential with them',
  async () => {
    const app = await sharedApp()
    const { id, endpointUrl } = await app.create()
    for (let n = 0; n < 12; n++) await app.post(endpointUrl, '{', { authorization: 'Bearer planted-token' })
    await app.test.app.ctx.webhooks.flush()
    const { text, body } = await app.test.api<{
      items: { problem: string; headers: Record<string, string> }[]
    }>('GET', `/api/v1/webhooks/${id}/refusals`)
    assert.equal(body.items[0]?.problem, 'malformed-json')
    assert.equal(body.items[0]?.headers.authorization, '••••')
    assert.ok(!text.includes('planted-token'))
    assert.equal((await app.test.get<{ refused: number }>(`/api/v1/webhooks/${id}`)).refused, 12)
    // The figures have all of them, though not one event was accepted.
    const { byWebhook } = await app.test.get<Stats>(`/api/v1/stats?hours=24&webhookId=${id}`)
    assert.deepEqual(
      byWebhook.map((row) => [row.webhookId, row.events, row.refusedPerHour.reduce((sum, n) => sum + n, 0)]),
      [[id, 0, 12]],
    )

    // A secret may come in a header whose name does not say so.
    const verification = { preset: 'shared_secret', header: 'X-Shop-Event', secrets: ['planted-secret'] }
    const other = await app.create({ verification })
    await app.post(other.endpointUrl, '{', { 'x-shop-event': 'planted-secret' })
    await app.test.app.ctx.webhooks.flush()
    const kept = await app.test.api('GET', `/api/v1/webhooks/${other.id}/refusals`)
    assert.match(kept.text, /"x-shop-event":"••••"/)
    assert.ok(!kept.text.includes('planted-secret'))
  },
)

verifies(
  ['hooks:refusals-visible', 'hooks:method-405', 'hooks:media-type-415'],
  'a wrong method, a compressed body and a missing type are each told to the sender and listed, with what to do',
  async () => {
    const app = await sharedApp()
    const { id, endpointUrl } = await app.create()
    const compressed = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
    const answers = [
      await fetch(endpointUrl),
      await fetch(endpointUrl, { method: 'PUT', body: '{}' }),
      await fetch(endpointUrl, { method: 'POST', body: '{}', headers: compressed }),
      await fetch(endpointUrl, { method: 'POST', body: '{}' }),
    ]
    const told = await Promise.all(
      answers.map(async (answer) => ((await answer.json()) as { detail: string }).detail),
    )
    assert.match(told[0] ?? '', /^This URL accepts POST, not GET\..*redirect/)
    assert.equal(told[1], 'This URL accepts POST, not PUT.')
    assert.match(told[2] ?? '', /^Compressed bodies are not accepted/)
    assert.match(told[3] ?? '', /^Send JSON with the header/)
    const { items } = await app.test.get<{ items: { reason: string }[] }>(`/api/v1/webhooks/${id}/refusals`)
    // Two in the same millisecond have no order.
    assert.deepEqual(items.map(({ reason }) => reason).toSorted(), told.toSorted())
  },
)

verifies(
  'hooks:refusals-visible',
  'a prefix that no text column can hold costs no webhook the record of its refusals',
  async () => {
    const app = await sharedApp()
    const shared = { preset: 'shared_secret', header: 'X-Key', secrets: ['planted-secret'] }
    const odd = await app.create({ verification: { ...shared, prefix: 'a\0\ud800' } })
    const other = await app.create({ verification: shared })
    for (const { endpointUrl } of [odd, other])
      assert.equal((await app.post(endpointUrl, '{}', { 'x-key': 'wrong' })).status, 401)
    for (const { id } of [odd, other]) {
      const { items } = await app.test.get<{ items: unknown[] }>(`/api/v1/webhooks/${id}/refusals`)
      assert.equal(items.length, 1)
    }
  },
)
