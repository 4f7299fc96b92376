import assert from 'node:assert/strict'
import { becomes } from '../support/becomes.ts'
import { admin, goTo, visit } from '../support/browser.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startShopOn } from '../support/start-shop.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp({ admin, env: loopback }))

verifies(
  ['dashboard:events', 'events:erase'],
  'after an event is erased, its page and that of its run say so, show no call as going on, and offer no replay',
  async () => {
    await using shop = await startShopOn(await sharedApp())
    const { eventId, runId } = await shop.sendEvent(await shop.createWebhook())
    const before = await shop.endedRun(runId)
    assert.equal(before.erased, false)
    await using visitor = await visit(shop.app)
    const { page } = visitor
    await goTo(page, `/events/${eventId}`)
    await page.getByRole('button', { name: 'Erase' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Erase' }).click()
    await page.getByText('The body, headers and reply were erased.').waitFor()
    await becomes(() => page.getByRole('button', { name: /^(Reply|Headers|Replay)/ }).count(), 0)

    await page.getByRole('link', { name: 'Open run' }).click()
    await page.getByText('The content of this run was erased with its event.').waitFor()
    for (const words of ['calling', 'The model returned nothing.'])
      assert.equal(await page.getByText(words).count(), 0, words)
    assert.equal(await page.getByRole('button', { name: 'Replay' }).count(), 0)
    assert.equal((await shop.readRun(runId)).erased, true)
  },
)

verifies(
  ['dashboard:events', 'dashboard:configure-webhooks'],
  'beside its prompt, a webhook shows the last event that was not erased',
  async () => {
    await using shop = await startShopOn(await sharedApp())
    const webhook = await shop.createWebhook()
    await shop.endedRun((await shop.sendEvent(webhook, { is: 'still here' })).runId)
    const { eventId, runId } = await shop.sendEvent(webhook, { is: 'to be erased' })
    await shop.endedRun(runId)
    assert.equal((await shop.app.api('DELETE', `/api/v1/events/${eventId}`)).status, 204)
    await using visitor = await visit(shop.app)
    const { page } = visitor
    await goTo(page, `/webhooks/${webhook.id}?tab=settings`)
    await page.getByRole('region', { name: 'Latest event' }).getByText('still here').waitFor()
  },
)
