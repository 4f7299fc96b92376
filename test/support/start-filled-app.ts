import assert from 'node:assert/strict'
import { admin } from './browser.ts'
import { general, startShop } from './start-shop.ts'
import { startStubOpenai } from './stub-openai.ts'

/** An app with something on every page: a pending approval, a failed run, replies, threads, refusals. `text` is used wherever people may write. */
export async function startFilledApp({ text }: { text: string }) {
  await using stack = new AsyncDisposableStack()
  const model = stack.use(
    await startStubOpenai((_request, index) => {
      if (index === 0) return { calls: [{ name: 'shop__get_order', input: { id: 'A-1' } }], text }
      if (index === 1) return { text: `Reply: ${text}` }
      if (index === 2) return { calls: [{ name: 'shop__refund', input: { id: text } }], text }
      return { text: `Later: ${text}` }
    }),
  )
  const shop = stack.use(
    await startShop({
      admin,
      env: model.env,
      answer: (_request, response) => {
        response.setHeader('content-type', 'application/json').end(JSON.stringify({ note: text }))
      },
    }),
  )
  const { app } = shop
  const webhook = await shop.createWebhook({ name: text.slice(0, 190), prompt: text })
  const first = await shop.sendEvent(webhook, { event: text, id: 'A-1' })
  await shop.endedRun(first.runId)
  const second = await shop.sendEvent(webhook, { event: text, id: 'A-2' })
  await shop.runWhen(second.runId, ({ status }) => status === 'waiting')
  const refused = await fetch(webhook.endpointUrl, { method: 'POST', body: 'no json' })
  assert.ok(refused.status >= 400)
  const message = await app.api<{ id: string }>('POST', `/api/v1/channels/${general}/messages`, { text })
  assert.equal(message.status, 201, message.text)
  await app.api('PUT', `/api/v1/messages/${message.body.id}/reactions/tada`)
  await app.api('POST', '/api/v1/api-keys', { name: text.slice(0, 90), role: 'member' })
  await app.api('PATCH', '/api/v1/settings', { agent: { instructions: text } })
  const tools = (await app.get<{ tools: { id: string }[] }>(`/api/v1/connectors/${shop.connectorId}`)).tools
  const approvals = await app.get<{ items: { id: string }[] }>('/api/v1/approvals')
  const opened = stack.move()
  return {
    app,
    /** Every page, with something on it. */
    paths: [
      '/',
      '/start',
      `/start?step=3&webhook=${webhook.id}`,
      `/channels/${general}`,
      `/channels/${general}?thread=${message.body.id}`,
      '/webhooks',
      '/webhooks/new',
      `/webhooks/${webhook.id}`,
      `/webhooks/${webhook.id}?tab=settings`,
      `/webhooks/${webhook.id}?tab=events`,
      `/webhooks/${webhook.id}?tab=refused`,
      `/webhooks/${webhook.id}?tab=history&revision=1`,
      '/rehearsals',
      '/connectors',
      '/connectors/new',
      '/connectors/new?type=mcp',
      '/connectors/import',
      `/connectors/${shop.connectorId}`,
      `/connectors/${shop.connectorId}?tab=settings`,
      `/connectors/${shop.connectorId}/tools/new`,
      `/connectors/${shop.connectorId}/tools/${tools[0]?.id}`,
      '/runs',
      '/runs?status=failed',
      `/runs/${first.runId}`,
      `/runs/${second.runId}`,
      '/approvals',
      '/approvals?show=history',
      `/approvals/${approvals.items[0]?.id}`,
      '/events',
      `/events/${first.eventId}`,
      ...[
        'agent',
        'model',
        'workspaces',
        'users',
        'groups',
        'sign-in',
        'keys',
        'limits',
        'history',
        'audit',
        'account',
        'sessions',
        'about',
      ].map((tab) => `/settings/${tab}`),
      '/no/such/page',
    ],
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}
