import assert from 'node:assert/strict'
import { becomes } from '../support/becomes.ts'
import { admin, goTo, visit } from '../support/browser.ts'
import { startGate } from '../support/start-gate.ts'
import { verifies } from '../support/verifies.ts'

verifies(
  ['receipts:signed', 'receipts:rotation'],
  'an admin switches receipts on for a connector, and rotates the key that signs them',
  async () => {
    await using gate = await startGate({ admin })
    await using visitor = await visit(gate.app, admin)
    const { page } = visitor
    // A target can be set up before the first receipt.
    await goTo(page, '/settings/signing')
    await page.getByRole('row').filter({ hasText: 'Signs' }).waitFor()
    await goTo(page, `/connectors/${gate.connectorId}?tab=settings`)
    await page.getByRole('switch', { name: 'Sign approved requests' }).click()
    await page.getByRole('button', { name: 'Save & test' }).click()
    const signs = async () =>
      (await gate.app.get<{ signRequests: boolean }>(`/api/v1/connectors/${gate.connectorId}`)).signRequests
    await becomes(signs, true)
    const asked = { name: 'shop__refund', input: { id: 'A-1', amount: 80 } }
    const { callId, approval } = await gate.ask(asked)
    await gate.decide(approval.id, 'approve')
    await gate.call(asked, callId)
    assert.match(String(gate.target.seen.at(-1)?.headers['bellhop-approval']), /^eyJ/)

    await goTo(page, '/settings/signing')
    const rows = page.getByRole('table', { name: 'Signing keys' }).getByRole('row')
    await rows.filter({ hasText: 'Signs' }).waitFor()
    await page.getByText(`${gate.ctx.publicUrl}/.well-known/jwks.json`).waitFor()
    await page.getByRole('button', { name: 'Rotate key…' }).click()
    await page.getByRole('button', { name: 'Rotate key', exact: true }).click()
    await rows.filter({ hasText: 'Replaced, still published' }).waitFor()
    assert.deepEqual(visitor.refusals, [])
  },
)
