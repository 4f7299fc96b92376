import assert from 'node:assert/strict'
import type { PolicyShape } from '../../src/approvals/policies/contract.ts'
import { becomes } from '../support/becomes.ts'
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

verifies(
  'dashboard:conditions',
  'a condition is built from the inputs of the tool, is tried on past decisions as it grows, and simple CEL is read back',
  async () => {
    await using gate = await startGate({ admin })
    for (const amount of [10, 19]) {
      const { approval } = await gate.ask({ name: 'shop__refund', input: { id: '1042', amount } })
      await gate.decide(approval.id, 'approve')
    }
    await using visitor = await visit(gate.app, admin)
    const { page } = visitor
    const cel = page.getByRole('textbox', { name: 'When' })
    const becomesCel = (text: string) => becomes(() => cel.inputValue(), text)
    const row = (number: number) => page.getByRole('group', { name: `Comparison ${number}` })
    const compare = async (number: number, [path, comparison, value]: [string, string, string]) => {
      await row(number).getByRole('combobox', { name: 'Field' }).click()
      await page.getByRole('option', { name: path, exact: true }).click()
      await row(number).getByRole('combobox', { name: 'Comparison' }).click()
      await page.getByRole('option', { name: comparison, exact: true }).click()
      await row(number).getByLabel('Value').fill(value)
    }
    await goTo(page, '/policies/new')
    await page.getByRole('combobox', { name: 'Tool' }).fill('refund')
    await page.getByRole('option', { name: /shop__refund/ }).click()
    const past = page.getByRole('region', { name: 'What it would have done' })
    await page.getByRole('button', { name: 'Build the condition' }).click()
    await compare(1, ['input.amount', 'is at most', '12.5'])
    await becomesCel('input.amount <= 12.5')
    await past.getByText('Covers 1 of 2 decisions').waitFor()
    // The id is text according to the schema, although it looks like a number.
    await page.getByRole('button', { name: 'Add comparison' }).click()
    await becomesCel('input.amount <= 12.5')
    await compare(2, ['input.id', 'is one of', '1042, A-1'])
    await becomesCel('input.amount <= 12.5 && input.id in ["1042", "A-1"]')
    await past.getByText('Covers 1 of 2 decisions').waitFor()
    await page.getByRole('button', { name: 'Remove comparison 1' }).click()
    await becomesCel('input.id in ["1042", "A-1"]')
    await past.getByText('Covers 2 of 2 decisions').waitFor()

    await cel.fill('input.id.startsWith(\'10\') && requester.name != "Kim"')
    await becomes(() => row(1).getByRole('combobox', { name: 'Comparison' }).inputValue(), 'starts with')
    await becomes(() => row(1).getByLabel('Value').inputValue(), '10')
    await becomes(() => row(2).getByRole('combobox', { name: 'Field' }).inputValue(), 'requester.name')
    await cel.fill('input.amount <= 5 || input.id == "1"')
    await page.getByText('This condition is not a list of comparisons').waitFor()
    await becomes(() => page.getByRole('group', { name: /^Comparison/ }).count(), 0)
    await becomesCel('input.amount <= 5 || input.id == "1"')
  },
)
