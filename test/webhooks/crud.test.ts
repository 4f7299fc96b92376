import assert from 'node:assert/strict'
import { startTestApp } from '../support/start-test-app.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

type Webhook = { id: string; name: string; active: boolean; endpointUrl: string; prompt: string }
type List<T> = { items: T[]; nextCursor: string | null }

verifies(
  ['api:webhooks-crud', 'api:filters', 'api:merge-patch'],
  'a webhook is created, read, changed, listed and deleted, and lists are filtered by what belongs to it',
  async () => {
    await using app = await startTestApp()
    const channel = await app.api<{ id: string }>('POST', '/api/v1/channels', { name: 'orders' })
    const elsewhere = await app.api<{ id: string }>('POST', '/api/v1/channels', { name: 'parcels' })
    const create = async (name: string, channelId = channel.body.id) => {
      const answer = await app.api<Webhook>('POST', '/api/v1/webhooks', {
        name,
        channelId,
        prompt: 'Say it.',
      })
      assert.equal(answer.status, 201, answer.text)
      return answer.body
    }
    const [one, two] = [await create('One'), await create('Two')]
    const other = await create('Other', elsewhere.body.id)
    assert.match(one.endpointUrl, /\/hooks\/whk_[\w-]{43}$/)
    const read = await app.get<Webhook>(`/api/v1/webhooks/${one.id}`)
    assert.equal(read.name, 'One')
    assert.notEqual(read.endpointUrl, one.endpointUrl)
    const changed = await app.api<Webhook>('PATCH', `/api/v1/webhooks/${one.id}`, { prompt: 'Say less.' })
    assert.deepEqual([changed.body.prompt, changed.body.name], ['Say less.', 'One'])
    await app.api('PATCH', `/api/v1/webhooks/${one.id}`, { ceiling: 'read', exposeHeaders: ['X-One'] })
    const reset = { ceiling: null, exposeHeaders: null, allowSilence: null, maxBodyBytes: null }
    const { body } = await app.api('PATCH', `/api/v1/webhooks/${one.id}`, reset)
    assert.deepEqual(
      [body.ceiling, body.exposeHeaders, body.allowSilence, body.maxBodyBytes],
      ['write', [], false, 1024 * 1024],
    )
    const nowhere = { connectorIds: ['con_01999999-9999-7999-8999-999999999999'] }
    const refused = await app.api<{ errors: { pointer: string }[] }>(
      'PATCH',
      `/api/v1/webhooks/${one.id}`,
      nowhere,
    )
    assert.deepEqual([refused.status, refused.body.errors[0]?.pointer], [422, '/connectorIds/0'])

    for (const webhook of [one, two, two, other]) {
      const answer = await fetch(webhook.endpointUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      })
      assert.equal(answer.status, 200)
    }
    const count = async (path: string) => (await app.get<List<unknown>>(path)).items.length
    await until(async () => (await count('/api/v1/runs?status=succeeded')) === 4)
    assert.equal(await count(`/api/v1/events?webhookId=${two.id}`), 2)
    assert.equal(await count(`/api/v1/events?webhookId=${two.id}&status=done`), 2)
    assert.equal(await count(`/api/v1/events?status=dead`), 0)
    assert.equal(await count(`/api/v1/runs?webhookId=${one.id}`), 1)
    assert.equal(await count(`/api/v1/runs?channelId=${channel.body.id}`), 3)
    assert.equal(await count(`/api/v1/runs?channelId=${elsewhere.body.id}`), 1)
    assert.equal(await count(`/api/v1/runs?webhookId=${two.id}&channelId=${elsewhere.body.id}`), 0)
    assert.equal(await count(`/api/v1/webhooks?channelId=${elsewhere.body.id}`), 1)
    assert.equal(await count(`/api/v1/events?channelId=${channel.body.id}`), 3)
    assert.equal(await count(`/api/v1/events?channelId=${elsewhere.body.id}&status=done`), 1)
    const [event] = (await app.get<List<{ id: string; runId: string }>>('/api/v1/events')).items
    const ofRun = await app.get<List<{ id: string }>>(`/api/v1/events?runId=${event?.runId}`)
    assert.deepEqual(
      ofRun.items.map(({ id }) => id),
      [event?.id],
    )
    const runs = `/api/v1/runs?runId=${event?.runId}`
    assert.deepEqual([await count(runs), await count(`${runs}&status=failed`)], [1, 0])
    const messages = `/api/v1/channels/${elsewhere.body.id}/messages`
    assert.deepEqual(
      [await count(`${messages}?runId=${event?.runId}`), await count(`${messages}?runId=run_0`)],
      [1, 0],
    )
    const first = await app.get<List<{ id: string }>>('/api/v1/events?limit=2')
    const rest = await app.get<List<{ id: string }>>(`/api/v1/events?limit=2&cursor=${first.nextCursor}`)
    assert.equal(new Set([...first.items, ...rest.items].map(({ id }) => id)).size, 4)
    assert.equal((await app.api('GET', '/api/v1/events?limit=101')).status, 422)

    assert.equal((await app.api('DELETE', `/api/v1/webhooks/${one.id}`)).status, 204)
    assert.equal((await app.api('GET', `/api/v1/webhooks/${one.id}`)).status, 404)
    assert.equal((await fetch(one.endpointUrl, { method: 'POST', body: '{}' })).status, 410)
  },
)
