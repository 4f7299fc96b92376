import assert from 'node:assert/strict'
import { becomes } from '../support/becomes.ts'
import { admin, goTo, visit } from '../support/browser.ts'
import { startGate } from '../support/start-gate.ts'
import { verifies } from '../support/verifies.ts'

verifies(
  'approvals:edit',
  'an admin corrects an amount in a form, sees what changed, and approves what is shown then',
  async () => {
    await using gate = await startGate({ admin })
    const asked = { name: 'shop__refund', input: { id: 'A-1', amount: 80 } }
    const { callId, approval } = await gate.ask(asked)
    await using visitor = await visit(gate.app, admin)
    const { page } = visitor
    await goTo(page, `/approvals/${approval.id}`)
    await page.getByRole('button', { name: 'Edit input…' }).click()
    const form = page.getByRole('region', { name: 'Edit input' })
    await form.getByRole('textbox', { name: 'amount' }).fill('50')
    // It would send what the agent asked for, and not what is being typed.
    await becomes(() => page.getByRole('button', { name: 'Approve' }).count(), 0)
    await form.getByRole('button', { name: 'Save edit' }).click()
    const edited = page.getByRole('region', { name: 'Edited' })
    await edited.getByText('80').waitFor()
    assert.match((await edited.textContent()) ?? '', /amount 80 → 50/)
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('Decided by').waitFor()
    assert.equal((await gate.call(asked, callId)).kind, 'answered')
    assert.deepEqual(
      gate.target.seen.map(({ body }) => body),
      ['{"amount":50}'],
    )
    assert.deepEqual(visitor.refusals, [])
  },
)
