import assert from 'node:assert/strict'
import { newId } from '../../src/shared/ids.ts'
import { startShop } from '../support/start-shop.ts'
import { startStubOpenai } from '../support/stub-openai.ts'
import { verifies } from '../support/verifies.ts'

verifies('api:find-runs', 'runs are found by the tool they called, their model and their cost', async () => {
  await using model = await startStubOpenai((_request, index) =>
    index === 0 ? { calls: [{ name: 'shop__get_order', input: { id: 'A-1' } }] } : { text: 'Done.' },
  )
  await using shop = await startShop({ env: model.env })
  const webhook = await shop.createWebhook()
  const looked = await shop.endedRun((await shop.sendEvent(webhook, { n: 1 })).runId)
  const plain = await shop.endedRun((await shop.sendEvent(webhook, { n: 2 })).runId)
  const { tools } = await shop.app.get<{ tools: { id: string; name: string }[] }>(
    `/api/v1/connectors/${shop.connectorId}`,
  )
  const idOf = (name: string) => tools.find((tool) => tool.name === name)?.id
  const found = async (query: string) =>
    (await shop.app.get<{ items: { id: string }[] }>(`/api/v1/runs?${query}`)).items.map(({ id }) => id)
  assert.deepEqual(await found(`toolId=${idOf('get_order')}`), [looked.id])
  assert.deepEqual(await found(`toolId=${newId('tool')}`), [])
  assert.deepEqual(await found(`model=${model.env.MODEL_NAME}`), [plain.id, looked.id])
  assert.deepEqual(await found('model=another'), [])
  // Two steps cost more than one.
  assert.ok(looked.cost > plain.cost && plain.cost > 0)
  assert.deepEqual(await found(`minCost=${looked.cost}`), [looked.id])
  assert.deepEqual(await found('minCost=0'), [plain.id, looked.id])
  for (const query of ['toolId=x', 'minCost=much', 'minCost=-1']) {
    assert.equal((await shop.app.api('GET', `/api/v1/runs?${query}`)).status, 422, query)
  }
})
