import assert from 'node:assert/strict'
import { becomes } from '../support/becomes.ts'
import { admin, goTo, visit } from '../support/browser.ts'
import { startShop } from '../support/start-shop.ts'
import { verifies } from '../support/verifies.ts'

/** So that no name comes from a picker's request. */
const moreThanAPicker = 101

verifies(
  ['dashboard:one-request-per-page', 'api:shapes'],
  'runs, events, webhooks and figures include the names of their webhooks and channels: no name is loaded separately',
  async () => {
    await using shop = await startShop({ admin })
    const { app } = shop
    const numbers = [1, 2, 3, 4, 5, 6]
    const webhooks = []
    for (const n of numbers) {
      const room = await app.api<{ id: string }>('POST', '/api/v1/channels', { name: `room-${n}` })
      webhooks.push(await shop.createWebhook({ name: `Bell ${n}`, channelId: room.body.id }))
    }
    const fillers = Array.from({ length: moreThanAPicker }, (_, n) => n)
    await Promise.all([
      ...fillers.map((n) => app.api('POST', '/api/v1/channels', { name: `filler-${n}` })),
      ...fillers.map((n) => shop.createWebhook({ name: `Filler ${n}` })),
    ])
    const receipts = await Promise.all(webhooks.map((webhook) => shop.sendEvent(webhook)))
    await Promise.all(receipts.map(({ runId }) => shop.endedRun(runId)))
    // The runs of these have not started.
    await app.api('PATCH', '/api/v1/settings', { agent: { paused: true } })
    const [queued] = await Promise.all(webhooks.map((webhook) => shop.sendEvent(webhook)))
    const gone = webhooks.at(-1)
    await app.api('DELETE', `/api/v1/webhooks/${gone?.id}`)
    await using visitor = await visit(app)
    const { page, requests } = visitor
    const rowsOf = (name: string | RegExp) => page.getByRole('row', { name })
    // How much is unread is a figure, not a name.
    const alone = () => requests.filter((line) => /\/api\/v1\/(webhooks|channels)\/(?!unread)/.test(line))
    await goTo(page, '/runs')
    await page.getByRole('button', { name: 'Choose columns' }).click()
    await page.getByLabel('Channel', { exact: true }).click()
    await page.keyboard.press('Escape')
    for (const n of numbers.slice(0, -1)) {
      await becomes(() => rowsOf(new RegExp(`Bell ${n} .*#room-${n}`)).count(), 2)
    }
    await goTo(page, '/events')
    for (const n of numbers.slice(0, -1)) await becomes(() => rowsOf(`Bell ${n}`).count(), 2)
    await becomes(() => rowsOf('Deleted webhook').count(), 2)
    await goTo(page, '/')
    await rowsOf(/^Bell 1 2 /).waitFor()
    await goTo(page, '/webhooks?q=Bell')
    await rowsOf('#room-1').waitFor()
    assert.deepEqual(alone(), [])

    await goTo(page, `/runs/${receipts[0]?.runId}`)
    await page.getByRole('heading', { name: 'Bell 1 · Replied' }).waitFor()
    await page.getByRole('link', { name: '#room-1' }).waitFor()
    assert.deepEqual(alone(), [])
    await goTo(page, `/runs/${queued?.runId}`)
    await page.getByRole('heading', { name: 'Queued' }).waitFor()
    await goTo(page, `/events/${receipts[0]?.eventId}`)
    await page.getByRole('heading', { name: 'Bell 1 · Answered' }).waitFor()

    // There is no page that a link could lead to.
    for (const path of [`/runs/${receipts.at(-1)?.runId}`, `/events/${receipts.at(-1)?.eventId}`]) {
      await goTo(page, path)
      await page.getByRole('definition').filter({ hasText: 'Deleted webhook' }).waitFor()
      assert.equal(await page.getByRole('link', { name: 'Deleted webhook' }).count(), 0)
    }
  },
)
