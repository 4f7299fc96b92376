import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { ListedWebhook } from '../../src/webhooks/contract.ts'
import { startShop } from '../support/start-shop.ts'
import { startStubOpenai } from '../support/stub-openai.ts'
import { verifies } from '../support/verifies.ts'

verifies(
  'api:sorted-webhooks',
  'webhooks are sorted over all pages, what is paused or fails first if asked for, and each says what it did in a day',
  async () => {
    await using model = await startStubOpenai(({ body }) =>
      body.includes('broken') ? { status: 400, message: 'no' } : { text: 'Done.' },
    )
    await using shop = await startShop({ env: model.env })
    const { app } = shop
    const failing = await shop.createWebhook({ name: 'Watch 10' })
    const half = await shop.createWebhook({ name: 'watch 9' })
    const paused = await shop.createWebhook({ name: 'Élan' })
    const inactive = await shop.createWebhook({ name: 'Alpha', active: false })
    const fine = await shop.createWebhook({ name: 'Zebra' })
    await shop.createWebhook({ name: 'Quiet' })
    for (const [webhook, body] of [
      [fine, 'fine'],
      [half, 'fine'],
      [half, 'broken'],
      [failing, 'broken'],
    ] as const)
      await shop.endedRun((await shop.sendEvent(webhook, { body })).runId)
    await sql`update webhooks set paused_at = now(), pause_reason = 'Its budget is used up' where id = ${paused.id}`.execute(
      app.app.ctx.db,
    )

    const page = (query: string) =>
      app.get<{ items: ListedWebhook[]; nextCursor: string | null }>(`/api/v1/webhooks?${query}`)
    const sorted = async (sort: string) => {
      const found: ListedWebhook[] = []
      for (let cursor = ''; ; ) {
        const { items, nextCursor } = await page(`limit=2&sort=${sort}${cursor}`)
        found.push(...items)
        if (nextCursor === null) return found.map(({ name }) => name)
        cursor = `&cursor=${nextCursor}`
      }
    }
    // The rest is no trouble: newest first.
    const byTrouble = ['Élan', 'Watch 10', 'watch 9', 'Quiet', 'Zebra', 'Alpha']
    assert.deepEqual(await sorted('trouble'), byTrouble)
    const byName = ['Alpha', 'Élan', 'Quiet', 'watch 9', 'Watch 10', 'Zebra']
    assert.deepEqual(await sorted('name'), byName)
    assert.deepEqual(await sorted('-name'), byName.toReversed())
    // What has no success rate, and what never had an event, comes last either way.
    const never = ['Quiet', 'Alpha', 'Élan']
    assert.deepEqual(await sorted('success'), ['Watch 10', 'watch 9', 'Zebra', ...never])
    assert.deepEqual(await sorted('-success'), ['Zebra', 'watch 9', 'Watch 10', ...never])
    assert.deepEqual(await sorted('-lastEvent'), ['Watch 10', 'watch 9', 'Zebra', ...never])
    assert.deepEqual((await sorted('-events'))[0], 'watch 9')
    assert.deepEqual((await sorted('state')).slice(-2), ['Élan', 'Alpha'])

    const { items } = await page('q=watch&sort=channel')
    assert.deepEqual(
      items.map(({ name, last24Hours }) => ({ name, ...last24Hours })),
      [
        { name: 'watch 9', events: 2, succeeded: 1, failed: 1 },
        { name: 'Watch 10', events: 1, succeeded: 0, failed: 1 },
      ],
    )
    // A list goes on after what was deleted meanwhile.
    const { nextCursor } = await page('limit=1&sort=name')
    assert.equal((await app.api('DELETE', `/api/v1/webhooks/${inactive.id}`)).status, 204)
    const rest = await page(`sort=name&cursor=${nextCursor}`)
    assert.deepEqual(
      rest.items.map(({ name }) => name),
      byName.slice(1),
    )

    const refused = await app.api('GET', '/api/v1/webhooks?sort=Name')
    assert.equal(refused.status, 422)
    assert.match(refused.text, /trouble.*-success/)
  },
)
