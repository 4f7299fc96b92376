import assert from 'node:assert/strict'
import { becomes } from '../support/becomes.ts'
import { admin, goTo, visit } from '../support/browser.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startRefundingModel } from '../support/start-refunding-model.ts'
import { startShop, startShopOn } from '../support/start-shop.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp({ admin, env: loopback }))

/** More of something than fits on a page. */

verifies(
  ['dashboard:approvals', 'dashboard:runs-live'],
  'somebody who has paged through many pending approvals still sees what others decide and what arrives, on every page',
  async () => {
    await using model = await startRefundingModel('Refunded.')
    await using shop = await startShop({ admin, env: model.env })
    const webhook = await shop.createWebhook()
    const wait = async () =>
      await shop.runWhen((await shop.sendEvent(webhook)).runId, ({ status }) => status === 'waiting')
    for (let times = 0; times < 6; times += 1) await wait()
    await using visitor = await visit(shop.app)
    const { page } = visitor
    // Stands for fifty.
    let limit = 5
    await page.route('**/api/v1/approvals?*', (route) =>
      route.continue({ url: `${route.request().url()}&limit=${limit}` }),
    )
    await goTo(page, '/')
    await page.getByText('POST /orders/A-1/refund ×5').waitFor()
    limit = 2
    const listening = page.waitForResponse('**/api/v1/stream')
    await page.goto('/approvals')
    await listening
    // Equal requests are one line.
    const line = page.getByRole('list', { name: 'Pending approvals' }).getByRole('link')
    for (const shown of [2, 4]) {
      await line.getByText(`×${shown}`).waitFor()
      await page.getByRole('button', { name: 'Show more' }).click()
    }
    await line.getByText('×6').waitFor()
    const { items } = await shop.app.get<{ items: { id: string }[] }>('/api/v1/approvals?status=pending')
    await shop.app.api('POST', `/api/v1/approvals/${items[0]?.id}/deny`)
    await line.getByText('×5').waitFor()
    await page.getByRole('link', { name: 'Runs', exact: true }).click()
    const link = page.getByRole('navigation').getByRole('link', { name: /^Approvals/ })
    const waiting = async () => (await link.textContent())?.replaceAll(/\D/g, '')
    await becomes(waiting, '5')
    await shop.app.api('POST', `/api/v1/approvals/${items[1]?.id}/deny`)
    await becomes(waiting, '4')
  },
)

verifies(
  'dashboard:accessible',
  'the time beside a name that is written from right to left stays in one piece',
  async () => {
    await using model = await startRefundingModel('Refunded.')
    await using shop = await startShopOn(await sharedApp(), { model })
    const webhook = await shop.createWebhook({ name: 'הזמנות חדשות' })
    const { runId } = await shop.sendEvent(webhook)
    await shop.runWhen(runId, ({ status }) => status === 'waiting')
    // A clock stays with its context.
    await using visitor = await visit(shop.app, admin, {})
    const { page } = visitor
    await page.clock.install({ time: Date.now() + 600_000 })
    await page.goto('/approvals')
    const time = page.getByRole('region', { name: 'Why' }).getByText('10 minutes ago')
    await time.waitFor()
    assert.equal(await time.evaluate((element) => element.getClientRects().length), 1)
  },
)

verifies(
  'dashboard:events',
  'a body of several megabytes is shown in part, and nothing is offered that a browser cannot draw',
  async () => {
    await using shop = await startShopOn(await sharedApp())
    const webhook = await shop.createWebhook({ maxBodyBytes: 10_485_760 })
    const body = JSON.stringify({
      rows: Array.from({ length: 60_000 }, (_, id) => ({ id, text: 'a row of many' })),
    })
    assert.ok(body.length > 2_000_000)
    const { eventId } = await shop.sendEvent(webhook, body)
    await using visitor = await visit(shop.app)
    const { page } = visitor
    await goTo(page, `/events/${eventId}`)
    await page.getByText(`The first 100,000 of ${body.length.toLocaleString('en-US')} characters.`).waitFor()
    assert.equal(await page.getByRole('button', { name: /^Show all/ }).count(), 0)
    await page.getByRole('button', { name: 'Copy Body' }).waitFor()
  },
)
