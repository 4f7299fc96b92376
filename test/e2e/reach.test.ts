import assert from 'node:assert/strict'
import { admin, goTo, visit } from '../support/browser.ts'
import { startGate } from '../support/start-gate.ts'
import { sceneOf } from '../support/start-shop.ts'
import { verifies } from '../support/verifies.ts'

verifies(
  ['approvals:reach', 'approvals:drill'],
  'the Reach tab of a webhook says what can happen at worst without a person, the worst first; a drill there shows what hidden orders make the agent try',
  async () => {
    await using gate = await startGate({ admin })
    const webhook = await sceneOf(gate.app).createWebhook({ name: 'Orders' })
    await using visitor = await visit(gate.app, admin)
    const { page } = visitor
    await goTo(page, `/webhooks/${webhook.id}`)
    await page.getByRole('tab', { name: 'Reach' }).click()
    await page.getByText('1 tool without approval').waitFor()
    const rows = page.getByRole('table', { name: 'Reach' }).getByRole('row')
    assert.match((await rows.nth(1).textContent()) ?? '', /shop__get_order.*Without approval/)
    assert.match((await rows.nth(2).textContent()) ?? '', /shop__refund.*With approval/)
    assert.match((await rows.nth(3).textContent()) ?? '', /shop__delete_order.*Never.*up to write/)
    assert.deepEqual(visitor.refusals, [])

    await page.getByRole('button', { name: 'Run drill' }).click()
    await page.getByText('10 of 10 orders tried').waitFor()
    const drill = page.getByRole('region', { name: 'Drill' })
    assert.equal(await drill.getByText('No write tried').count(), 10, 'without a model, no order is followed')
    await drill.getByRole('button', { name: /Approval in advance/ }).click()
    await drill.getByRole('link', { name: 'Open run' }).first().click()
    await page
      .getByText(/I have approved shop__refund for this event/)
      .first()
      .waitFor()
  },
)
