import assert from 'node:assert/strict'
import { admin, openBrowser, visit } from '../support/browser.ts'
import { startTestApp } from '../support/start-test-app.ts'
import { verifies } from '../support/verifies.ts'

/** Somebody else changes the same thing, and the page has not heard of it. */

verifies(
  'dashboard:settings',
  'saving limits, prices or the agent’s name leaves alone what was not typed and was changed elsewhere',
  async () => {
    await using app = await startTestApp({ admin })
    await app.api('PATCH', '/api/v1/settings', {
      prices: { 'gpt-5': { input: 1, output: 2 }, 'gpt-4': { input: 3, output: 4 } },
    })
    await using browser = await openBrowser()
    await using visitor = await visit(browser, app)
    const { page } = visitor
    await page.route('**/api/v1/stream', (route) => route.abort())
    await page.goto('/settings/limits')
    await page.getByLabel('Steps').fill('20')
    await page.getByLabel('Days of messages').fill('400')
    await page.getByRole('button', { name: 'Remove row 2' }).click()
    await app.api('PATCH', '/api/v1/settings', {
      limits: { tokensPerRun: 50_000 },
      retention: { auditDays: 1000 },
      prices: { 'gpt-5': { input: 5, output: 6 } },
    })
    await page.getByRole('button', { name: 'Save prices' }).click()
    await page.getByText('Saved.', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved, and in force for new runs.').waitFor()

    await page.goto('/settings/agent')
    await page.getByLabel('Name').fill('Porter')
    await app.api('PATCH', '/api/v1/settings', { agent: { instructions: 'Be kind.' } })
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved, and in force for new runs.').waitFor()
    const { agent, limits, retention, prices } = await app.get<{
      agent: { name: string; instructions: string }
      limits: Record<string, unknown>
      retention: Record<string, unknown>
      prices: unknown
    }>('/api/v1/settings')
    assert.deepEqual([agent.name, agent.instructions], ['Porter', 'Be kind.'])
    assert.deepEqual([limits.stepsPerRun, limits.tokensPerRun], [20, 50_000])
    assert.deepEqual([retention.messageDays, retention.auditDays], [400, 1000])
    assert.deepEqual(prices, { 'gpt-5': { input: 5, output: 6 } })
  },
)
