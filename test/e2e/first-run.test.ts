import assert from 'node:assert/strict'
import { becomes } from '../support/becomes.ts'
import { admin, visit } from '../support/browser.ts'
import { startFilledApp } from '../support/start-filled-app.ts'
import { startShop } from '../support/start-shop.ts'
import { startTestApp } from '../support/start-test-app.ts'
import { verifies } from '../support/verifies.ts'

verifies(
  ['dashboard:first-run', 'dashboard:runs-live', 'dashboard:channels'],
  'from the one-time link a newcomer gets to the first reply, with events sent from the page and from outside',
  async () => {
    await using app = await startTestApp()
    await using visitor = await visit(app, null)
    const { page } = visitor
    assert.ok(app.app.setupUrl)

    await page.goto(app.app.setupUrl)
    await page.getByRole('button', { name: 'Create admin' }).click()
    await page.getByText('Use 12 characters or more.').waitFor()
    await page.getByLabel('Name').fill('Kim Adler')
    await page.getByLabel('Email').fill('kim@example.com')
    await page.getByLabel('Password', { exact: true }).fill('correct horse battery')
    await page.getByRole('button', { name: 'Create admin' }).click()

    await page.getByRole('heading', { name: /^Name your agent/ }).waitFor()
    await page.getByLabel('Name').fill('')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('Enter a name.').waitFor()
    await page.getByLabel('Name').fill('Ada')
    await page.getByLabel('Instructions for every run').fill('You work for a small shop.')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Continue without a model' }).click()
    await page.getByRole('button', { name: 'Create webhook' }).click()

    await page.getByText('Waiting for the first event…').waitFor()
    const curl = (await page.getByRole('region', { name: 'curl command' }).textContent()) ?? ''
    const url = /'(http[^']+)'/.exec(curl)?.[1]
    assert.match(url ?? '', /\/hooks\/whk_[A-Za-z0-9_-]{43}$/)
    await page.getByRole('button', { name: 'Send test event' }).click()
    await page.getByRole('heading', { name: 'You’re set up' }).waitFor()
    await page.getByRole('link', { name: 'Invite a colleague' }).waitFor()
    await page.getByRole('link', { name: 'Connect Slack' }).waitFor()
    // A double click sends one event, however fast the answer comes.
    await page.getByRole('button', { name: 'Send another event' }).click({ clickCount: 2, delay: 50 })
    const rings = async () => (await app.get<{ items: unknown[] }>('/api/v1/events')).items.length
    await becomes(rings, 2)
    // Going back asks for no second webhook, and a masked URL cannot be copied.
    await page.goBack()
    await page.reload()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Show full URL' }).waitFor()
    await becomes(() => page.getByRole('button', { name: 'Copy curl command' }).count(), 0)
    await becomes(rings, 2)
    await page.getByRole('region', { name: 'Run', exact: true }).getByText('A-1042').waitFor()

    await page.getByRole('link', { name: 'See the reply' }).click()
    await page
      .getByRole('article')
      .filter({ hasText: 'A-1042' })
      .getByText('Ada (agent)', { exact: true })
      .first()
      .waitFor()
    // The channel is open: what a sender posts now appears without a reload.
    const receipt = await fetch(url ?? '', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"event":"order.created","order":{"id":"B-7","total":5,"items":[]}}',
    })
    assert.equal(receipt.status, 200)
    await page.getByRole('article').filter({ hasText: 'B-7' }).waitFor()

    await page.getByRole('article').filter({ hasText: 'B-7' }).getByRole('link', { name: 'run' }).click()
    await page.getByRole('heading', { name: 'Shop orders · Replied' }).waitFor()

    // Home shows what is still missing for real work, as long as nothing is urgent.
    await page.getByRole('link', { name: 'Home', exact: true }).click()
    await page.getByRole('link', { name: /^Choose a language model/ }).waitFor()
    await page.getByRole('link', { name: /^Connect an API/ }).click()
    await page.getByRole('heading', { name: 'Import connector' }).waitFor()

    // Nothing in the flow of the webhook is without a name, although no model was chosen.
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click()
    await page.getByRole('link', { name: 'Shop orders', exact: true }).click()
    await page.getByRole('link', { name: /^Agent ?Offline ?None failed$/ }).waitFor()
  },
)

verifies(
  'dashboard:first-run',
  'once there is an admin, the setup page says so and leads to sign-in',
  async () => {
    await using app = await startTestApp({
      env: { ADMIN_EMAIL: 'kim@example.com', ADMIN_PASSWORD: 'correct horse battery' },
    })
    await using visitor = await visit(app, null)
    const { page } = visitor

    await page.goto('/setup#token=whatever')
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.getByLabel('Email').fill('kim@example.com')
    await page.getByLabel('Password', { exact: true }).fill('not the password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Wrong email address or password', { exact: true }).waitFor()
    await page.getByLabel('Password', { exact: true }).fill('correct horse battery')
    await page.getByRole('button', { name: 'Sign in' }).click()

    await page.getByText('No activity yet').waitFor()
  },
)

verifies(
  'dashboard:first-run',
  'if no event has come after 30 seconds, the guide says what to check, and a first event ends the guide',
  async () => {
    await using shop = await startShop({ admin })
    const webhook = await shop.createWebhook({ connectorIds: [] })
    await using visitor = await visit(shop.app, admin, {})
    const { page } = visitor
    await page.clock.install()
    await page.goto(`/start?step=3&webhook=${webhook.id}`)
    await page.getByText('Waiting for the first event…').waitFor()
    assert.equal(await page.getByText('Nothing has arrived yet').count(), 0)
    await page.clock.fastForward(31_000)
    await page.getByText('Nothing has arrived yet').waitFor()
    const steps = () => page.locator('.mantine-Stepper-step[data-completed]').count()
    const before = await steps()
    await shop.sendEvent(webhook, { id: 'A-1' })
    await page.clock.fastForward(31_000)
    await page.getByRole('heading', { name: 'You’re set up' }).waitFor()
    await becomes(() => page.getByText('Nothing has arrived yet').count(), 0)
    await becomes(steps, before + 1, 'the last step has its tick')
  },
)

verifies(
  'dashboard:home',
  'home does not move while it loads: its shift is below 0.02, also when the server is slow',
  async () => {
    await using filled = await startFilledApp({ text: 'Order A-1042 was paid' })
    await using visitor = await visit(filled.app, admin, { bypassCSP: true })
    const { page } = visitor
    await page.addInitScript(`
      window.shifts = []
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts.push(entry.value)
      }).observe({ type: 'layout-shift', buffered: true })`)
    // Each answer comes after a frame of its own.
    await page.route('**/api/v1/**', async (route) => {
      await page.evaluate('new Promise((tell) => requestAnimationFrame(tell))').catch(() => undefined)
      await route.continue()
    })
    await page.goto('/')
    await page.getByRole('figure').first().waitFor()
    await page.getByRole('region', { name: 'By webhook' }).getByRole('row').nth(1).waitFor()
    const shift = (await page.evaluate('window.shifts.reduce((sum, value) => sum + value, 0)')) as number // numbers
    assert.ok(shift < 0.02, `shifted by ${shift}`)
    await page.unrouteAll({ behavior: 'wait' })
  },
)
