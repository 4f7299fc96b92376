import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { becomes } from '../support/becomes.ts'
import { admin, goTo, openBrowser, visit } from '../support/browser.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { shopTools, startShop, startShopOn } from '../support/start-shop.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { startStubOpenai } from '../support/stub-openai.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp({ admin, env: loopback }))

verifies(
  ['dashboard:home', 'api:stats'],
  'home and the webhook list show what the server counted, over a day or a week',
  async () => {
    await using shop = await startShop({ admin })
    const webhook = await shop.createWebhook({ name: 'Shop orders', connectorIds: [] })
    for (const id of [1, 2, 3]) await shop.endedRun((await shop.ring(webhook, { id })).runId)
    await using browser = await openBrowser()
    await using visitor = await visit(browser, shop.app, admin)
    const { page } = visitor

    await goTo(page, '/')
    const events = page.getByRole('figure').filter({ hasText: 'Accepted per hour' })
    await events.getByText('3', { exact: true }).first().waitFor()
    await page.getByRole('figure').filter({ hasText: 'Failed runs per hour' }).getByText('None').waitFor()
    await becomes(() => page.getByRole('figure').count(), 6)
    const row = page.getByRole('region', { name: 'By webhook' }).getByRole('row', { name: /Shop orders/ })
    await becomes(async () => (await row.getByRole('cell').allTextContents()).slice(1, 4), ['3', '3', '0'])
    await page.getByText('7 days').click()
    await page.waitForURL(/span=week/)
    await events.getByText('3', { exact: true }).first().waitFor()

    await goTo(page, '/webhooks')
    await page.getByRole('img', { name: '3 events in the last 24 hours' }).waitFor()
    await page.getByRole('cell', { name: '100%' }).waitFor()
    // Never more than there is: 100 % means all of them.
    await sql`update runs set status = 'failed' where id = (select max(id) from runs)`.execute(
      shop.app.app.ctx.db,
    )
    await page.reload()
    await page.getByRole('cell', { name: '66%' }).waitFor()
    assert.deepEqual(visitor.refusals, [])
  },
)

verifies(
  'dashboard:home',
  'in a browser of another language, thousands are still written as in the English text around them',
  async () => {
    await using shop = await startShopOn(await sharedApp())
    await shop.endedRun((await shop.ring(await shop.createWebhook())).runId)
    await using browser = await openBrowser()
    await using visitor = await visit(browser, shop.app, admin, { locale: 'de-DE' })
    const { page } = visitor
    await page.route('**/api/v1/stats?*', async (route) => {
      const stats = (await (await route.fetch()).json()) as { totals: object } // the shape of the answer
      await route.fulfill({ json: { ...stats, totals: { ...stats.totals, events: 12_345 } } })
    })
    await page.goto('/')
    const events = page.getByRole('figure').filter({ hasText: 'Accepted per hour' })
    assert.match((await events.textContent()) ?? '', /^Events12,345/)
  },
)

verifies(['dashboard:settings', 'api:about'], 'about shows version, database, key and replicas', async () => {
  const app = await sharedApp()
  await using browser = await openBrowser()
  await using visitor = await visit(browser, app)
  const { page } = visitor
  await goTo(page, '/settings/about')
  await page.getByText(/PostgreSQL \d+.*external.*migrations/).waitFor()
  await page.getByText(app.app.ctx.vault.keyId).waitFor()
  await page.getByRole('region', { name: 'Replicas' }).getByText('Web and worker (this process)').waitFor()
})

verifies(
  ['dashboard:runs-live', 'runs:retry-post', 'models:exact-numbers'],
  'a reply that could not be posted is posted again from the page of its run',
  async () => {
    const input = '{"id":"A-1","ref":12345678901234567890}'
    await using model = await startStubOpenai((_request, index) =>
      index === 0 ? { calls: [{ name: 'shop__refund', input }] } : { text: 'Not paid.' },
    )
    const inputSchema = { type: 'object', properties: { id: {}, ref: {} } }
    const tools = shopTools.map((tool) => ({ ...tool, inputSchema }))
    await using shop = await startShopOn(await sharedApp(), { model, tools })
    const channel = await shop.app.api<{ id: string }>('POST', '/api/v1/channels', { name: 'refunds' })
    const { runId } = await shop.ring(await shop.createWebhook({ channelId: channel.body.id }))
    const waiting = await shop.runWhen(runId, ({ status }) => status === 'waiting')
    const { db } = shop.app.app.ctx
    await sql`update channels set deleted_at = now() where id = ${channel.body.id}`.execute(db)
    await shop.app.api('POST', `/api/v1/approvals/${waiting.toolCalls[0]?.approvalId}/deny`, {})
    await shop.endedRun(runId)
    await sql`update channels set deleted_at = null where id = ${channel.body.id}`.execute(db)

    await using browser = await openBrowser()
    await using visitor = await visit(browser, shop.app, admin)
    const { page } = visitor
    await goTo(page, `/runs/${runId}`)
    // No number is rounded in the browser either.
    await page.getByRole('button', { name: 'Shop · refund' }).click()
    await page.getByRole('region', { name: 'Input' }).getByText('12345678901234567890').waitFor()
    await page.getByRole('button', { name: 'Post reply again' }).click()
    await page.getByRole('heading', { name: 'Orders · Replied' }).waitFor()
    await page.getByRole('button', { name: 'Post reply again' }).waitFor({ state: 'detached' })
    await goTo(page, `/channels/${channel.body.id}`)
    await page.getByText('Not paid.').waitFor()
  },
)

verifies('dashboard:settings', 'what is a day and a half old is not called yesterday', async () => {
  const app = await sharedApp()
  await app.api('POST', '/api/v1/api-keys', { name: 'Deploy script', role: 'operator' })
  await sql`update api_keys set last_used_at = now() - interval '35 hours' where name = 'Deploy script'`.execute(
    app.app.ctx.db,
  )
  await using browser = await openBrowser()
  await using visitor = await visit(browser, app)
  const { page } = visitor
  await goTo(page, '/settings/keys')
  await page
    .getByRole('row', { name: /Deploy script/ })
    .getByText('1 day ago')
    .waitFor()
})
