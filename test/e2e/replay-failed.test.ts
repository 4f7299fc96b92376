import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { admin, goTo, visit } from '../support/browser.ts'
import { plainEnv } from '../support/plain-env.ts'
import { startShop } from '../support/start-shop.ts'
import { testApiKey } from '../support/start-test-app.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const main = join(import.meta.dirname, '../../src/main.ts')

verifies(
  ['events:replay-failed', 'cli:replay-failed', 'api:find-runs', 'dashboard:home'],
  'events that failed for one reason are replayed from the list of failed ones, or by a command, and Home no longer counts them once they succeeded',
  async () => {
    let isRefused = true
    await using model = await startStubAnthropic(() =>
      isRefused ? { status: 401 } : { text: 'Now it works.' },
    )
    await using shop = await startShop({ admin, env: model.env })
    const webhook = await shop.createWebhook()
    const failed = await Promise.all([shop.sendEvent(webhook), shop.sendEvent(webhook)])
    for (const { runId } of failed)
      assert.equal((await shop.endedRun(runId)).error?.code, 'model_key_refused')
    await using visitor = await visit(shop.app)
    const { page } = visitor
    await goTo(page, '/events?status=failed')
    await page.getByRole('button', { name: 'Replay failed events' }).click()
    await page.getByRole('combobox', { name: 'Failed because' }).click()
    await page.getByRole('option', { name: 'The API key was refused' }).click()
    await page.getByRole('button', { name: 'Replay', exact: true }).click()
    await page.getByText('Replaying 2 events.').waitFor()
    // The key is still refused, so they are left to be replayed.
    await until(
      async () => (await shop.messages()).filter(({ text }) => text.includes('API key')).length === 4,
    )
    await goTo(page, '/')
    await page.getByText(/Orders failed 4 times/).waitFor()
    isRefused = false
    const args = ['replay-failed', '--with', 'model_key_refused', '--since', '1h', '--url', shop.app.url]
    const { stdout } = await promisify(execFile)(process.execPath, [main, ...args, '--key', testApiKey], {
      env: plainEnv,
    })
    assert.equal(stdout, '2 events are replayed.\n')
    await until(
      async () => (await shop.replies()).filter(({ text }) => text === 'Now it works.').length === 2,
    )
    await page.getByText(/failed 4 times/).waitFor({ state: 'detached' })
    const { items } = await shop.app.get<{ items: object[] }>('/api/v1/runs?status=failed')
    assert.equal(items.length, 4)
    await assert.rejects(
      promisify(execFile)(process.execPath, [main, 'replay-failed', '--since', 'noon', '--key', testApiKey], {
        env: plainEnv,
      }),
      /--since noon: use 30m, 2h, 3d or a date and time/,
    )
  },
)
