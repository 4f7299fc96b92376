import assert from 'node:assert/strict'
import type { PolicyShape } from '../../src/policies/contract.ts'
import { admin, goTo, visit } from '../support/browser.ts'
import { startGate } from '../support/start-gate.ts'
import { verifies } from '../support/verifies.ts'

verifies(
  ['policies:similar-calls', 'policies:backtest'],
  'from a waiting call, an admin opens a policy for similar ones, sees what it would have done, and saves it',
  async () => {
    await using gate = await startGate({ admin })
    for (const [amount, verdict] of [
      [10, 'approve'],
      [12.5, 'approve'],
      [19, 'deny'],
    ] as const) {
      const { approval } = await gate.ask({ name: 'shop__refund', input: { id: 'A-1', amount } })
      await gate.decide(approval.id, verdict)
    }
    const { approval } = await gate.ask({ name: 'shop__refund', input: { id: 'A-1', amount: 20 } })
    await using visitor = await visit(gate.app, admin)
    const { page } = visitor
    await goTo(page, `/approvals/${approval.id}`)
    await page.getByRole('link', { name: 'Approve and allow similar…' }).click()
    const condition = page.getByRole('textbox', { name: 'When' })
    await condition.waitFor()
    assert.equal(await condition.inputValue(), 'input.id == "A-1" && input.amount >= 0 && input.amount <= 20')
    const past = page.getByRole('region', { name: 'What it would have done' })
    await past.getByText('Covers 3 of 3 decisions: 2 approved, 1 denied.').waitFor()
    // Somebody said no to 19, so the bound is lowered.
    await condition.fill('input.amount >= 0 && input.amount <= 15')
    await past.getByText('Covers 2 of 3 decisions: 2 approved, 0 denied.').waitFor()
    await page.getByRole('button', { name: 'Approve and create policy' }).click()
    await page.getByText('Policy created and call approved').waitFor()
    await page
      .getByText('Last 24 hours: 0 automatic calls, 0 calls decided by people. 20 calls a day.')
      .waitFor()
    const { items } = await gate.app.get<{ items: PolicyShape[] }>('/api/v1/policies')
    assert.deepEqual(items[0]?.for, { requesters: ['person'] })
    const outcome = await gate.call({ name: 'shop__refund', input: { id: 'A-2', amount: 15 } })
    assert.equal(outcome.kind, 'answered')

    await condition.fill('input.amount <=')
    await page.getByRole('button', { name: 'Save' }).click()
    await page
      .getByText(/^Character \d+: Expected/)
      .first()
      .waitFor()
    await goTo(page, '/policies')
    await page.getByRole('link', { name: '1. Like refund' }).waitFor()
  },
)
