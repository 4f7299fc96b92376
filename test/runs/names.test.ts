import assert from 'node:assert/strict'
import type { ApprovalShape } from '../../src/approvals/contract.ts'
import type { EventShape } from '../../src/events/contract.ts'
import type { RunSummary } from '../../src/runs/contract.ts'
import type { Stats } from '../../src/status/contract.ts'
import type { WebhookShape } from '../../src/webhooks/contract.ts'
import { join } from '../accounts/visitor.ts'
import { startShop } from '../support/start-shop.ts'
import { startStubOpenai } from '../support/stub-openai.ts'
import { verifies } from '../support/verifies.ts'

type Page<T> = { items: T[] }

verifies(
  'api:shapes',
  'rows say what their webhook and channel are called now, and nothing of a webhook or a channel that is deleted',
  async () => {
    await using model = await startStubOpenai(() => ({
      calls: [{ name: 'shop__refund', input: { id: 'A-1' } }],
      text: '',
    }))
    await using shop = await startShop({ env: model.env })
    const { app } = shop
    const room = await app.api<{ id: string }>('POST', '/api/v1/channels', { name: 'orders' })
    const webhook = await shop.createWebhook({ channelId: room.body.id })
    const { runId, eventId } = await shop.sendEvent(webhook)
    await shop.runWhen(runId, ({ status }) => status === 'waiting')
    await app.api('PATCH', `/api/v1/webhooks/${webhook.id}`, { name: 'Paid orders' })
    await app.api('PATCH', `/api/v1/channels/${room.body.id}`, { name: 'paid' })

    const first = async <T>(path: string) => (await app.get<Page<T>>(`/api/v1${path}`)).items[0]
    const one = <T>(path: string) => app.get<T>(`/api/v1${path}`)
    const expected = { webhookName: 'Paid orders', channelName: '#paid' }
    for (const run of [await first<RunSummary>('/runs'), await one<RunSummary>(`/runs/${runId}`)]) {
      assert.deepEqual({ webhookName: run?.webhookName, channelName: run?.channelName }, expected)
    }
    assert.equal((await first<EventShape>('/events'))?.webhookName, 'Paid orders')
    assert.equal((await first<EventShape>('/events?text=A-1'))?.webhookName, 'Paid orders')
    assert.equal((await one<EventShape>(`/events/${eventId}`)).webhookName, 'Paid orders')
    assert.equal((await first<WebhookShape>('/webhooks'))?.channelName, '#paid')
    const approval = await first<ApprovalShape>('/approvals')
    assert.equal(approval?.channelName, '#paid')
    const denied = await app.api<ApprovalShape>('POST', `/api/v1/approvals/${approval?.id}/deny`)
    assert.deepEqual([denied.body.status, denied.body.channelName], ['denied', '#paid'])
    const { visitor } = await join(app, 'member')
    assert.equal((await one<Stats>('/stats')).byWebhook[0]?.webhookName, 'Paid orders')
    assert.equal((await visitor.send<Stats>('GET', '/stats')).body.byWebhook[0]?.webhookName, null)

    await app.api('DELETE', `/api/v1/webhooks/${webhook.id}`)
    assert.equal((await first<RunSummary>('/runs'))?.webhookName, null)
    assert.equal((await one<EventShape>(`/events/${eventId}`)).webhookName, null)

    assert.equal((await app.api('DELETE', `/api/v1/channels/${room.body.id}`)).status, 204)
    assert.equal((await one<RunSummary>(`/runs/${runId}`)).channelName, null)
    assert.equal((await one<ApprovalShape>(`/approvals/${approval?.id}`)).channelName, null)
  },
)
