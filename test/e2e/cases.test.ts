import assert from 'node:assert/strict'
import type { CaseShape } from '../../src/runs/rehearsals/cases/contract.ts'
import { admin, goTo, visit } from '../support/browser.ts'
import { startShop } from '../support/start-shop.ts'
import { startStubOpenai } from '../support/stub-openai.ts'
import { verifies } from '../support/verifies.ts'

verifies(
  'dashboard:cases',
  'a bad reply is one click from a case; the cases of a webhook are run together, and each check shows whether it passed',
  async () => {
    await using model = await startStubOpenai(() => ({ text: 'The order was paid.' }))
    await using shop = await startShop({ admin, env: model.env })
    const webhook = await shop.createWebhook()
    const { runId, eventId } = await shop.sendEvent(webhook)
    await shop.endedRun(runId)
    await shop.app.api('PUT', `/api/v1/runs/${runId}/thumb`, { thumb: 'down' })
    await using ada = await visit(shop.app)
    const { page } = ada

    await goTo(page, `/runs/${runId}`)
    await page.getByRole('link', { name: 'Keep as a case…' }).click()
    const form = page.getByRole('dialog', { name: 'Keep as a case' })
    await form.getByLabel('Name').fill('A refunded order')
    await form.getByRole('button', { name: 'Save case' }).click()
    await form.getByText(/Name a tool/).waitFor()
    await form.getByRole('combobox', { name: 'Check' }).click()
    await page.getByRole('option', { name: 'Must mention' }).click()
    await form.getByRole('textbox', { name: 'Text' }).fill('paid')
    await form.getByRole('button', { name: 'Add a check' }).click()
    await form.getByLabel('Tool', { exact: true }).fill('shop__refund')
    await form.getByRole('button', { name: 'Save case' }).click()
    await page.getByText('Event kept as a case').waitFor()
    await page.getByRole('button', { name: 'Case…' }).waitFor()
    const { items } = await shop.app.get<{ items: CaseShape[] }>(`/api/v1/cases?eventId=${eventId}`)
    assert.deepEqual(
      items.map(({ name, checks }) => ({ name, checks })),
      [
        {
          name: 'A refunded order',
          checks: [
            { must: 'mention', text: 'paid' },
            { must: 'call', tool: 'shop__refund' },
          ],
        },
      ],
    )

    await goTo(page, `/webhooks/${webhook.id}?tab=cases`)
    await page.getByText('A refunded order').first().waitFor()
    await page.getByRole('button', { name: 'Run all cases…' }).click()
    await page.getByRole('button', { name: 'Run all cases', exact: true }).click()
    await page.getByText('1 of 2 checks failed').waitFor()
    await page.getByText('Mentions “paid”').waitFor()
    await page.getByText('Calls shop__refund').waitFor()
    await goTo(page, `/webhooks/${webhook.id}?tab=cases`)
    await page.getByRole('link', { name: 'failed' }).waitFor()

    await goTo(page, `/events/${eventId}?case=edit`)
    const changed = page.getByRole('dialog', { name: 'Change the case' })
    await changed.getByRole('button', { name: 'Remove this check' }).last().click()
    await changed.getByRole('button', { name: 'Save case' }).click()
    await page.getByText('Case changed').waitFor()
    const after = await shop.app.get<CaseShape>(`/api/v1/cases/${items[0]?.id}`)
    assert.deepEqual(after.checks, [{ must: 'mention', text: 'paid' }])
  },
)

verifies(
  'rehearsals:nightly',
  'another model is set for the night and stopped on the page of the webhook',
  async () => {
    await using model = await startStubOpenai(() => ({ text: 'The order was paid.' }))
    await using shop = await startShop({ admin, env: model.env })
    const webhook = await shop.createWebhook()
    await using ada = await visit(shop.app)
    const { page } = ada
    await goTo(page, `/webhooks/${webhook.id}?tab=cases`)
    const night = page.getByLabel('Nightly rehearsal')
    await night.getByRole('combobox', { name: 'Model', exact: true }).click()
    await page.getByRole('option', { name: 'OpenAI', exact: true }).click()
    await night.getByLabel('Model name').fill('unheard-of')
    await night.getByRole('button', { name: 'Rehearse every night' }).click()
    await night.getByText(/The price of unheard-of is not known/).waitFor()
    await night.getByLabel('Model name').fill('gpt-5-nano')
    await night.getByRole('button', { name: 'Rehearse every night' }).click()
    await night.getByText(/OpenAI · gpt-5-nano, \$1\.00 a night at most/).waitFor()
    await night.getByRole('button', { name: 'Stop' }).click()
    await night.getByRole('button', { name: 'Rehearse every night' }).waitFor()
  },
)
