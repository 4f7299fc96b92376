import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { RunSummary } from '../../src/runs/contract.ts'
import { newId } from '../../src/shared/ids.ts'
import { startShop } from '../support/start-shop.ts'
import { startStubOpenai } from '../support/stub-openai.ts'
import { verifies } from '../support/verifies.ts'

verifies(
  'api:sorted-runs',
  'runs that have ended are sorted by cost or duration over all pages, and each names the tools it called',
  async () => {
    const sizes = [2, 5, 1, 4, 3]
    await using model = await startStubOpenai(({ body }) => {
      const size = Number(/calls_wanted\D+(\d)/.exec(body)?.[1])
      const calls = (body.match(/"function_call_output"/g) ?? []).length
      return calls < size
        ? { calls: [{ name: 'shop__get_order', input: { id: `A-${calls}` } }] }
        : { text: 'Done.' }
    })
    await using shop = await startShop({ env: model.env })
    const webhook = await shop.createWebhook()
    const runs = []
    for (const size of sizes) {
      const run = await shop.endedRun((await shop.sendEvent(webhook, { calls_wanted: size })).runId)
      runs.push(run)
      const length = sql`make_interval(secs => ${size})`
      await sql`update runs set ended_at = started_at + ${length} where id = ${run.id}`.execute(
        shop.app.app.ctx.db,
      )
    }
    // What waits has no duration.
    await shop.app.api('PATCH', '/api/v1/settings', { agent: { paused: true } })
    await shop.sendEvent(webhook, { calls_wanted: 1 })
    const pages = async (sort: string) => {
      const found: RunSummary[] = []
      for (let cursor = ''; ; ) {
        const page = await shop.app.get<{ items: RunSummary[]; nextCursor: string | null }>(
          `/api/v1/runs?limit=2&sort=${sort}${cursor}`,
        )
        found.push(...page.items)
        if (page.nextCursor === null) return found
        cursor = `&cursor=${page.nextCursor}`
      }
    }
    const costs = runs.map(({ cost }) => cost).toSorted((a, b) => a - b)
    assert.equal(new Set(costs).size, 5)
    const lengthOf = ({ startedAt, endedAt }: RunSummary) =>
      Math.round((Date.parse(endedAt ?? '') - Date.parse(startedAt ?? '')) / 1000)
    assert.deepEqual(
      (await pages('cost')).map(({ cost }) => cost),
      costs,
    )
    assert.deepEqual(
      (await pages('-cost')).map(({ cost }) => cost),
      costs.toReversed(),
    )
    assert.deepEqual((await pages('duration')).map(lengthOf), [1, 2, 3, 4, 5])
    const longest = await pages('-duration')
    assert.deepEqual(longest.map(lengthOf), [5, 4, 3, 2, 1])
    for (const { calledTools } of longest) assert.deepEqual(calledTools, ['shop__get_order'])
    assert.equal((await shop.app.api('GET', '/api/v1/runs?sort=model')).status, 422)
    // A list goes on after a run that was too old meanwhile.
    for (const sort of ['cost', '-duration']) {
      const [first, ...others] = await pages(sort)
      const { nextCursor } = await shop.app.get<{ nextCursor: string }>(`/api/v1/runs?limit=1&sort=${sort}`)
      await sql`delete from runs where id = ${first?.id}`.execute(shop.app.app.ctx.db)
      const rest = await shop.app.get<{ items: RunSummary[] }>(
        `/api/v1/runs?sort=${sort}&cursor=${nextCursor}`,
      )
      assert.deepEqual(
        rest.items.map(({ id }) => id),
        others.map(({ id }) => id),
        sort,
      )
    }
    for (const place of ['run_none', 'run_none@-1e300', 'run_none@1e999']) {
      const made = Buffer.from(place).toString('base64url')
      for (const sort of ['cost', '-duration'])
        assert.equal(
          (await shop.app.api('GET', `/api/v1/runs?sort=${sort}&cursor=${made}`)).status,
          200,
          place,
        )
    }
  },
)

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
