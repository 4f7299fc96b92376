import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { pruneEvents } from '../../src/events/ledger/prune-events.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'
import { noteDeletions } from './note-deletions.ts'
import { countEvents, post, startWebhookApp, type WebhookApp } from './start-webhook-app.ts'

const sharedApp = shareInFile(() => startWebhookApp({ quiet: true }))

verifies(
  ['hooks:duplicate-window', 'hooks:refused-leaves-no-trace'],
  'after a restart a delivery is still known, and one that was refused for its rate is still unknown',
  async () => {
    await using database = await createTestDatabase()
    const options = { quiet: true, databaseUrl: database.url }
    let path = ''
    let id = ''
    {
      await using app = await startWebhookApp(options)
      const webhook = await app.create({ rateLimit: { perSecond: 0.001, burst: 1 } })
      path = new URL(webhook.endpointUrl).pathname
      id = webhook.id
      const kept = await app.post(webhook.endpointUrl, '{}', { 'webhook-id': 'kept' })
      assert.equal(kept.body.status, 'accepted')
      const refused = await app.post(webhook.endpointUrl, '{}', { 'webhook-id': 'refused' })
      assert.equal(refused.status, 429)
    }
    await using app = await startWebhookApp(options)
    const send = (key: string) => app.post(new URL(path, app.test.url).href, '{}', { 'webhook-id': key })
    assert.equal((await send('kept')).body.status, 'duplicate')
    assert.equal((await send('refused')).status, 429, 'the quota is as it was')
    await app.test.api('PATCH', `/api/v1/webhooks/${id}`, { rateLimit: null })
    assert.equal((await send('refused')).body.status, 'accepted')
    assert.equal(await countEvents(app, id), 2)
  },
)

verifies(
  'events:retention',
  'old events are deleted in small transactions while new ones are accepted',
  async () => {
    const app = await sharedApp()
    const { id, endpointUrl } = await app.create()
    await sql`
      insert into events (id, source_id, run_id, status, received_at, settled_at, sender_address, headers, verification, size_bytes, body)
      select 'evt_' || n.id, ${id}, 'run_' || n.id, 'done', now() - interval '31 days', now() - interval '31 days', '127.0.0.1', '{}', 'off', 2, '{}'
      from (select '00000000-0000-7000-8000-' || lpad(n::text, 12, '0') as id from generate_series(1, 5201) n) n`.execute(
      app.db,
    )
    // However old, unfinished events are kept.
    await sql`update events set status = 'accepted', settled_at = null where source_id = ${id} and id like '%0001'`.execute(
      app.db,
    )
    const deletions = await noteDeletions(app.db, 'events')

    let pruned = false
    const pruning = pruneEvents(app.test.app.ctx).then(() => {
      pruned = true
    })
    let sent = 0
    while (!pruned || sent === 0) {
      assert.equal((await app.post(endpointUrl, `{"n":${sent}}`)).status, 200)
      sent++
    }
    await pruning
    assert.equal(await countEvents(app, id), sent + 1)
    assert.deepEqual(await deletions(), [...Array.from({ length: 10 }, () => 500), 200])
  },
)

verifies(
  'hooks:change-in-force',
  'another process learns of new secrets, limits, a rotated URL and a deletion, even after it lost its connection',
  async () => {
    const app = await sharedApp()
    await using replica = await startWebhookApp({ quiet: true, databaseUrl: app.test.databaseUrl })
    const { id, endpointUrl } = await app.create()
    const there = (url: string) => url.replace(app.test.url, replica.test.url)
    const change = (fields: object) => app.test.api('PATCH', `/api/v1/webhooks/${id}`, fields)
    const answers = (url: string, status: number, headers = {}) =>
      until(async () => {
        return (await post(there(url), '{}', headers)).status === status
      })
    assert.equal((await post(there(endpointUrl), '{}')).status, 200)

    await change({ verification: { preset: 'shared_secret', secrets: ['first'] } })
    await answers(endpointUrl, 401)
    await answers(endpointUrl, 200, { 'x-webhook-secret': 'first' })
    await change({ verification: { secrets: ['second', 'first'] } })
    await answers(endpointUrl, 200, { 'x-webhook-secret': 'second' })
    assert.equal((await post(there(endpointUrl), '{}', { 'x-webhook-secret': 'first' })).status, 200)
    await change({ verification: { secrets: ['second'] } })
    await answers(endpointUrl, 401, { 'x-webhook-secret': 'first' })
    await change({ verification: null, maxBodyBytes: 1 })
    await answers(endpointUrl, 413)

    // Notifications in between are lost with the listening connection.
    await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'bellhop notifications'`.execute(app.db)
    await change({ maxBodyBytes: 100 })
    await answers(endpointUrl, 200)

    const rotated = await app.test.api<{ endpointUrl: string }>('POST', `/api/v1/webhooks/${id}/rotate`)
    await answers(endpointUrl, 404)
    await answers(rotated.body.endpointUrl, 200)
    await app.test.api('DELETE', `/api/v1/webhooks/${id}`)
    await answers(rotated.body.endpointUrl, 410)
  },
)

verifies(
  'config:trusted-proxies',
  'the source of an event is what a trusted proxy says, and nobody else is believed',
  async () => {
    const sourceOf = async (app: WebhookApp, forwarded: string) => {
      const { id, endpointUrl } = await app.create()
      await app.post(endpointUrl, '{}', { 'x-forwarded-for': forwarded })
      const { items } = await app.test.get<{ items: { source: { address: string } }[] }>(
        `/api/v1/events?webhookId=${id}`,
      )
      return items[0]?.source.address
    }
    const startBehind = (proxies: string) =>
      startWebhookApp({ quiet: true, env: { TRUSTED_PROXIES: proxies } })
    assert.equal(await sourceOf(await sharedApp(), '203.0.113.9'), '127.0.0.1')
    await using elsewhere = await startBehind('10.0.0.0/8')
    assert.equal(await sourceOf(elsewhere, '203.0.113.9'), '127.0.0.1')
    await using behind = await startBehind('127.0.0.1,10.0.0.0/8')
    assert.equal(await sourceOf(behind, '198.51.100.1, 203.0.113.9, 10.1.2.3'), '203.0.113.9')
    assert.equal(await sourceOf(behind, 'not an address'), '127.0.0.1')
  },
)
