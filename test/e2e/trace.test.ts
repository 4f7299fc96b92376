import assert from 'node:assert/strict'
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
    const summary = page.getByRole('region', { name: 'Summary' })
    for (const part of ['waiting for a person', 'waiting for the model', 'posting', 'other'])
      await summary.getByText(part).waitFor()
    await summary.getByText('Queued').waitFor()
    await becomes(() => rows.count(), 5)
    await rows.first().getByRole('button').click()
    await step.getByText('order.paid').waitFor()
    await page.keyboard.press('j')
    await step.getByRole('heading', { name: 'Model call 1' }).waitFor()
    await rows.getByText('after 1 failure').waitFor()
    await rows.nth(1).getByText('$0.000065').waitFor()
    await step.getByText('The model is overloaded').waitFor()
    await step.getByText(/tokens in, .* out · (No price set|.*\$[\d.]+)$/).waitFor()
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
  'dashboard:trace-range',
  'a range that is dragged on the axis of a trace, with a mouse or a finger, fills the axis, also for whom the link is sent to',
  async () => {
    await using model = await startStubOpenai([
      { calls: [{ name: 'shop__get_order', input: { id: 'A-1' } }] },
      { text: 'Paid.' },
    ])
    await using shop = await startShop({ admin, env: model.env })
    const { runId } = await shop.sendEvent(await shop.createWebhook())
    await shop.endedRun(runId)
    await using kim = await visit(shop.app)
    const { page } = kim
    await goTo(page, `/runs/${runId}`)
    const row = page
      .getByRole('list', { name: 'Trace' })
      .getByRole('listitem')
      .filter({ hasText: 'get_order' })
    const bar = row.locator('[data-kind=tool]')
    const boxOf = async (one = bar) => (await one.boundingBox()) ?? assert.fail('Nothing is drawn')
    const widthOf = async () => (await boxOf()).width
    await row.getByRole('button').click()
    const whole = await widthOf()
    const axis = page.getByTitle('Drag to zoom in')
    const rangeAround = async () => {
      const [{ x, width }, { y, height }] = [await boxOf(), await boxOf(axis)]
      return { from: x - 8, to: x + width + 8, y: y + height / 2 }
    }
    const { from, to, y } = await rangeAround()
    await page.mouse.move(to, y)
    await page.mouse.down()
    await page.mouse.move(from, y, { steps: 3 })
    await page.mouse.up()
    await becomes(async () => (await widthOf()) > whole, true)
    await becomes(() => /[?&]zoom=\d+-\d+/.test(page.url()), true)
    await page.reload()
    await becomes(async () => (await widthOf()) > whole, true)
    await page.getByRole('heading', { name: 'get_order' }).waitFor()
    await page.keyboard.press('Escape')
    await becomes(widthOf, whole)
    // The zoom to a step is in the link, too.
    await page.keyboard.press('z')
    await page.reload()
    await page.getByRole('button', { name: 'Show whole run' }).click()
    await page.getByRole('button', { name: 'Zoom to step' }).waitFor()
    assert.ok(!page.url().includes('zoom='))

    await page.setViewportSize({ width: 390, height: 844 })
    const narrow = await widthOf()
    // The step says it; beside the tokens there is no room.
    assert.equal(await page.getByText('$0.000065').first().isVisible(), false)
    const touched = await rangeAround()
    const fingers = await page.context().newCDPSession(page)
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', x?: number) =>
      fingers.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: x === undefined ? [] : [{ x, y: touched.y }],
      })
    await touch('touchStart', touched.from)
    for (const part of [0.3, 0.6, 1])
      await touch('touchMove', touched.from + part * (touched.to - touched.from))
    await touch('touchEnd')
    await becomes(async () => (await widthOf()) > narrow, true)
    await page.getByRole('button', { name: 'Show whole run' }).click()
    await becomes(widthOf, narrow)
  },
)

verifies(
  ['dashboard:trace-live', 'dashboard:lists'],
  'while a run is at work the bar of its step grows, and says for how long; a model without a price is named once in the list',
  async () => {
    await using model = await startStubOpenai([
      { calls: [{ name: 'shop__get_order', input: { id: 'A-1' } }] },
      { text: 'Paid.' },
    ])
    const held: ServerResponse[] = []
    await using shop = await startShop({
      admin,
      env: { ...model.env, MODEL_NAME: 'house-model' },
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
    await goTo(page, '/runs')
    const note = page.getByRole('note').filter({ hasText: 'No price set for house-model' })
    await note.getByRole('link', { name: 'Set a price' }).waitFor()
    assert.equal(
      await page
        .getByRole('table', { name: 'Runs' })
        .getByTitle(/^No price set for .*house-model$/)
        .textContent(),
      '–',
    )
  },
)
