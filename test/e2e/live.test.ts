import assert from 'node:assert/strict'
import { admin, createPerson, goTo, visit } from '../support/browser.ts'
import { startShop } from '../support/start-shop.ts'
import { startStubOpenai } from '../support/stub-openai.ts'
import { verifies } from '../support/verifies.ts'

/** Pages also poll now and then; without polling, whatever appears was pushed. */
function neverPoll(): void {
  const real = globalThis.setInterval
  Object.assign(globalThis, {
    setInterval: (act: () => void, ms: number) => (ms >= 15_000 ? 0 : real(act, ms)),
  })
}

verifies(
  ['dashboard:runs-live', 'dashboard:home'],
  'runs, events, approvals and home are updated without polling',
  async () => {
    await using model = await startStubOpenai((_request, index) => {
      if (index === 1) return { text: 'Paid back.' }
      return { calls: [{ name: index === 0 ? 'shop__refund' : 'shop__get_order', input: { id: 'A-1' } }] }
    })
    await using shop = await startShop({ admin, env: model.env })
    const webhook = await shop.createWebhook({ name: 'Orders' })
    const open = async (path: string, person?: Parameters<typeof visit>[1]) => {
      const visitor = await visit(shop.app, person)
      await using _ = await visitor.page.addInitScript(neverPoll)
      const listening = visitor.page.waitForResponse('**/api/v1/stream')
      await visitor.page.goto(path)
      await listening
      return visitor
    }
    await using runs = await open('/runs')
    await using events = await open('/events')
    await using approvals = await open('/approvals')
    await using home = await open('/')
    await using member = await open('/runs', await createPerson(shop.app, 'Mia', 'member'))
    await runs.page.getByText('Each event and each question').waitFor()
    await approvals.page.getByText('No pending approvals').waitFor()

    const { runId } = await shop.sendEvent(webhook)
    const waits = /^Waiting$/
    await runs.page
      .getByRole('row', { name: /Orders/ })
      .getByText(waits)
      .waitFor()
    await member.page.getByRole('row').getByText(waits).waitFor()
    await events.page
      .getByRole('row', { name: /Orders/ })
      .getByText('Waiting for approval')
      .waitFor()
    await home.page
      .getByRole('link', { name: /Shop · refund/ })
      .first()
      .waitFor()
    await approvals.page.getByRole('button', { name: 'Approve' }).click()

    await shop.endedRun(runId)
    await runs.page
      .getByRole('row', { name: /Orders/ })
      .getByText(/succeeded/i)
      .waitFor()
    await member.page
      .getByRole('row')
      .getByText(/succeeded/i)
      .waitFor()
    await events.page
      .getByRole('row', { name: /Orders/ })
      .getByText(/answered/i)
      .waitFor()
    await home.page
      .getByRole('row', { name: /Orders/ })
      .getByText(/succeeded/i)
      .waitFor()

    // A failure caused by a setting links to it, and tells others whom to ask.
    await shop.app.api('PATCH', '/api/v1/settings', { limits: { stepsPerRun: 1 } })
    const failed = await shop.endedRun((await shop.sendEvent(webhook)).runId)
    await goTo(member.page, `/runs/${failed.id}`)
    await member.page.getByText('Ask an admin to change the limits, then replay the event.').waitFor()
    await runs.page
      .getByRole('row', { name: /Orders/ })
      .getByText(/failed/i)
      .click()
    await runs.page.getByRole('link', { name: 'Change the limits' }).click()
    await runs.page.getByLabel('Steps').waitFor()
  },
)

verifies(
  'accounts:sessions-listed-and-revoked',
  'somebody who is signed out elsewhere is sent to the sign-in page without doing anything',
  async () => {
    await using shop = await startShop({ admin })
    await using kim = await visit(shop.app)
    await using _ = await kim.page.addInitScript(neverPoll)
    const listening = kim.page.waitForResponse('**/api/v1/stream')
    await kim.page.goto('/runs')
    await listening
    const context = kim.page.context()
    const { items } = await (await context.request.get('/api/v1/sessions')).json()
    const ended = await context.request.delete(`/api/v1/sessions/${items[0].id}`, {
      headers: { origin: shop.app.url },
    })
    assert.equal(ended.status(), 204)
    await kim.page.waitForURL(/\/sign-in/)
  },
)
