import assert from 'node:assert/strict'
import type { Page, Response } from 'playwright-core'
import { becomes } from '../support/becomes.ts'
import { admin, createPerson, goTo, visit } from '../support/browser.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startShopOn } from '../support/start-shop.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp({ admin, env: loopback }))

/** Something else happens while a page is open. */

/** Its scripts have had the whole answer, and two frames for what follows from it. */
async function handled(page: Page, response: Response): Promise<void> {
  await response.finished()
  await page.evaluate(
    'new Promise((tell) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(tell))))',
  )
}

verifies(
  'dashboard:approvals',
  'an approval that arrives while another is being read is placed below it, and one that is decided keeps its place, so that no other button comes under the pointer',
  async () => {
    await using model = await startStubAnthropic(({ body }) =>
      body.includes('tool_result')
        ? { text: 'Refunded.' }
        : { calls: [{ name: 'shop__refund', input: { id: body.match(/A-\d/g)?.at(-1) ?? '' } }] },
    )
    await using shop = await startShopOn(await sharedApp(), { model })
    const webhook = await shop.createWebhook()
    await using visitor = await visit(shop.app)
    const { page } = visitor
    const first = await shop.sendEvent(webhook, { id: 'A-1' })
    await shop.runWhen(first.runId, ({ status }) => status === 'waiting')
    await goTo(page, '/approvals')
    const lines = page.getByRole('list', { name: 'Pending approvals' }).getByRole('link')
    await becomes(() => lines.count(), 1)
    const second = await shop.sendEvent(webhook, { id: 'A-2' })
    await lines.nth(1).getByText('A-2').waitFor()
    const waiting = await shop.app.get<{ items: { id: string; runId: string }[] }>(
      '/api/v1/approvals?status=pending',
    )
    const decided = waiting.items.find(({ runId }) => runId === first.runId)
    // By another admin.
    await shop.app.api('POST', `/api/v1/approvals/${decided?.id}/deny`)
    await lines.nth(0).getByText('Denied').waitFor()
    assert.match((await lines.nth(0).textContent()) ?? '', /A-1/)
    await lines.nth(1).click()
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.getByText('No pending approvals').waitFor()
    await shop.endedRun(second.runId)
  },
)

verifies(
  'dashboard:same-validation',
  'errors at the fields of a form stay when the server tells something else, except at the field that it fills',
  async () => {
    await using app = await startTestApp({ admin })
    await using visitor = await visit(app)
    const { page } = visitor
    const { promise: pressed, resolve: release } = Promise.withResolvers<void>()
    await page.route('**/api/v1/channels*', async (route) => {
      await pressed
      await route.continue()
    })
    await goTo(page, '/webhooks/new')
    await page.getByRole('button', { name: 'Create webhook' }).click()
    const channelMissing = page.getByText('Choose the channel that the reply is posted to.')
    await channelMissing.waitFor()
    release()
    await page.getByRole('combobox', { name: 'Channel' }).and(page.locator('[value="#general"]')).waitFor()
    assert.equal(await channelMissing.count(), 0)
    assert.equal(await page.getByText('Tell the agent what to do with an event.').count(), 1)
  },
)

verifies(
  'dashboard:typed-stays',
  'what is typed while a form is being saved stays, and is unsaved',
  async () => {
    const app = await sharedApp()
    await using visitor = await visit(app)
    const { page } = visitor
    const held = Promise.withResolvers<void>()
    await page.route('**/api/v1/settings', async (route) => {
      if (route.request().method() === 'PATCH') await held.promise
      await route.continue()
    })
    await goTo(page, '/settings/agent')
    const text = page.getByLabel('Instructions')
    await text.fill('Be short.')
    await page.getByLabel('Name').fill('Porter')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await text.fill('Be short. Be kind.')
    held.resolve()
    await page.getByText('Settings saved').waitFor()
    await becomes(() => text.inputValue(), 'Be short. Be kind.')
    await page.getByText('Unsaved changes').waitFor()
    await page.reload()
    await becomes(() => text.inputValue(), 'Be short. Be kind.')
    await page.getByRole('button', { name: 'Discard' }).click()
    await becomes(() => text.inputValue(), 'Be short.')
    await becomes(() => page.getByLabel('Name').inputValue(), 'Porter')
  },
)

verifies(
  'dashboard:configure-webhooks',
  'saving a webhook leaves alone what was not typed, also if the page has not heard that it was changed elsewhere',
  async () => {
    await using shop = await startShopOn(await sharedApp())
    const { id } = await shop.createWebhook()
    await using visitor = await visit(shop.app)
    const { page } = visitor
    await page.route('**/api/v1/stream', (route) => route.abort())
    await goTo(page, `/webhooks/${id}?tab=settings`)
    await page.getByLabel('Prompt').fill('Be short.')
    await shop.app.api('PATCH', `/api/v1/webhooks/${id}`, { active: false, name: 'Old orders' })
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Webhook saved').waitFor()
    const { name, active, prompt } = await shop.app.get(`/api/v1/webhooks/${id}`)
    assert.deepEqual({ name, active, prompt }, { name: 'Old orders', active: false, prompt: 'Be short.' })
    await becomes(() => page.getByLabel('Name').inputValue(), 'Old orders')
  },
)

