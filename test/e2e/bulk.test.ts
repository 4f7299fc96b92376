import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { becomes } from '../support/becomes.ts'
import { admin, createPerson, goTo, visit } from '../support/browser.ts'
import { general, startShop } from '../support/start-shop.ts'
import { startStubOpenai } from '../support/stub-openai.ts'
import { verifies } from '../support/verifies.ts'

verifies(
  ['dashboard:lists', 'dashboard:home', 'api:lists'],
  '22 failed events are replayed in three clicks; the failing webhook is at the top, columns sort, and several webhooks, schedules or users are deactivated together',
  async () => {
    let works = true
    await using model = await startStubOpenai(({ body }) =>
      works || !body.includes('disk full') ? { text: 'All fine.' } : { status: 401, message: 'bad key' },
    )
    await using shop = await startShop({ admin, env: model.env })
    const quiet = await shop.createWebhook({ name: 'Aardvark' })
    await shop.endedRun((await shop.sendEvent(quiet)).runId)
    await shop.createWebhook({ name: 'Bakery' })
    const alerts = await shop.createWebhook({ name: 'Zebra alerts' })
    works = false
    const failed: string[] = []
    for (let n = 0; n < 22; n += 1)
      failed.push((await shop.sendEvent(alerts, { alert: `disk full ${n}` })).runId)
    for (const runId of failed) assert.equal((await shop.endedRun(runId)).status, 'failed')
    works = true
    await using kim = await visit(shop.app)
    const { page } = kim

    await goTo(page, '/webhooks')
    const names = () => page.getByRole('row').locator('a[data-row-link]').allTextContents()
    await becomes(async () => (await names()).join(), 'Zebra alerts,Bakery,Aardvark')
    await page.getByRole('button', { name: 'Name', exact: true }).click()
    await becomes(async () => (await names()).join(), 'Aardvark,Bakery,Zebra alerts')
    assert.match(page.url(), /sort=name/)
    for (const name of ['Aardvark', 'Bakery']) await page.getByLabel(`Select ${name}`).click()
    await page.getByRole('button', { name: 'Deactivate 2' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Deactivate 2' }).click()
    await becomes(() => page.getByRole('row').getByText('Inactive').count(), 2)

    for (const name of ['Morning report', 'Night report']) {
      const draft = { name, channelId: general, prompt: 'Report.', cron: '0 9 * * *', timeZone: 'UTC' }
      const made = await shop.app.api('POST', '/api/v1/schedules', draft)
      assert.equal(made.status, 201, made.text)
    }
    await goTo(page, '/schedules')
    const inactive = () => page.getByRole('row').getByText('Inactive').count()
    await page.getByLabel('Select all rows').click()
    await page.getByRole('button', { name: 'Deactivate 2' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Deactivate 2' }).click()
    await becomes(inactive, 2)
    await page.getByLabel('Select Night report').click()
    await page.getByRole('button', { name: 'Activate 1' }).click()
    await becomes(inactive, 1)
    await sql`update schedules set paused_at = now(), pause_reason = 'its last 3 runs failed.'`.execute(
      shop.app.app.ctx.db,
    )
    await page.reload()
    await page.getByLabel('Select all rows').click()
    await page.getByRole('button', { name: 'Resume 1' }).click()
    await becomes(() => page.getByRole('row').getByText('Active', { exact: true }).count(), 1)

    await createPerson(shop.app, 'Mia', 'member')
    await createPerson(shop.app, 'Noor', 'operator')
    await goTo(page, '/settings/users')
    const disabled = () => page.getByRole('row').filter({ hasText: 'Disabled' }).count()
    // All but oneself.
    await page.getByLabel('Select all rows').click()
    await page.getByRole('button', { name: 'Disable 2' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Disable 2' }).click()
    await becomes(disabled, 2)
    await page.getByLabel('Select Noor').click()
    await page.getByRole('button', { name: 'Enable 1' }).click()
    await becomes(disabled, 1)

    await goTo(page, '/')
    await page.getByRole('link', { name: /^Zebra alerts failed 22 times/ }).click()
    await page.getByRole('checkbox', { name: 'Select all rows' }).click()
    await page.getByRole('button', { name: 'Replay 22' }).click()
    await page.getByText('Replayed 22 events').waitFor()
    const replays = async () =>
      (await shop.app.get<{ items: unknown[] }>('/api/v1/runs?trigger=replay&status=succeeded&limit=100'))
        .items.length
    await becomes(replays, 22)

    await goTo(page, '/runs?status=succeeded&q=fine&trigger=webhook')
    await becomes(() => page.getByRole('row').locator('a[data-row-link]').count(), 1)
    await goTo(page, `/runs?to=${new Date(Date.now() - 3_600_000).toISOString()}`)
    await page.getByText('No matching runs').waitFor()
  },
)
