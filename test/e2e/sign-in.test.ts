import assert from 'node:assert/strict'
import { TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { oidcClient, startOidcProvider } from '../accounts/start-oidc-provider.ts'
import { becomes } from '../support/becomes.ts'
import { admin, createPerson, goTo, visit } from '../support/browser.ts'
import { startTestApp } from '../support/start-test-app.ts'
import { verifies } from '../support/verifies.ts'

async function readCodes(page: Page): Promise<string> {
  const dialog = page.getByRole('dialog', { name: 'Save your recovery codes' })
  const codes = (await dialog.getByRole('region', { name: 'Recovery codes' }).textContent()) ?? ''
  await dialog.getByRole('button', { name: 'Done' }).click()
  await becomes(() => dialog.count(), 0)
  return codes
}

verifies(
  ['dashboard:settings', 'accounts:totp'],
  'a second factor is set up in the dashboard; sign-in then asks for a code until one fits',
  async () => {
    await using app = await startTestApp({ admin })
    await using visitor = await visit(app)
    const { page } = visitor

    await goTo(page, '/settings/account')
    await page.getByLabel('Your password').fill(admin.password)
    // The last script that is missing now draws the QR code.
    const slow = Promise.withResolvers<void>()
    await page.route('**/assets/*.js', async (route) => {
      await slow.promise
      await route.continue()
    })
    await page.getByRole('button', { name: 'Set up' }).click()
    const before = await page.getByRole('button', { name: 'Turn on' }).boundingBox()
    slow.resolve()
    await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor()
    const after = await page.getByRole('button', { name: 'Turn on' }).boundingBox()
    assert.deepEqual(after, before, 'nothing moves when the QR code appears')
    const url = (await page.getByRole('link', { name: 'open it in the app' }).getAttribute('href')) ?? ''
    const secret = new URL(url).searchParams.get('secret') ?? ''
    await page.getByLabel('Code').fill('000000')
    await page.keyboard.press('Enter')
    await page.locator('.mantine-TextInput-error').waitFor()
    await page.getByLabel('Code').fill(new TOTP({ secret }).generate())
    await page.getByRole('button', { name: 'Turn on' }).click()
    const codes = await readCodes(page)

    await page.getByRole('button', { name: 'KI kim, menu' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByLabel('Email').fill(admin.email)
    await page.getByLabel('Password', { exact: true }).fill(admin.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByLabel('Code').fill('000000')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Incorrect code.').waitFor()
    await page.getByLabel('Code').fill(codes.split('\n')[0] ?? '')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Home' }).waitFor()
  },
)

verifies(
  ['accounts:oidc', 'accounts:totp'],
  'after the provider, the sign-in page asks for the code of the second factor and leads to where the person was',
  async () => {
    await using provider = await startOidcProvider()
    await using app = await startTestApp({ admin, env: { EGRESS_PRIVATE_EXCEPTIONS: provider.host } })
    const oidc = { name: 'Example ID', issuer: provider.issuer, newUsersRole: null, ...oidcClient }
    assert.equal((await app.api('PUT', '/api/v1/oidc', oidc)).status, 200)
    await using visitor = await visit(app)
    const { page } = visitor
    const post = async (path: string, data: object) =>
      (await page.request.post(`/api/v1${path}`, { data, headers: { origin: app.url } })).json()
    const { secret } = await post('/me/totp', { password: admin.password })
    const { recoveryCodes } = await post('/me/totp/confirm', { code: new TOTP({ secret }).generate() })
    await page.context().clearCookies()
    await page.route('**/api/v1/session/oidc?*', async (route) => {
      const answer = await route.fetch({ maxRedirects: 0 })
      const person = { sub: 'kim', email: admin.email, email_verified: true }
      const location = provider.approve(answer.headers().location ?? '', person)
      await route.fulfill({ response: answer, headers: { ...answer.headers(), location } })
    })
    await page.goto('/runs')
    await page.getByRole('link', { name: 'Sign in with Example ID' }).click()
    await page.getByLabel('Code').fill(recoveryCodes[0])
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(`${app.url}/runs`)
    await page.getByRole('heading', { name: 'Runs' }).waitFor()
  },
)

verifies(
  ['dashboard:settings', 'accounts:totp'],
  'recovery codes are shown to somebody who left the page before the answer, and made anew for somebody whom it never reached',
  async () => {
    await using app = await startTestApp({ admin })
    await using visitor = await visit(app)
    const { page } = visitor
    // Every code works once; that of the next half minute is accepted already.
    const fillCode = async (secret: string, aheadMs = 0) => {
      const timestamp = Date.now() + aheadMs
      await page.getByLabel('Code').fill(new TOTP({ secret }).generate({ timestamp }))
    }
    await goTo(page, '/settings/account')
    await page.getByLabel('Your password').fill(admin.password)
    await page.getByRole('button', { name: 'Set up' }).click()
    const link = page.getByRole('link', { name: 'open it in the app' })
    const secret = new URL((await link.getAttribute('href')) ?? '').searchParams.get('secret') ?? ''
    const confirming = '**/api/v1/me/totp/confirm'
    await page.route(confirming, async (route) => {
      await route.fetch()
      await route.abort()
    })
    await fillCode(secret)
    const lost = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/confirm'))
    await page.getByRole('button', { name: 'Turn on' }).click()
    await lost
    await page.unroute(confirming)
    await page.getByRole('button', { name: 'Create new recovery codes' }).waitFor()
    await page.reload()
    await fillCode(secret, 30_000)
    const held = Promise.withResolvers<void>()
    await page.route(confirming, async (route) => {
      await held.promise
      await route.continue()
    })
    await page.getByRole('button', { name: 'Create new recovery codes' }).click()
    await page.getByRole('link', { name: 'Runs', exact: true }).click()
    await page.getByRole('heading', { name: 'Runs' }).waitFor()
    held.resolve()
    await page.getByText('Recovery codes created.').waitFor()
    await page.getByRole('link', { name: 'Settings', exact: true }).click()
    await page.getByRole('link', { name: 'Your account' }).click()
    const codes = await readCodes(page)
    const answer = await page.request.post('/api/v1/session', {
      data: { ...admin, code: codes.split('\n')[0] },
      headers: { origin: app.url },
    })
    assert.equal(answer.status(), 200)
  },
)

verifies(
  ['dashboard:settings', 'accounts:oidc'],
  'an admin connects an OpenID Connect provider; a refused person sees the reason, an accepted one is signed in',
  async () => {
    await using provider = await startOidcProvider()
    await using app = await startTestApp({
      admin,
      env: { EGRESS_PRIVATE_EXCEPTIONS: provider.host },
    })
    await using kim = await visit(app)
    await using guest = await visit(app, null)
    // The stub provider consents at once; it has no pages of its own.
    await guest.page.route('**/api/v1/session/oidc?*', async (route) => {
      const answer = await route.fetch({ maxRedirects: 0 })
      const location = provider.approve(answer.headers().location ?? '', {
        sub: 'lu',
        email: 'lu@example.com',
        email_verified: true,
        name: 'Lu Ortiz',
      })
      await route.fulfill({ response: answer, headers: { ...answer.headers(), location } })
    })

    await goTo(kim.page, '/settings/sign-in')
    await kim.page.getByLabel('Name').fill('Example ID')
    await kim.page.getByLabel('Issuer').fill(provider.issuer)
    await kim.page.getByLabel('Client ID').fill(oidcClient.clientId)
    await kim.page.getByLabel('Client secret').fill(oidcClient.clientSecret)
    await kim.page.getByRole('button', { name: 'Save' }).click()
    await kim.page.getByText('Saved. The sign-in page now offers it.').waitFor()
    await guest.page.goto('/runs?status=failed')
    await guest.page.getByRole('link', { name: 'Sign in with Example ID' }).click()
    await guest.page.getByText('You have not been invited yet.').waitFor()
    await guest.page.goto('/sign-in?refused=too-many-requests&to=%2Fruns%3Fstatus%3Dfailed')
    await guest.page.getByText('Wait a minute, then try again.').waitFor()

    await kim.page.getByRole('combobox', { name: 'People without an invitation' }).click()
    await kim.page.getByRole('option', { name: 'Become members' }).click()
    const saved = kim.page.waitForResponse((answer) => answer.request().method() === 'PUT')
    await kim.page.getByRole('button', { name: 'Save' }).click()
    assert.equal((await saved).status(), 200)
    await guest.page.getByRole('link', { name: 'Sign in with Example ID' }).click()
    await guest.page.getByRole('button', { name: 'Lu Ortiz, menu' }).waitFor()
    await becomes(
      () => guest.page.url(),
      `${app.url}/runs?status=failed`,
      'where they wanted to go from the start',
    )
    // A signed-in person is redirected from the sign-in page.
    await guest.page.goto('/sign-in?to=%2Fapprovals%3Fshow%3Dall')
    await guest.page.getByRole('heading', { name: 'Approvals' }).waitFor()
    await becomes(() => guest.page.url(), `${app.url}/approvals?show=all`)
    // A person without a password is not asked for it.
    await guest.page.goto('/settings/account')
    await guest.page.getByText('You sign in through your organization').waitFor()
    await becomes(() => guest.page.getByLabel(/password/i).count(), 0)
  },
)

verifies(
  ['dashboard:settings', 'dashboard:roles'],
  'a reset link from an admin sets a new password once and says so the second time; disabling a user reports the API keys they created',
  async () => {
    await using app = await startTestApp({ admin })
    await using kim = await visit(app)
    const mia = await createPerson(app, 'Mia', 'member')
    await using guest = await visit(app, null)

    await goTo(kim.page, '/settings/users')
    await kim.page.getByRole('button', { name: 'Actions for Mia' }).click()
    await kim.page.getByRole('menuitem', { name: 'Password reset link' }).click()
    const link = (await kim.page.getByRole('region', { name: 'Link', exact: true }).textContent()) ?? ''
    await guest.page.goto(link)
    await becomes(() => guest.page.getByLabel('Email').inputValue(), mia.email)
    await guest.page.getByLabel('Password', { exact: true }).fill('a third horse battery')
    await guest.page.getByRole('button', { name: 'Save and sign in' }).click()
    await guest.page.getByRole('button', { name: 'Mia, menu' }).waitFor()
    // Before a password is asked for.
    await guest.page.goto(link)
    await guest.page.getByText('This link was already used, has expired or is incomplete.').waitFor()
    assert.equal(await guest.page.getByLabel('Password', { exact: true }).count(), 0)

    // A disabled user may still have the API keys they created.
    const eve = await createPerson(app, 'Eve', 'admin')
    await using former = await visit(app, eve)
    await goTo(former.page, '/settings/keys')
    await former.page.getByLabel('Name').fill('Deploy script')
    await former.page.getByRole('button', { name: 'Create key' }).click()
    await former.page.getByRole('region', { name: 'Key', exact: true }).waitFor()
    await kim.page.getByRole('button', { name: 'Done' }).click()
    await kim.page.getByRole('button', { name: 'Actions for Eve' }).click()
    await kim.page.getByRole('menuitem', { name: 'Disable' }).click()
    await kim.page.getByText('1 API key they created still works.').waitFor()
    await goTo(kim.page, '/settings/keys')
    await kim.page.getByText('Eve (no longer an admin)').filter({ visible: true }).waitFor()

    const answer = await guest.page.request.post('/api/v1/session', {
      data: { ...mia, password: 'a third horse battery' },
      headers: { origin: app.url },
    })
    assert.equal(answer.status(), 200)
  },
)
