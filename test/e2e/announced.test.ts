import { becomes } from '../support/becomes.ts'
import { admin, goTo, visit } from '../support/browser.ts'
import { startRefundingModel } from '../support/start-refunding-model.ts'
import { general, startShop } from '../support/start-shop.ts'
import { verifies } from '../support/verifies.ts'

verifies(
  'dashboard:accessible',
  'a screen reader announces another page, a new approval, the end of a run and a message; after a refused sign-in the wrong field has the focus',
  async () => {
    await using model = await startRefundingModel('Refunded.')
    await using shop = await startShop({ admin, env: model.env })
    const { app } = shop
    const webhook = await shop.createWebhook()
    await using visitor = await visit(app, null)
    const { page } = visitor
    const { keyboard } = page
    const heard = () => page.locator('#announced').textContent()
    const focused = () => page.evaluate('document.activeElement.labels?.[0]?.textContent')

    // A link to a page leads there after the sign-in, with its query.
    await goTo(page, '/runs?status=failed')
    await page.getByLabel('Email').waitFor()
    await keyboard.press('Enter')
    await page.getByText('Enter your email address.').waitFor()
    await becomes(focused, 'Email')
    await keyboard.type(admin.email)
    await keyboard.press('Enter')
    await page.getByText('Enter your password.').waitFor()
    await becomes(focused, 'Password')
    await keyboard.type(admin.password)
    await keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Runs' }).waitFor()
    await becomes(() => new URL(page.url()).search, '?status=failed')

    await page.getByRole('link', { name: 'Events', exact: true }).focus()
    await keyboard.press('Enter')
    await becomes(heard, 'Events')
    const { runId } = await shop.sendEvent(webhook)
    await becomes(heard, 'Shop · refund needs approval')
    await goTo(page, `/runs/${runId}`)
    await becomes(heard, 'Orders · Waiting for approval')
    const [approval] = (await app.get<{ items: { id: string }[] }>('/api/v1/approvals')).items
    await app.api('POST', `/api/v1/approvals/${approval?.id}/approve`)
    await becomes(heard, 'Orders · Replied')

    await goTo(page, `/channels/${general}`)
    await page.getByRole('region', { name: 'Conversation' }).getByRole('article').first().waitFor()
    await app.api('POST', `/api/v1/channels/${general}/messages`, { text: 'Is anybody here?' })
    await becomes(heard, 'New message from API_KEY')
  },
)
