import type { ServerResponse } from 'node:http'
import { becomes } from '../support/becomes.ts'
import { admin, goTo, visit } from '../support/browser.ts'
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
    await using kim = await visit(shop.app)
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
    // The axis has a scale: ticks, and the length of each pause that is drawn shorter. It shows one step as large as it can be.
    const scale = page
      .locator('[class*=_tick_], [class*=_gap_]')
      .filter({ hasText: /^\d[\d.:]*( s| ms| min.*)?$/ })
    await scale.first().waitFor()
    await page.keyboard.press('k')
    const bar = rows.nth(1).locator('[data-kind=model]')
    const widthOf = async () => (await bar.boundingBox())?.width ?? 0
    const whole = await widthOf()
    await page.keyboard.press('z')
    await page.getByRole('button', { name: 'Show whole run' }).waitFor()
    await becomes(async () => (await widthOf()) > whole, true)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Zoom to step' }).waitFor()
    await becomes(widthOf, whole)
    await goTo(page, '/runs')
    await page.getByRole('img', { name: /^model .* · tools .* · waiting for a person/ }).waitFor()
  },
)

verifies(
  'dashboard:trace-live',
  'while a run is at work the bar of its step grows, and says for how long',
  async () => {
    await using model = await startStubOpenai([
      { calls: [{ name: 'shop__get_order', input: { id: 'A-1' } }] },
      { text: 'Paid.' },
    ])
    const held: ServerResponse[] = []
    await using shop = await startShop({
      admin,
      env: model.env,
      answer: (_request, response) => {
        held.push(response)
      },
    })
    const { runId } = await shop.sendEvent(await shop.createWebhook())
    await using kim = await visit(shop.app)
    const { page } = kim
    await goTo(page, `/runs/${runId}`)
    const row = page
      .getByRole('list', { name: 'Trace' })
      .getByRole('listitem')
      .filter({ hasText: 'get_order' })
    const growing = row.locator('[data-live]')
    await growing.waitFor()
    const secondsOf = async () => Number(/([\d.]+) s/.exec((await row.textContent()) ?? '')?.[1] ?? 0)
    const shareOf = async () =>
      Number.parseFloat((await growing.getAttribute('style'))?.split('width:')[1] ?? '')
    const [seconds, share] = [await secondsOf(), await shareOf()]
    await becomes(async () => (await secondsOf()) > seconds && (await shareOf()) > share, true)
    for (const response of held) response.end('{}')
    await growing.waitFor({ state: 'detached' })
    await page.getByRole('heading', { name: 'Orders · Replied' }).waitFor()
  },
)
