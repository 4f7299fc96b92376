import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { rollDays } from '../../src/status/figures/roll-days.ts'
import { admin, goTo, visit } from '../support/browser.ts'
import { startShop } from '../support/start-shop.ts'
import { startStubOpenai } from '../support/stub-openai.ts'
import { verifies } from '../support/verifies.ts'

verifies(
  'dashboard:figures',
  'figures are grouped by webhook, tool or model in one table with what fails at the top, lead to what they count, and are downloaded as CSV',
  async () => {
    await using model = await startStubOpenai((_request, index) => {
      if (index === 0) return { calls: [{ name: 'shop__get_order', input: { id: 'A-1' } }] }
      return index === 1 ? { text: 'The order was paid.' } : { status: 401, message: 'bad key' }
    })
    await using shop = await startShop({ admin, env: model.env })
    const webhook = await shop.createWebhook()
    const { runId } = await shop.sendEvent(webhook)
    await shop.endedRun(runId)
    const rated = await shop.app.api('PUT', `/api/v1/runs/${runId}/thumb`, { thumb: 'down' })
    assert.equal(rated.status, 200, rated.text)
    const alerts = await shop.createWebhook({ name: 'Alerts' })
    assert.equal((await shop.endedRun((await shop.sendEvent(alerts)).runId)).status, 'failed')
    await rollDays(shop.app.app.ctx, 0)
    await using ada = await visit(shop.app)
    const { page } = ada

    await goTo(page, '/')
    await page.getByRole('link', { name: 'All figures' }).click()
    const byWebhook = page.getByRole('table', { name: 'Figures by webhook' })
    await byWebhook.getByRole('link', { name: 'Orders' }).waitFor()
    assert.match((await byWebhook.getByRole('row').nth(1).textContent()) ?? '', /^Alerts/)
    const shown = await byWebhook.getByRole('row').nth(2).getByRole('cell').allTextContents()
    assert.deepEqual(shown.slice(1, 3), ['1', '0'])
    assert.deepEqual(shown.at(-1), '1', shown.join())

    await page.getByRole('combobox', { name: 'Group by' }).click()
    await page.getByRole('option', { name: 'By tool' }).click()
    const byTool = page.getByRole('table', { name: 'Figures by tool' })
    await byTool.getByRole('link', { name: 'Shop · get_order' }).waitFor()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'CSV' }).click(),
    ])
    assert.equal(file.suggestedFilename(), 'figures-by-tool.csv')
    assert.match(await readFile(await file.path(), 'utf8'), /\r\nshop__get_order,tool_/)
    await byTool.getByRole('link', { name: 'Shop · get_order' }).click()
    await page.getByRole('heading', { name: 'Runs' }).waitFor()
    await goTo(page, '/figures?by=schedule')
    await page.getByText('No schedule was at work in this period').waitFor()
  },
)
