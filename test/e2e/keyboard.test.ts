import assert from 'node:assert/strict'
import { becomes } from '../support/becomes.ts'
import { admin, goTo, visit } from '../support/browser.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { general, startShopOn } from '../support/start-shop.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { startStubOpenai } from '../support/stub-openai.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp({ admin, env: loopback }))

const focused = `(() => {
  const it = document.activeElement
  return {
    name: it?.getAttribute('aria-label') ?? it?.textContent ?? '',
    inDialog: Boolean(it?.closest('[role=dialog]')),
    outlined: it ? getComputedStyle(it).outlineStyle !== 'none' : false,
  }
})()`
type Focus = { name: string; inDialog: boolean; outlined: boolean }

verifies(
  'dashboard:accessible',
  'by keyboard alone: sign in, find a webhook, open its menu and a dialog that traps the focus and restores it',
  async () => {
    const app = await sharedApp()
    const made = await app.api('POST', '/api/v1/webhooks', {
      name: 'Shop orders',
      channelId: general,
      prompt: 'Say what was ordered.',
    })
    assert.equal(made.status, 201, made.text)
    await using visitor = await visit(app, null)
    const { page } = visitor
    const { keyboard } = page
    const focus = () => page.evaluate<Focus>(focused)

    await goTo(page, '/')
    await page.getByLabel('Email').waitFor()
    await keyboard.type(admin.email)
    await keyboard.press('Tab')
    await keyboard.type(admin.password)
    await keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Home' }).waitFor()

    // What is loaded on demand says when the server is down, and loads once it is back.
    await page.context().setOffline(true)
    await keyboard.press('Control+k')
    await page.getByText('Cannot reach Bellhop').waitFor()
    await page.context().setOffline(false)
    // Over a slow connection it appears after the first letters were typed.
    const typed = Promise.withResolvers<void>()
    await page.route('**/command-palette-*.js', async (route) => {
      await typed.promise
      await route.continue()
    })
    await keyboard.press('Control+k')
    await keyboard.type('shopp')
    await keyboard.press('Backspace')
    typed.resolve()
    await page.getByLabel('Search pages and actions').and(page.locator('[value=shop]')).waitFor()
    await page.getByRole('button', { name: 'Shop orders' }).waitFor()
    await keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Shop orders' }).waitFor()

    await page.getByRole('button', { name: 'Actions for this webhook' }).waitFor()
    const more = 'Actions for this webhook'
    for (let tabs = 0; tabs < 30 && (await focus()).name !== more; tabs += 1)
      await keyboard.press('Shift+Tab')
    await becomes(focus, { name: more, inDialog: false, outlined: true })
    await keyboard.press('Enter')
    await page.getByRole('menuitem', { name: 'Rotate URL' }).waitFor()
    // The menu takes the focus a moment after it appears; a key before that goes nowhere.
    await until(async () => {
      await keyboard.press('ArrowDown')
      return (await focus()).name === 'Rotate URL'
    })
    await keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Rotate URL' }).waitFor()
    await until(async () => (await focus()).inDialog)
    for (let tabs = 0; tabs < 8; tabs += 1) {
      await keyboard.press('Tab')
      assert.ok((await focus()).inDialog, 'a dialog keeps the focus')
    }
    await keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await until(async () => (await focus()).name === more)

    // A button that was busy gets the focus back; after a link's page is gone, the new page has it.
    const send = 'Send test event'
    for (let tabs = 0; tabs < 40 && (await focus()).name !== send; tabs += 1) await keyboard.press('Tab')
    await keyboard.press('Enter')
    await page.getByRole('link', { name: 'Open event' }).waitFor()
    await until(async () => (await focus()).name === send)
    await keyboard.press('Tab')
    await keyboard.press('Enter')
    await page.getByRole('button', { name: 'Erase' }).waitFor()
    await until(async () => (await page.evaluate('document.activeElement.id')) === 'content')
  },
)

verifies(
  'dashboard:accessible',
  'Tab first skips the menu; three dots open on their first entry; a thread takes the focus and gives it back',
  async () => {
    const app = await sharedApp()
    for (const text of ['Where is order A-1?', 'And A-2?']) {
      const made = await app.api('POST', `/api/v1/channels/${general}/messages`, { text })
      assert.equal(made.status, 201, made.text)
    }
    await using visitor = await visit(app)
    const { page } = visitor
    const { keyboard } = page
    const focus = () => page.evaluate<Focus>(focused)
    const labelled = async (name: string) => await until(async () => (await focus()).name === name)

    await goTo(page, `/channels/${general}`)
    await page.getByText('And A-2?').waitFor()
    await keyboard.press('Tab')
    await becomes(focus, { name: 'Skip to content', inDialog: false, outlined: true })
    await keyboard.press('Enter')
    await until(async () => (await page.evaluate('document.activeElement.id')) === 'content')

    const reply = page.getByRole('button', { name: 'Reply', exact: true })
    await reply.first().focus()
    await keyboard.press('Enter')
    await labelled('Reply in thread')
    await keyboard.type('In Porto.')
    await keyboard.press('Escape')
    await page.getByRole('complementary', { name: 'Thread' }).waitFor({ state: 'detached' })
    await labelled('Reply')
    assert.ok(await reply.first().evaluate((button) => button === button.ownerDocument.activeElement))
    await keyboard.press('Enter')
    await becomes(() => page.getByLabel('Reply in thread').inputValue(), 'In Porto.')

    await page.getByRole('button', { name: 'Actions for this channel' }).focus()
    await keyboard.press('Enter')
    await labelled('Settings')
  },
)

