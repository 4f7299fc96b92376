import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { draft, orders, startRehearsedShop } from '../rehearsals/start-rehearsed-shop.ts'
import { becomes } from '../support/becomes.ts'
import { admin, goTo, visit } from '../support/browser.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { verifies } from '../support/verifies.ts'

verifies(
  'dashboard:rehearse',
  'a changed prompt is rehearsed beside Save: a new write stops the save until somebody says so, and each event is shown before and after',
  async () => {
    await using app = await startTestApp({ admin, env: loopback })
    await using shop = await startRehearsedShop(app)
    const webhook = await shop.createWebhook()
    await shop.handle(webhook, [orders.same, orders.replyDiffers, orders.newWrite])
    await using kim = await visit(app)
    const { page } = kim
    await goTo(page, `/webhooks/${webhook.id}?tab=settings`)
    const save = page.getByRole('button', { name: 'Save', exact: true })
    await page.getByRole('textbox', { name: 'Prompt', exact: true }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Rehearse…' }).count(), 0)
    await page.getByRole('textbox', { name: 'Prompt', exact: true }).fill(draft)
    await page.getByRole('button', { name: 'Rehearse…' }).click()
    await page.getByRole('button', { name: 'Rehearse 50 events' }).click()
    await page.getByText('3 of 3 events compared').waitFor()
    await page.getByText('1 event would ask for a new write').waitFor()
    assert.equal(await save.isDisabled(), true)

    // A reload loses neither the draft nor what the rehearsal has found.
    await page.reload()
    await page.getByText('1 event would ask for a new write').waitFor()
    await becomes(() => save.isDisabled(), true)
    await page.getByText('Close', { exact: true }).scrollIntoViewIfNeeded()
    await keep(page, 'form')

    await page.getByRole('link', { name: 'Compare event by event' }).click()
    await page.getByRole('heading', { name: 'Rehearsal of Orders' }).waitFor()
    await page.getByText(`shop__refund {"id":"${orders.newWrite}"}`).first().waitFor()
    await page.getByRole('button', { name: /Reply differs/ }).click()
    const difference = page.getByRole('region', { name: 'Difference of the replies' })
    await difference.getByText('Order A-2 is splendid.').waitFor()
    await keep(page, 'light')
    await page.emulateMedia({ colorScheme: 'dark' })
    await keep(page, 'dark')
    await page.emulateMedia({ colorScheme: 'light' })
    await page.setViewportSize({ width: 390, height: 844 })
    await keep(page, 'narrow')
    await page.setViewportSize({ width: 1440, height: 900 })
    await goTo(page, '/rehearsals')
    await page.getByRole('row', { name: /Orders: prompt.*Done.*1 New write/i }).waitFor()
    await keep(page, 'list')
    await page.goBack()
    await page.getByRole('heading', { name: 'Rehearsal of Orders' }).waitFor()
    await page.goBack()

    await page.getByLabel('Save with these new writes').check()
    await save.click()
    await becomes(
      async () => (await app.get<{ prompt: string }>(`/api/v1/webhooks/${webhook.id}`)).prompt,
      draft,
    )
    await page.getByText('1 event would ask for a new write').waitFor({ state: 'detached' })
  },
)

verifies(
  'dashboard:rehearse',
  'the description of a tool and the instructions of the agent are rehearsed on the events of a webhook that is chosen, by a condition',
  async () => {
    await using app = await startTestApp({ admin, env: loopback })
    await using shop = await startRehearsedShop(app)
    const webhook = await shop.createWebhook()
    await shop.handle(webhook, [orders.same, orders.newWrite])
    const { tools } = await app.get<{ tools: { id: string; name: string }[] }>(
      `/api/v1/connectors/${shop.connectorId}`,
    )
    const tool = tools.find(({ name }) => name === 'get_order')?.id
    await using kim = await visit(app)
    const { page } = kim
    const save = page.getByRole('button', { name: 'Save', exact: true })
    const places: [path: string, field: string][] = [
      [`/connectors/${shop.connectorId}/tools/${tool}`, 'Description'],
      ['/settings/agent', 'Instructions for every run'],
    ]
    for (const [at, [path, field]] of places.entries()) {
      await goTo(page, path)
      await page.getByRole('textbox', { name: field, exact: true }).first().fill(draft)
      await page.getByRole('button', { name: 'Rehearse…' }).click()
      await page.getByRole('combobox', { name: 'Webhook' }).click()
      await page.getByRole('option', { name: 'Orders' }).click()
      await page.getByLabel('Only events where').fill(`event.id == '${orders.newWrite}'`)
      await keep(page, `choose-${at}`)
      await page.getByRole('button', { name: 'Rehearse 50 events' }).click()
      await page.getByText('1 of 1 events compared').waitFor()
      await page.getByText('1 event would ask for a new write').waitFor()
      assert.equal(await save.isDisabled(), true)
      await page.getByLabel('Save with these new writes').check()
      await save.click()
      await page.getByText('1 event would ask for a new write').waitFor({ state: 'detached' })
    }
    const settings = await app.get<{ agent: { instructions: string } }>('/api/v1/settings')
    assert.equal(settings.agent.instructions, draft)
  },
)

/** `SCREENSHOTS=1` keeps pictures for people. */
async function keep(page: Page, name: string): Promise<void> {
  if (process.env.SCREENSHOTS)
    await page.screenshot({ path: `test-output/screenshots/rehearse-${name}.png`, fullPage: true })
}
