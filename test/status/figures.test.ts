import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { Figure } from '../../src/status/figures/contract.ts'
import { rollDays } from '../../src/status/figures/roll-days.ts'
import { startShop } from '../support/start-shop.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

verifies(
  'api:figures',
  'what ran is counted by webhook, schedule, tool, model and channel, with approvals and thumbs, also as CSV; rehearsals are not',
  async () => {
    await using model = await startStubAnthropic(({ body }) => {
      if (body.includes('A-3')) return { status: 400, message: 'no' }
      if (body.includes('tool_result')) return { text: 'Done.' }
      const read = { name: 'shop__get_order', input: { id: 'A-1' } }
      return {
        calls: [read, ...(body.includes('A-2') ? [{ name: 'shop__refund', input: { id: 'A-2' } }] : [])],
      }
    })
    await using shop = await startShop({
      env: model.env,
      answer: ({ method }, response) => {
        response.statusCode = method === 'GET' ? 200 : 500
        response.setHeader('content-type', 'application/json').end('{}')
      },
    })
    const { app } = shop
    // A name that a spreadsheet would take for a formula.
    const webhook = await shop.createWebhook({ name: '=Orders, "all"' })
    const decide = async (how: 'approve' | 'deny') => {
      const { runId } = await shop.sendEvent(webhook, { id: 'A-2' })
      const waiting = await shop.runWhen(runId, ({ status }) => status === 'waiting')
      const { approvalId } = waiting.toolCalls.find((call) => call.approvalId) ?? {}
      assert.equal((await app.api('POST', `/api/v1/approvals/${approvalId}/${how}`, {})).status, 200)
      return await shop.endedRun(runId)
    }
    const plain = await shop.endedRun((await shop.sendEvent(webhook, { id: 'A-1' })).runId)
    const runs = [plain, await decide('approve'), await decide('deny')]
    assert.equal((await shop.endedRun((await shop.sendEvent(webhook, { id: 'A-3' })).runId)).status, 'failed')
    await app.api('PUT', `/api/v1/runs/${plain.id}/thumb`, { thumb: 'up' })
    await app.api('PUT', `/api/v1/runs/${runs[1]?.id}/thumb`, { thumb: 'down' })
    const rehearsal = await app.api<{ id: string }>('POST', '/api/v1/rehearsals', {
      target: { webhookId: webhook.id },
      budget: 5,
      reads: 'live',
    })
    const path = `/api/v1/rehearsals/${rehearsal.body.id}`
    await until(async () => (await app.get<{ endedAt: string | null }>(path)).endedAt !== null)

    await rollDays(app.app.ctx, 0)
    const read = async (by: string) =>
      (await app.get<{ items: Figure[] }>(`/api/v1/figures?by=${by}&days=7`)).items
    const figures = async (by: string) =>
      (await read(by)).map(({ name, calls, failed, approvals, thumbs }) => [
        name,
        calls,
        failed,
        approvals.asked,
        approvals.denied,
        thumbs.up,
        thumbs.down,
      ])
    const name = '=Orders, "all"'
    assert.deepEqual(await figures('webhook'), [[name, 4, 1, 2, 1, 1, 1]])
    assert.deepEqual(await figures('channel'), [['#general', 4, 1, 2, 1, 1, 1]])
    assert.deepEqual(await figures('model'), [['claude-sonnet-4-5', 4, 1, 2, 1, 1, 1]])
    assert.deepEqual(await figures('revision'), [[`${name}, revision 1`, 4, 1, 2, 1, 1, 1]])
    assert.deepEqual(await figures('schedule'), [])
    assert.deepEqual(await figures('tool'), [
      ['shop__get_order', 3, 0, 0, 0, 1, 1],
      // The denied one was never sent.
      ['shop__refund', 1, 1, 2, 1, 0, 1],
    ])
    const [own] = await read('webhook')
    const cost = [...runs].reduce((sum, run) => sum + run.cost, 0)
    assert.ok(Math.abs((own?.cost ?? 0) - cost) < 1e-9 && cost > 0)
    assert.ok((own?.p95Seconds ?? 0) > 0)
    assert.deepEqual(
      (await read('tool')).map((tool) => tool.cost),
      [null, null],
    )

    const csv = await app.api('GET', '/api/v1/figures/csv?by=webhook')
    assert.match(csv.headers.get('content-disposition') ?? '', /figures-by-webhook\.csv/)
    const [head, row] = csv.text.split('\r\n')
    assert.match(head ?? '', /^name,id,calls,failed,p95_seconds,cost_usd,approvals_asked/)
    assert.ok(row?.startsWith(`"'=Orders, ""all""",${webhook.id},4,1,`), row)

    // A deleted webhook keeps its figures without its name, and only days that are kept whole count.
    await app.api('DELETE', `/api/v1/webhooks/${webhook.id}`)
    await until(async () => (await read('webhook'))[0]?.name === null)
    const { db } = app.app.ctx
    const later = { ...app.app.ctx, now: () => new Date(Date.now() + 31 * 86_400_000) }
    await rollDays(later, 0)
    assert.deepEqual((await sql`select from day_figures`.execute(db)).rows, [])
    assert.equal((await app.api('GET', '/api/v1/figures?by=moon')).status, 422)
  },
)

verifies(
  'api:figures',
  'runs of the offline agent have a row by model, whose runs and thumbs are found by it',
  async () => {
    await using shop = await startShop()
    const { runId } = await shop.sendEvent(await shop.createWebhook())
    await shop.endedRun(runId)
    await shop.app.api('PUT', `/api/v1/runs/${runId}/thumb`, { thumb: 'up' })
    await rollDays(shop.app.app.ctx, 0)
    const { items } = await shop.app.get<{ items: Figure[] }>('/api/v1/figures?by=model')
    assert.deepEqual(
      items.map(({ id, name, calls, thumbs }) => [id, name, calls, thumbs.up]),
      [['offline', 'offline (no language model)', 1, 1]],
    )
    const runs = await shop.app.get<{ items: { id: string }[] }>('/api/v1/runs?model=offline')
    assert.deepEqual(
      runs.items.map(({ id }) => id),
      [runId],
    )
    const others = await shop.app.get<{ items: object[] }>('/api/v1/runs?model=gpt-5-mini')
    assert.deepEqual(others.items, [])
  },
)

verifies(
  'api:figures',
  'a run that ends later is counted in the day in which it was asked for, once',
  async () => {
    await using model = await startStubAnthropic(() => ({ text: 'Done.' }))
    await using shop = await startShop({ env: model.env })
    const { ctx } = shop.app.app
    const webhook = await shop.createWebhook()
    const calls = async () => {
      await rollDays(ctx, 0)
      const { items } = await shop.app.get<{ items: Figure[] }>('/api/v1/figures?by=webhook')
      return items[0]?.calls
    }
    await shop.endedRun((await shop.sendEvent(webhook)).runId)
    assert.equal(await calls(), 1)
    assert.equal(await calls(), 1)
    await shop.endedRun((await shop.sendEvent(webhook, { id: 2 })).runId)
    await until(async () => (await calls()) === 2)
  },
)