verifies(
  ['dashboard:accessible', 'dashboard:events'],
  'a time in a filter is changed digit by digit, however slowly',
  async () => {
    const app = await sharedApp()
    await using visitor = await visit(app, admin, { timezoneId: 'Europe/Berlin' })
    const { page } = visitor
    await goTo(page, '/events?from=2026-11-14T08:30:00.000Z')
    await page.getByRole('button', { name: 'Since Nov 14' }).click()
    const from = page.getByLabel('From')
    const asked = () => new URL(page.url()).searchParams.get('from')
    await becomes(() => from.inputValue(), '2026-11-14T09:30')
    await from.focus()
    await page.keyboard.type('12312025', { delay: 350 })
    await becomes(() => from.inputValue(), '2025-12-31T09:30')
    await becomes(asked, '2025-12-31T08:30:00.000Z')
    await from.fill('')
    await becomes(asked, null)
  },
)

verifies(
  'dashboard:go-keys',
  'g and a letter open each page, also where the letter means something else, and nowhere while somebody types',
  async () => {
    await using model = await startStubOpenai([
      { calls: [{ name: 'shop__refund', input: { id: 'A-1' } }] },
      { text: 'Done.' },
    ])
    await using shop = await startShopOn(await sharedApp(), { model })
    const { runId } = await shop.sendEvent(await shop.createWebhook())
    await shop.runWhen(runId, ({ status }) => status === 'waiting')
    await using visitor = await visit(shop.app)
    const { page } = visitor
    const go = async (letter: string, title: string) => {
      await page.keyboard.press('g')
      await page.keyboard.press(letter)
      await page.getByRole('heading', { level: 1, name: title }).waitFor()
    }
    await goTo(page, '/approvals')
    await page.getByRole('button', { name: 'Approve' }).waitFor()
    await go('r', 'Runs')
    await go('a', 'Approvals')
    await page.getByRole('button', { name: 'Approve' }).waitFor()
    // On this page `a` alone approves.
    await go('a', 'Approvals')
    await go('w', 'Webhooks')
    await go('e', 'Events')
    const search = page.getByLabel('Search event bodies')
    await search.pressSequentially('gr')
    await page.waitForURL(/\/events\?text=gr/)
    // A click beside it, as somebody would leave the field: without one, the page gives it the focus back.
    await page.getByRole('heading', { level: 1 }).click()
    await go('h', 'Home')
    await page.keyboard.press('g')
    await page.keyboard.press('c')
    await page.waitForURL(/\/channels/)
    assert.equal((await shop.readRun(runId)).status, 'waiting')
    await page.keyboard.press('Shift+?')
    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await sheet.getByText('Approvals', { exact: true }).first().waitFor()
    await becomes(() => sheet.getByText('g', { exact: true }).count(), 9)
  },
)

verifies('dashboard:accessible', 'the slash finds the search where it is typed with Shift', async () => {
  const app = await sharedApp()
  await using visitor = await visit(app)
  const { page } = visitor
  await goTo(page, '/events')
  await page.getByLabel('Search event bodies').waitFor()
  // As on a German keyboard.
  await page.evaluate(
    "document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '/', code: 'Digit7', shiftKey: true, bubbles: true }))",
  )
  await becomes(async () => ((await page.evaluate(focused)) as Focus).name, 'Search event bodies')
})

verifies(
  'dashboard:accessible',
  'when a row is added or removed by keyboard, Tab continues in its list and not at the top of the page',
  async () => {
    const app = await sharedApp()
    for (const name of ['Deploy script', 'Old script'])
      await app.api('POST', '/api/v1/api-keys', { name, role: 'member' })
    await using visitor = await visit(app)
    const { page } = visitor
    await goTo(page, '/settings/limits')
    const prices = page.locator('form').filter({ has: page.getByRole('heading', { name: 'Prices' }) })
    await page.getByRole('button', { name: 'Add price' }).press('Enter')
    await page.getByLabel('Model', { exact: true }).waitFor()
    await page.keyboard.press('Tab')
    assert.ok(await page.getByLabel('Model', { exact: true }).evaluate((field) => field.matches(':focus')))
    await page.getByRole('button', { name: 'Remove price 1' }).press('Enter')
    await becomes(() => page.getByLabel('Model', { exact: true }).count(), 0)
    await page.keyboard.press('Tab')
    assert.ok(await prices.evaluate((form) => form.matches(':focus-within')))

    await goTo(page, '/settings/keys')
    await page.getByRole('button', { name: 'Revoke Old script' }).press('Enter')
    await page.getByRole('button', { name: 'Revoke key' }).press('Enter')
    await page.getByText('Old script was revoked').waitFor()
    await becomes(() => page.getByRole('button', { name: 'Revoke Old script' }).count(), 0)
    await page.keyboard.press('Tab')
    const keys = page.getByRole('table', { name: 'API keys' })
    assert.ok(await keys.evaluate((table) => table.matches(':focus-within')))
  },
)
