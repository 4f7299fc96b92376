import assert from 'node:assert/strict'
import { insertUser } from '../../src/accounts/store/users.ts'
import { password } from '../accounts/visitor.ts'
import { becomes } from '../support/becomes.ts'
import { admin, goTo, visit } from '../support/browser.ts'
import { easyHash } from '../support/easy-hash.ts'
import { startGate } from '../support/start-gate.ts'
import { verifies } from '../support/verifies.ts'

verifies(
  ['accounts:groups', 'approvals:groups', 'approvals:several', 'dashboard:roles'],
  'an admin makes a group, names it on the page of a tool, and its members approve one after the other; others see whom the call waits for',
  async () => {
    await using gate = await startGate({ admin })
    const people = ['bo@example.com', 'cy@example.com', 'di@example.com']
    for (const email of people) {
      const [name = ''] = email.split('@')
      await insertUser(gate.ctx.db, { email, name, role: 'member', passwordHash: easyHash(password) })
    }
    const { tools } = await gate.app.get<{ tools: { id: string; name: string }[] }>(
      `/api/v1/connectors/${gate.connectorId}`,
    )
    const tool = tools.find(({ name }) => name === 'refund')
    {
      await using visitor = await visit(gate.app, admin)
      const { page } = visitor
      await goTo(page, '/settings/groups')
      await page.getByRole('button', { name: 'New group' }).click()
      await page.getByRole('textbox', { name: 'Name' }).fill('Finance')
      await page.getByRole('textbox', { name: 'Slack user group' }).fill('@finance')
      await page.getByRole('combobox', { name: 'People' }).click()
      for (const name of ['bo (bo@', 'cy (cy@']) await page.getByRole('option', { name }).click()
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Create group' }).click()
      await page.getByText('Use the id of a user group in Slack, for example').waitFor()
      await page.getByRole('textbox', { name: 'Slack user group' }).fill('')
      await page.getByRole('button', { name: 'Create group' }).click()
      await page.getByRole('cell', { name: '2 people' }).waitFor()
      await goTo(page, `/connectors/${gate.connectorId}/tools/${tool?.id}`)
      await page.getByRole('combobox', { name: 'Groups' }).click()
      await page.getByRole('option', { name: 'Finance' }).click()
      await page.keyboard.press('Escape')
      await page.getByRole('textbox', { name: 'Approvals' }).fill('2')
      await page.getByRole('button', { name: 'Save approvers' }).click()
      await page.getByText('Approvers saved').waitFor()
    }
    const { callId, approval } = await gate.ask({ name: 'shop__refund' })
    {
      await using outsider = await visit(gate.app, { email: 'di@example.com', password })
      await goTo(outsider.page, `/approvals/${approval.id}`)
      await outsider.page.getByText('Waiting for Finance to decide').waitFor()
      await becomes(() => outsider.page.getByRole('button', { name: 'Approve' }).count(), 0)
      assert.deepEqual(outsider.refusals, [])
    }
    for (const [at, email] of people.slice(0, 2).entries()) {
      await using visitor = await visit(gate.app, { email, password })
      await goTo(visitor.page, `/approvals/${approval.id}`)
      await visitor.page.getByText(`Approvers: Finance · ${at} of 2 approved`).waitFor()
      await visitor.page.getByRole('button', { name: 'Approve' }).click()
      await visitor.page.getByText(`Approvers: Finance · ${at + 1} of 2 approved`).waitFor()
      // The link of a card in Slack opens the form.
      if (at === 0) {
        await goTo(visitor.page, `/approvals/${approval.id}?edit=true`)
        await visitor.page.getByRole('region', { name: 'Edit input' }).waitFor()
      }
      assert.deepEqual(visitor.refusals, [])
    }
    assert.equal((await gate.call({ name: 'shop__refund' }, callId)).kind, 'answered')
    assert.equal(gate.target.seen.length, 1)
  },
)
