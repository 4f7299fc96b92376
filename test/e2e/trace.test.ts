import { becomes } from '../support/becomes.ts'
import { admin, goTo, openBrowser, visit } from '../support/browser.ts'
import { startShop } from '../support/start-shop.ts'
import { startStubOpenai } from '../support/stub-openai.ts'
import { verifies } from '../support/verifies.ts'

verifies(
  ['dashboard:trace', 'dashboard:runs-live'],
  'a run is a trace: retries stay visible, a wait says who decided, and keys walk through request and answer of each step',
  async () => {
    await using model = await startStubOpenai([
      { status: 500, message: 'The model is overloaded' },
      { calls: [{ name: 'shop__refund', input: { id: 'A-1' } }], text: 'I ask for the refund.' },
      { text: 'Refunded.' },
    ])
    await using shop = await startShop({ admin, env: model.env })
    const { runId } = await shop.sendEvent(await shop.createWebhook())
    await shop.runWhen(runId, ({ status }) => status === 'waiting')
    await using browser = await openBrowser()
    await using kim = await visit(browser, shop.app)
    const { page } = kim
    await goTo(page, `/runs/${runId}`)
    const rows = page.getByRole('list', { name: 'Trace' }).getByRole('listitem')
    const step = page.getByRole('region', { name: 'Step' })
    // What waits is what the page is about.
    await step.getByRole('button', { name: 'Approve' }).click()
    await rows.getByText('approved by kim').waitFor()
    await page.getByRole('heading', { name: 'Orders · Replied' }).waitFor()
    await page.getByRole('region', { name: 'Summary' }).getByText('waiting for a person').waitFor()
    await becomes(() => rows.count(), 5)
    await rows.first().getByRole('button').click()
    await step.getByText('order.paid').waitFor()
    await page.keyboard.press('j')
    await step.getByRole('heading', { name: 'Model call 1' }).waitFor()
    await rows.getByText('after 1 failure').waitFor()
    await step.getByText('The model is overloaded').waitFor()
    await page.keyboard.press('j')
    await step.getByText('{"ok":true}').or(step.getByText('"ok": true')).first().waitFor()
    await step.getByRole('tab', { name: 'Request' }).click()
    await step.getByText('/orders/A-1/refund').waitFor()
    await goTo(page, '/runs')
    await page.getByRole('img', { name: /^model .* · tools .* · waiting for a person/ }).waitFor()
  },
)
