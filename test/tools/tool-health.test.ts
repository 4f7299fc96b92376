import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { ConnectorHealth, ToolHealth } from '../../src/tools/contract.ts'
import { startShop } from '../support/start-shop.ts'
import { startStubOpenai } from '../support/stub-openai.ts'
import { verifies } from '../support/verifies.ts'

verifies(
  'connectors:tool-health',
  'a tool has its calls, errors and times by hour; what waited for an admin was not slow; the hosts are counted',
  async () => {
    await using model = await startStubOpenai([
      { calls: [{ name: 'shop__get_order', input: { id: 'A-1' } }] },
      { calls: [{ name: 'shop__get_order', input: { id: 'A-2' } }] },
      { calls: [{ name: 'shop__refund', input: { id: 'A-1' } }] },
      { text: 'Done.' },
    ])
    await using shop = await startShop({
      env: model.env,
      answer: ({ url }, response) => void response.writeHead(url === '/orders/A-2' ? 404 : 200).end('{}'),
    })
    const health = () => shop.app.get<ToolHealth>(`/api/v1/connectors/${shop.connectorId}/tool-health`)
    assert.deepEqual((await health()).items, [])
    const { runId } = await shop.sendEvent(await shop.createWebhook())
    await shop.runWhen(runId, ({ status }) => status === 'waiting')
    const { tools } = await shop.app.get<{ tools: { id: string; name: string }[] }>(
      `/api/v1/connectors/${shop.connectorId}`,
    )
    const idOf = (name: string) => tools.find((tool) => tool.name === name)?.id
    assert.deepEqual(
      (await health()).items.map(({ toolId }) => toolId),
      [idOf('get_order')],
      'a call that waits was not sent',
    )
    const { items } = await shop.app.get<{ items: { id: string; createdAt: string }[] }>('/api/v1/approvals')
    await shop.app.api('POST', `/api/v1/approvals/${items[0]?.id}/approve`)
    await shop.endedRun(runId)
    const found = await health()
    const [reads, refund] = found.items
    assert.deepEqual(
      [reads?.calls, reads?.errors, reads?.lastError?.status, reads?.lastError?.runId],
      [2, 1, 404, runId],
    )
    assert.deepEqual(
      [refund?.toolId, refund?.calls, refund?.errors, refund?.lastError],
      [idOf('refund'), 1, 0, null],
    )
    assert.ok((reads?.seconds.p95 ?? 0) >= (reads?.seconds.p50 ?? 1))
    const sum = (numbers: number[] = []) => numbers.reduce((total, count) => total + count, 0)
    assert.deepEqual(
      [reads?.perHour.ok.length, sum(reads?.perHour.ok), sum(reads?.perHour.failed)],
      [48, 1, 1],
    )
    assert.deepEqual(found.hosts, [{ host: new URL(shop.target.origin).host, calls: 3, refused: 0 }])
    const all = await shop.app.get<ConnectorHealth>('/api/v1/connector-health')
    assert.deepEqual(
      all.items.map(({ connectorId, calls, errors, lastCalledAt }) => [
        connectorId,
        calls,
        errors,
        lastCalledAt === null,
      ]),
      [[shop.connectorId, 3, 1, false]],
    )
  },
)

verifies('connectors:tool-health', 'a host that the egress refuses is counted as refused', async () => {
  await using model = await startStubOpenai([
    { calls: [{ name: 'shop__get_order', input: { id: 'A-1' } }] },
    { text: 'The address is blocked.' },
  ])
  await using shop = await startShop({ env: model.env })
  // As if the exception for the address had been removed after the connector was saved.
  await sql`update connectors set base_url = 'http://10.0.0.1'`.execute(shop.app.app.ctx.db)
  const { runId } = await shop.sendEvent(await shop.createWebhook())
  await shop.endedRun(runId)
  const { hosts, items } = await shop.app.get<ToolHealth>(
    `/api/v1/connectors/${shop.connectorId}/tool-health`,
  )
  assert.deepEqual(hosts, [{ host: '10.0.0.1', calls: 0, refused: 1 }])
  assert.deepEqual([items[0]?.errors, items[0]?.lastError?.code], [1, 'blocked_address'])
})