verifies('dashboard:configure-webhooks', 'a webhook’s page follows the events that come in', async () => {
  await using shop = await startShopOn(await sharedApp())
  const webhook = await shop.createWebhook()
  await using visitor = await visit(shop.app)
  const { page } = visitor
  const listening = page.waitForResponse('**/api/v1/stream')
  await goTo(page, `/webhooks/${webhook.id}`)
  await listening
  await page.getByText('0 accepted, 0 refused').waitFor()
  await shop.sendEvent(webhook)
  await page.getByText('1 accepted, 0 refused').waitFor()
})

verifies(
  'dashboard:configure-webhooks',
  'a URL that was shown is not offered for copying any longer once somebody else has rotated it',
  async () => {
    await using shop = await startShopOn(await sharedApp())
    const webhook = await shop.createWebhook()
    await using visitor = await visit(shop.app)
    const { page } = visitor
    const listening = page.waitForResponse('**/api/v1/stream')
    await goTo(page, `/webhooks/${webhook.id}`)
    await listening
    await page.getByRole('button', { name: 'Show full URL' }).click()
    await page.getByText(webhook.endpointUrl, { exact: true }).waitFor()
    await shop.app.api('POST', `/api/v1/webhooks/${webhook.id}/rotate`, {})
    await becomes(() => page.getByText(webhook.endpointUrl).count(), 0)
    await page.getByRole('button', { name: 'Show full URL' }).waitFor()
  },
)

verifies(
  'dashboard:typed-stays',
  'the page of something that was deleted elsewhere says so, and what was typed there can still be copied',
  async () => {
    await using shop = await startShopOn(await sharedApp())
    const webhook = await shop.createWebhook()
    await using visitor = await visit(shop.app)
    const { page } = visitor
    const listening = page.waitForResponse('**/api/v1/stream')
    await goTo(page, `/webhooks/${webhook.id}?tab=settings`)
    await listening
    await page.getByLabel('Prompt').fill('A long text.')
    await shop.app.api('DELETE', `/api/v1/webhooks/${webhook.id}`)
    await page.getByRole('alert').getByText('It may have been deleted').waitFor()
    await becomes(() => page.getByLabel('Prompt').inputValue(), 'A long text.')
  },
)

verifies(
  'dashboard:runs-live',
  'somebody who has gone to another page is not taken away from it by an answer that comes late',
  async () => {
    await using shop = await startShopOn(await sharedApp())
    const { eventId, runId } = await shop.sendEvent(await shop.createWebhook())
    await shop.endedRun(runId)
    await using visitor = await visit(shop.app)
    const { page } = visitor
    const held = Promise.withResolvers<void>()
    await page.route('**/replay', async (route) => {
      await held.promise
      await route.continue()
    })
    await goTo(page, `/events/${eventId}`)
    await page.getByRole('button', { name: 'Replay', exact: true }).click()
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click()
    await page.getByRole('heading', { name: 'Webhooks' }).waitFor()
    const answered = page.waitForResponse('**/replay')
    held.resolve()
    await handled(page, await answered)
    assert.match(page.url(), /\/webhooks$/)
  },
)

verifies(
  'dashboard:runs-live',
  'an answer that comes late neither opens the next step nor changes the address of the page that is read meanwhile',
  async () => {
    await using shop = await startShopOn(await sharedApp())
    await using visitor = await visit(shop.app)
    const { page } = visitor
    const leaveAndAnswer = async (path: string, button: string) => {
      const held = Promise.withResolvers<void>()
      await page.route(path, async (route) => {
        if (route.request().method() === 'POST') await held.promise
        await route.continue()
      })
      await page.getByRole('button', { name: button }).click()
      await page.getByRole('link', { name: 'Approvals', exact: true }).click()
      await page.getByRole('heading', { name: 'Approvals' }).waitFor()
      const answered = page.waitForResponse((response) => response.request().method() === 'POST')
      held.resolve()
      assert.ok((await answered).ok())
      await handled(page, await answered)
      assert.match(page.url(), /\/approvals$/)
    }
    await goTo(page, '/start?step=2')
    await leaveAndAnswer('**/api/v1/webhooks', 'Create webhook')
    await goTo(page, '/connectors/import?from=curl')
    await page.getByLabel('curl command').fill('curl https://shop.example.com/orders')
    await leaveAndAnswer('**/api/v1/connectors/import', 'Preview')
    await goTo(page, `/connectors/${shop.connectorId}/tools/new`)
    await page.getByLabel('Name').fill('list_orders')
    await page.getByLabel('Description').fill('Lists orders')
    await leaveAndAnswer('**/tools', 'Create tool')
  },
)

verifies(
  'dashboard:roles',
  'somebody whose role is taken away is no longer offered what it allowed, after the first refusal at the latest',
  async () => {
    const app = await sharedApp()
    const person = await createPerson(app, 'Ola', 'admin')
    await using visitor = await visit(app, person)
    const { page } = visitor
    // Never answered, so that the page hears of nothing.
    await page.route('**/api/v1/stream', () => undefined)
    await goTo(page, '/settings/agent')
    const stop = page.getByRole('button', { name: 'Pause agent' })
    await stop.waitFor()
    const { items } = await app.get<{ items: { id: string; name: string }[] }>('/api/v1/users')
    const ola = items.find(({ name }) => name === 'Ola')
    await app.api('PATCH', `/api/v1/users/${ola?.id}`, { role: 'member' })
    await stop.click()
    await page.getByText('You need the Admin role to open this page.').waitFor()
    await becomes(() => page.getByRole('link', { name: 'Webhooks', exact: true }).count(), 0)
  },
)
