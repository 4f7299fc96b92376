import assert from 'node:assert/strict'
import type { ScheduleShape } from '../../src/schedules/contract.ts'
import { becomes } from '../support/becomes.ts'
import { admin, goTo, visit } from '../support/browser.ts'
import { startTestApp } from '../support/start-test-app.ts'
import { verifies } from '../support/verifies.ts'

verifies(
  ['dashboard:schedules', 'dashboard:same-validation'],
  'a schedule is created with its times in words, run now, changed, and deleted in the dashboard',
  async () => {
    await using app = await startTestApp({ admin })
    await using visitor = await visit(app)
    const { page } = visitor
    await goTo(page, '/schedules')
    await page.getByRole('link', { name: 'New schedule' }).first().click()
    await page.getByLabel('Name').fill('Morning report')
    await page.getByLabel('Prompt').fill('Say what came in overnight.')
    const cron = page.getByLabel('Cron')
    await cron.fill('61 9 * * *')
    await page.getByRole('status').filter({ hasText: 'minute: 61' }).waitFor()
    visitor.refusals.length = 0
    visitor.faults.length = 0
    // For people who do not write cron.
    const repeat = page.getByRole('combobox', { name: 'Repeat' })
    assert.equal(await repeat.inputValue(), '', 'no preset')
    await repeat.click()
    await page.getByRole('option', { name: 'First day of the month' }).click()
    await becomes(() => cron.inputValue(), '0 9 1 * *')
    await repeat.click()
    await page.getByRole('option', { name: 'Every Monday' }).click()
    await page.getByLabel('At', { exact: true }).fill('07:30')
    await becomes(() => cron.inputValue(), '30 7 * * 1')
    await page.getByRole('status').filter({ hasText: 'At 07:30, only on Monday' }).waitFor()
    await cron.fill('5 8 * * 1-5')
    await becomes(() => repeat.inputValue(), 'Every weekday')
    await becomes(() => page.getByLabel('At', { exact: true }).inputValue(), '08:05')
    await cron.fill('30 7 * * 1')
    await page.getByRole('status').filter({ hasText: 'At 07:30, only on Monday' }).waitFor()
    await page.getByRole('combobox', { name: 'Time zone' }).fill('Tokyo')
    await page.getByRole('option', { name: 'Asia/Tokyo' }).click()
    await page.getByRole('button', { name: 'Create schedule' }).click()

    await page.getByRole('heading', { name: 'Morning report' }).waitFor()
    await page.getByText('At 07:30, only on Monday (Asia/Tokyo)').waitFor()
    await becomes(() => page.getByLabel('Next times').getByRole('listitem').count(), 5)
    await page.getByRole('button', { name: 'Run now' }).click()
    const last = page.getByRole('region', { name: 'Recent runs' }).getByRole('row')
    await last.filter({ hasText: 'Answered' }).waitFor()

    await page.getByRole('tab', { name: 'Settings' }).click()
    await page.getByText('Once', { exact: true }).click()
    await page.getByLabel('Date and time').fill('2099-12-01T09:00')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Schedule saved').waitFor()
    const { items } = await app.get<{ items: ScheduleShape[] }>('/api/v1/schedules')
    assert.deepEqual(
      [items[0]?.cron, items[0]?.at, items[0]?.nextTimes],
      [null, '2099-12-01T09:00', ['2099-12-01T00:00:00.000Z']],
    )
    await page.getByRole('button', { name: /this schedule/ }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Delete schedule' }).click()
    await page.getByText('A schedule asks the agent at fixed times').waitFor()
  },
)
