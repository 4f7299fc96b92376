import { becomes } from '../support/becomes.ts'
import { admin, createPerson, visit } from '../support/browser.ts'
import { startTestApp } from '../support/start-test-app.ts'
import { verifies } from '../support/verifies.ts'

/** The notice that the server is down comes after a while; here at once. */
function shortenMarkDelay(): void {
  const real = globalThis.setTimeout
  Object.assign(globalThis, {
    setTimeout: (act: () => void, ms: number) => real(act, ms === 5000 ? 0 : ms),
  })
}

verifies(
  ['dashboard:same-validation', 'dashboard:roles'],
  'a session that ends in the middle of a form leads back to it, with everything that was typed',
  async () => {
    await using app = await startTestApp({ admin })
    await using visitor = await visit(app)
    const { page } = visitor
    await page.goto('/webhooks/new')
    await page.getByLabel('Name').fill('Half written')
    await page.getByLabel('Prompt').fill('Not finished yet')
    await page.getByRole('combobox', { name: 'Channel' }).click()
    await page.getByRole('option', { name: '#general' }).click()

    await page.context().clearCookies()
    await page.getByRole('button', { name: 'Create webhook' }).click()
    await page.getByLabel('Email').fill(admin.email)
    await page.getByLabel('Password', { exact: true }).fill(admin.password)
    await page.getByRole('button', { name: 'Sign in' }).click()

    await page.getByText('Unsaved changes restored').waitFor()
    await becomes(() => page.getByLabel('Name').inputValue(), 'Half written')
    await page.getByRole('button', { name: 'Create webhook' }).click()
    await page.getByRole('heading', { name: 'Half written' }).waitFor()

    // Another person in the same tab does not see it.
    const other = await createPerson(app, 'Ola', 'operator')
    await page.goto('/webhooks/new')
    await page.getByLabel('Name').fill('For my eyes only')
    await page.context().clearCookies()
    await page.reload()
    await page.getByLabel('Email').fill(other.email)
    await page.getByLabel('Password', { exact: true }).fill(other.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'New webhook' }).waitFor()
    await becomes(() => page.getByLabel('Name').inputValue(), '')

    // While the server is down, a page that is opened for the first time says so.
    const away = /\/assets\/|\/readyz|\/stream/
    await page.route(away, (route) => route.abort())
    // A page that was open before says that it may be outdated. (It reconnects when it becomes visible.)
    await page.evaluate(shortenMarkDelay)
    await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))')
    await page.getByRole('status').filter({ hasText: 'Disconnected' }).waitFor()
    await page.getByRole('link', { name: 'Runs' }).click()
    await page.getByRole('alert').filter({ hasText: 'Cannot reach Bellhop' }).waitFor()
    await page.getByRole('button', { name: 'Try again' }).waitFor()
    // No click is needed: the page loads by itself once the server is back.
    await page.unroute(away)
    await page.getByRole('heading', { name: 'Runs' }).waitFor()
  },
)

verifies('dashboard:roles', 'sign-in redirects only to our own pages', async () => {
  await using app = await startTestApp({ admin })
  await using visitor = await visit(app, null)
  const { page } = visitor

  await page.goto('/sign-in?to=//other.example/path')
  const before = await page.evaluate('history.length')
  await page.getByLabel('Email').fill(admin.email)
  await page.getByLabel('Password', { exact: true }).fill(admin.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  await becomes(() => new URL(page.url()).origin, app.url)
  // In its place: Back does not lead to the sign-in page again.
  await becomes(() => page.evaluate('history.length'), before)
})
