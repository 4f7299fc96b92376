import assert from 'node:assert/strict'
import { oidcClient, startOidcProvider } from '../accounts/start-oidc-provider.ts'
import { becomes } from '../support/becomes.ts'
import { admin, type Visitor, visit } from '../support/browser.ts'
import { openCuttableWire } from '../support/open-cuttable-wire.ts'
import { general } from '../support/start-shop.ts'
import { startTestApp } from '../support/start-test-app.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { verifies } from '../support/verifies.ts'

async function startCuttable(env: Record<string, string> = {}) {
  await using stack = new AsyncDisposableStack()
  const database = stack.use(await createTestDatabase())
  const wire = stack.use(await openCuttableWire(database.url))
  const app = stack.use(
    await startTestApp({ databaseUrl: wire.url, admin, env: { ...env, LOG_LEVEL: 'silent' } }),
  )
  const opened = stack.move()
  return { app, wire, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

/** The requests that the server refused while its database was unavailable, and nothing else. */
function forgive({ faults }: Visitor): void {
  assert.deepEqual(
    faults.splice(0).filter((words) => !words.endsWith(' answered 503')),
    [],
  )
}

verifies(
  'dashboard:runs-live',
  'a page that cannot be loaded while the database is unavailable says why, and loads by itself once it is back',
  async () => {
    await using scene = await startCuttable()
    const { app, wire } = scene
    await using visitor = await visit(app)
    const { page } = visitor
    await page.goto('/settings/agent')
    await page.getByLabel('Instructions for every run').fill('Half a sentence')

    wire.cut()
    // One page that polls, and one that does not.
    for (const name of ['Runs', 'Connectors']) {
      await page.getByRole('link', { name, exact: true }).click()
      await page.getByRole('alert').filter({ hasText: 'The database is not responding.' }).waitFor()
    }
    wire.mend()
    await page.getByText('A connector gives the agent tools').waitFor()
    await page.getByRole('link', { name: 'Runs', exact: true }).click()
    await page.getByText('Each event and each question').waitFor()

    // Nothing is loaded yet, not even the session: the whole page loads by itself, with the earlier draft.
    wire.cut()
    await page.goto('/settings/agent')
    await page.getByRole('alert').filter({ hasText: 'The database is not responding.' }).waitFor()
    wire.mend()
    await page.getByText('Unsaved changes restored').waitFor()
    await becomes(() => page.getByLabel('Instructions for every run').inputValue(), 'Half a sentence')
    forgive(visitor)
  },
)

verifies(
  'accounts:oidc',
  'returning from the provider while the database is unavailable, the sign-in page says so',
  async () => {
    await using provider = await startOidcProvider()
    await using scene = await startCuttable({ EGRESS_PRIVATE_EXCEPTIONS: provider.host })
    const { app, wire } = scene
    const configured = await app.api('PUT', '/api/v1/oidc', {
      name: 'Example ID',
      issuer: provider.issuer,
      newUsersRole: 'member',
      ...oidcClient,
    })
    assert.equal(configured.status, 200, configured.text)
    await using guest = await visit(app, null)
    const { page } = guest
    await page.route('**/api/v1/session/oidc?*', async (route) => {
      const answer = await route.fetch({ maxRedirects: 0 })
      const person = { sub: 'lu', email: 'lu@example.com', email_verified: true, name: 'Lu Ortiz' }
      const location = provider.approve(answer.headers().location ?? '', person)
      wire.cut()
      await route.fulfill({ response: answer, headers: { ...answer.headers(), location } })
    })
    await page.goto('/runs')
    await page.getByRole('link', { name: 'Sign in with Example ID' }).click()
    await page.waitForURL(`${app.url}/sign-in?refused=unavailable&to=%2Fruns`)
    await page.getByText('Bellhop cannot reach its database. Try again in a moment.').waitFor()
    wire.mend()
    forgive(guest)
  },
)

verifies(
  'dashboard:home',
  'home does not say that nothing needs a person when it could not find out',
  async () => {
    await using app = await startTestApp({ admin })
    await using visitor = await visit(app)
    const { page } = visitor
    const problem = { type: 'too-many-requests', title: 'Too many requests', status: 429, detail: 'Wait.' }
    await page.route('**/api/v1/approvals?*', (route) =>
      route.fulfill({ status: 429, contentType: 'application/problem+json', json: problem }),
    )
    await page.goto('/')
    await page.getByRole('alert').getByText('Too many requests').waitFor()
    await becomes(() => page.getByText('You’re all caught up.').count(), 0)
    await page.unroute('**/api/v1/approvals?*')
    await page.getByRole('button', { name: 'Try again' }).click()
    await becomes(() => page.getByRole('alert').count(), 0)
  },
)

verifies(
  'dashboard:channels',
  'older messages that are on their way when the connection comes back are shown',
  async () => {
    await using app = await startTestApp({ admin })
    for (let n = 1; n <= 60; n += 1)
      await app.api('POST', `/api/v1/channels/${general}/messages`, { text: `Talk ${n}` })
    await using visitor = await visit(app)
    const { page } = visitor
    await page.goto(`/channels/${general}`)
    const held = Promise.withResolvers<void>()
    await page.route('**/messages?*cursor=*', async (route) => {
      await held.promise
      // One that the page gave up cannot go on.
      await route.continue().catch(() => undefined)
    })
    await page.getByText('Talk 60', { exact: true }).waitFor()
    const asked = page.waitForRequest('**/messages?*cursor=*')
    await page.getByRole('button', { name: 'Show older messages' }).click()
    await asked
    // As when a tab is shown again, or the network is back: both streams are opened anew, and what may have been missed is read.
    const back = Promise.all([
      page.waitForResponse('**/api/v1/stream'),
      page.waitForResponse('**/api/v1/channels/*/stream?*'),
      page.waitForResponse('**/api/v1/me'),
    ])
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    await back
    held.resolve()
    await page.getByText('Talk 1', { exact: true }).waitFor()
  },
)
