import assert from 'node:assert/strict'
import { startTestApp } from '../support/start-test-app.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

type Webhook = { id: string; name: string; active: boolean; endpointUrl: string; prompt: string }
type List<T> = { items: T[]; nextCursor: string | null }

verifies(
  ['api:webhooks-crud', 'api:filters'],
  'a webhook is created, read, changed, listed and deleted, and lists are filtered by what belongs to it',
  async () => {
    await using app = await startTestApp()
    const channel = await app.api<{ id: string }>('POST', '/api/v1/channels', { name: 'orders' })
    const create = async (name: string) => {
      const answer = await app.api<Webhook>('POST', '/api/v1/webhooks', {
        name,
        channelId: channel.body.id,
        prompt: 'Say it.',
      })
      assert.equal(answer.status, 201, answer.text)
      return answer.body
    }
    const [one, two] = [await create('One'), await create('Two')]
    assert.match(one.endpointUrl, /\/hooks\/whk_[\w-]{43}$/)
    const read = await app.get<Webhook>(`/api/v1/webhooks/${one.id}`)
    assert.equal(read.name, 'One')
    assert.notEqual(read.endpointUrl, one.endpointUrl)
    const changed = await app.api<Webhook>('PATCH', `/api/v1/webhooks/${one.id}`, { prompt: 'Say less.' })
    assert.deepEqual([changed.body.prompt, changed.body.name], ['Say less.', 'One'])

    for (const webhook of [one, two, two]) {
      const answer = await fetch(webhook.endpointUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      })
      assert.equal(answer.status, 200)
    }
    const count = async (path: string) => (await app.get<List<unknown>>(path)).items.length
    await until(async () => (await count('/api/v1/runs?status=succeeded')) === 3, 20_000)
    assert.equal(await count(`/api/v1/events?webhookId=${two.id}`), 2)
    assert.equal(await count(`/api/v1/events?webhookId=${two.id}&status=done`), 2)
    assert.equal(await count(`/api/v1/events?status=dead`), 0)
    assert.equal(await count(`/api/v1/runs?webhookId=${one.id}`), 1)
    assert.equal(await count(`/api/v1/runs?channelId=${channel.body.id}`), 3)
    assert.equal(await count('/api/v1/approvals?runId=run_none'), 0)
    const first = await app.get<List<{ id: string }>>('/api/v1/events?limit=2')
    const rest = await app.get<List<{ id: string }>>(`/api/v1/events?limit=2&cursor=${first.nextCursor}`)
    assert.equal(new Set([...first.items, ...rest.items].map(({ id }) => id)).size, 3)
    assert.equal((await app.api('GET', '/api/v1/events?limit=101')).status, 422)

    assert.equal((await app.api('DELETE', `/api/v1/webhooks/${one.id}`)).status, 204)
    assert.equal((await app.api('GET', `/api/v1/webhooks/${one.id}`)).status, 404)
    assert.equal((await fetch(one.endpointUrl, { method: 'POST', body: '{}' })).status, 410)
  },
)
