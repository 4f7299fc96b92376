import assert from 'node:assert/strict'
import { becomes } from '../support/becomes.ts'
import { admin, openBrowser, visit } from '../support/browser.ts'
import { startRefundingModel } from '../support/start-refunding-model.ts'
import { startShop } from '../support/start-shop.ts'
import { verifies } from '../support/verifies.ts'

/** Something else happens while a page is open. */

verifies(
  'dashboard:approvals',
  'an approval that arrives while another is being read is placed below it, so that its button is not under the pointer',
  async () => {
    await using model = await startRefundingModel('Refunded.')
    await using shop = await startShop({ admin, env: model.env })
    const webhook = await shop.createWebhook()
    await using browser = await openBrowser()
    await using visitor = await visit(browser, shop.app)
    const { page } = visitor
    const first = await shop.ring(webhook)
    await shop.runWhen(first.runId, ({ status }) => status === 'waiting')
    await page.goto('/approvals')
    const runs = page.getByRole('link', { name: 'open the run' })
    await becomes(() => runs.count(), 1)
    const second = await shop.ring(webhook)
    await becomes(() => runs.count(), 2)
    assert.deepEqual(await runs.evaluateAll((links) => links.map((link) => link.getAttribute('href'))), [
      `/runs/${first.runId}`,
      `/runs/${second.runId}`,
    ])
  },
)

verifies(
  'dashboard:undo',
  'an undo is offered for exactly as long as it works, also while the pointer rests on it',
  async () => {
    await using shop = await startShop({ admin })
    await using browser = await openBrowser()
    await using visitor = await visit(browser, shop.app)
    const { page } = visitor
    await page.goto(`/connectors/${shop.connectorId}`)
    await page.getByRole('button', { name: 'More to do with this connector' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    const undo = page.getByRole('button', { name: 'Undo' })
    await undo.hover()
    await page.waitForResponse((answer) => answer.request().method() === 'DELETE')
    await becomes(() => undo.count(), 0)
  },
)
