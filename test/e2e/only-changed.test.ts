import assert from 'node:assert/strict'
import { oidcClient, startOidcProvider } from '../accounts/start-oidc-provider.ts'
import { mattermostToken, startMattermost } from '../chat/support/start-mattermost.ts'
import { becomes } from '../support/becomes.ts'
import { admin, goTo, visit } from '../support/browser.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startShopOn } from '../support/start-shop.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp({ admin, env: loopback }))

/** Somebody else changes the same thing, and the page has not heard of it. */

verifies(
  'dashboard:configure-connectors',
  'saving a connector leaves alone what was not typed, also if the page has not heard that it was changed elsewhere',
  async () => {
    await using shop = await startShopOn(await sharedApp())
    const path = `/connectors/${shop.connectorId}`
    await shop.app.api('PATCH', `/api/v1${path}`, {
      defaultHeaders: { 'X-Store': 'north', 'X-Old': 'yes', 'X-Token': 'planted-header-token' },
    })
    await using visitor = await visit(shop.app)
    const { page } = visitor
    await page.route('**/api/v1/stream', (route) => route.abort())
    await goTo(page, `${path}?tab=settings`)
    await page.getByLabel('Timeout', { exact: true }).fill('5')
    await page.getByLabel('Name of header 2').and(page.locator('[value=X-Old]')).waitFor()
    await page.getByRole('button', { name: 'Remove header 2' }).click()
    await shop.app.api('PATCH', `/api/v1${path}`, {
      name: 'Big shop',
      baseUrl: `${shop.target.origin}/v2`,
      defaultHeaders: { 'X-Store': 'south', 'X-Token': null },
    })
    await page.getByRole('button', { name: 'Save & test' }).click()
    await becomes(() => page.getByLabel('Name').first().inputValue(), 'Big shop')
    const { name, baseUrl, timeoutMs, authType, authValue, defaultHeaders } = await shop.app.get(
      `/api/v1${path}`,
    )
    assert.deepEqual(
      { name, baseUrl, timeoutMs, authType, authValue, defaultHeaders },
      {
        name: 'Big shop',
        baseUrl: `${shop.target.origin}/v2`,
        timeoutMs: 5000,
        authType: 'bearer',
        authValue: { set: true },
        defaultHeaders: { 'X-Store': 'south' },
      },
    )
  },
)

verifies(
  'dashboard:settings',
  'saving limits, prices, the agent’s name or the model’s key leaves alone what was not typed and was changed elsewhere',
  async () => {
    const app = await sharedApp()
    await app.api('PATCH', '/api/v1/settings', {
      prices: { 'gpt-5': { input: 1, output: 2 }, 'gpt-4': { input: 3, output: 4 } },
    })
    await using visitor = await visit(app)
    const { page } = visitor
    await page.route('**/api/v1/stream', (route) => route.abort())
    await goTo(page, '/settings/limits')
    await page.getByLabel('Steps').fill('20')
    await page.getByLabel('Keep messages for (days)').fill('400')
    await page.getByRole('button', { name: 'Remove price 2' }).click()
    await app.api('PATCH', '/api/v1/settings', {
      limits: { tokensPerRun: 50_000 },
      retention: { auditDays: 1000 },
      prices: { 'gpt-5': { input: 5, output: 6 } },
    })
    await page.getByRole('button', { name: 'Save prices' }).click()
    await page.getByText('Prices saved').waitFor()
    await page.getByRole('button', { name: 'Save limits' }).click()
    await page.getByText('Settings saved').waitFor()

    await page.goto('/settings/agent')
    await page.getByLabel('Name').fill('Porter')
    await app.api('PATCH', '/api/v1/settings', { agent: { instructions: 'Be kind.' } })
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Settings saved').waitFor()

    const model = { provider: 'openai', name: 'gpt-5-mini', apiKey: 'a-first-key' }
    await app.api('PATCH', '/api/v1/settings', { model })
    await page.goto('/settings/model')
    await page.getByLabel('API key').fill('a-second-key')
    await app.api('PATCH', '/api/v1/settings', { model: { name: 'gpt-5' } })
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Settings saved').waitFor()
    const { agent, limits, retention, prices, ...other } = await app.get<{
      agent: { name: string; instructions: string }
      model: { name: string }
      limits: Record<string, unknown>
      retention: Record<string, unknown>
      prices: unknown
    }>('/api/v1/settings')
    assert.deepEqual([agent.name, agent.instructions], ['Porter', 'Be kind.'])
    assert.deepEqual([limits.stepsPerRun, limits.tokensPerRun], [20, 50_000])
    assert.deepEqual([retention.messageDays, retention.auditDays], [400, 1000])
    assert.deepEqual(prices, { 'gpt-5': { input: 5, output: 6 } })
    assert.equal(other.model.name, 'gpt-5')
  },
)

verifies(
  'dashboard:configure-connectors',
  'saving a tool does not lower what was raised elsewhere',
  async () => {
    await using shop = await startShopOn(await sharedApp())
    const { tools } = await shop.app.get<{ tools: { id: string }[] }>(
      `/api/v1/connectors/${shop.connectorId}`,
    )
    const path = `/connectors/${shop.connectorId}/tools/${tools[0]?.id}`
    await using visitor = await visit(shop.app)
    const { page } = visitor
    await page.route('**/api/v1/stream', (route) => route.abort())
    await goTo(page, path)
    await page.getByLabel('Description').fill('Reads one order')
    await shop.app.api('PATCH', `/api/v1${path}`, { capability: 'destructive' })
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Tool saved').waitFor()
    await page.getByRole('radio', { name: 'destructive', checked: true }).waitFor()
    await becomes(() => page.getByLabel('Description').inputValue(), 'Reads one order')
  },
)

verifies(
  'dashboard:settings',
  'an API key or a link for somebody whose answer comes after its page was left is shown once that page is opened again',
  async () => {
    const app = await sharedApp()
    await using visitor = await visit(app)
    const { page } = visitor
    const leaveBeforeTheAnswer = async (path: string, button: string, said: string) => {
      const held = Promise.withResolvers<void>()
      await page.route(path, async (route) => {
        if (route.request().method() === 'POST') await held.promise
        await route.continue()
      })
      await page.getByRole('button', { name: button }).click()
      await page.getByRole('link', { name: 'Runs', exact: true }).click()
      await page.getByRole('heading', { name: 'Runs' }).waitFor()
      held.resolve()
      await page.getByText(said).waitFor()
      await page.getByRole('link', { name: 'Settings', exact: true }).click()
    }
    const readOnce = async (title: string, value: RegExp) => {
      const dialog = page.getByRole('dialog', { name: title })
      await dialog.getByText(value).waitFor()
      await dialog.getByRole('button', { name: 'Done' }).click()
      await becomes(() => dialog.count(), 0)
    }
    await goTo(page, '/settings/keys')
    await page.getByLabel('Name').fill('Deploy script')
    await leaveBeforeTheAnswer('**/api/v1/api-keys', 'Create key', 'API key created.')
    await page.getByRole('link', { name: 'API keys' }).click()
    await readOnce('Copy your API key', /^blh_/)
    await page.getByRole('link', { name: 'Users' }).click()
    await page.getByLabel('Name').fill('Lu')
    await page.getByRole('textbox', { name: 'Email' }).fill('lu@example.com')
    await leaveBeforeTheAnswer('**/api/v1/users', 'Invite', 'Link created.')
    await page.getByRole('link', { name: 'Users' }).click()
    await readOnce('Share this link', /\/link#token=/)
  },
)

verifies(
  ['dashboard:settings', 'accounts:oidc'],
  'saving the sign-in provider leaves alone what was not typed and was changed elsewhere, and sends a typed secret to the issuer that was shown',
  async () => {
    await using provider = await startOidcProvider()
    await using other = await startOidcProvider()
    const app = await sharedApp()
    const first = { name: 'Acme', issuer: provider.issuer, newUsersRole: null, ...oidcClient }
    const configure = (change: object) => app.api('PUT', '/api/v1/oidc', { ...first, ...change })
    assert.equal((await configure({})).status, 200)
    await using visitor = await visit(app)
    const { page } = visitor
    await page.route('**/api/v1/stream', (route) => route.abort())
    const saved = async () => {
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText('Saved. The sign-in page now offers it.').first().waitFor()
      const state = await app.get<{ provider: Record<string, unknown> }>('/api/v1/oidc')
      const { name, issuer, newUsersRole } = state.provider
      return { name, issuer, newUsersRole }
    }
    await goTo(page, '/settings/sign-in')
    await page.getByLabel('Name').fill('Acme ID')
    await configure({ issuer: other.issuer, newUsersRole: 'member' })
    assert.deepEqual(await saved(), { name: 'Acme ID', issuer: other.issuer, newUsersRole: 'member' })

    await page.reload()
    await page.getByLabel('Client secret').fill('meant for the other one')
    await configure({ name: 'Acme ID', newUsersRole: 'operator' })
    assert.deepEqual(await saved(), { name: 'Acme ID', issuer: other.issuer, newUsersRole: 'operator' })
  },
)

verifies(
  ['dashboard:settings', 'chat:workspace-health'],
  'renaming a workspace does not ask its platform, and saving it leaves alone what was not typed',
  async () => {
    await using mattermost = await startMattermost()
    const app = await sharedApp()
    const { body } = await app.api<{ id: string }>('POST', '/api/v1/workspaces', {
      platform: 'mattermost',
      name: 'Office',
      botToken: mattermostToken,
      apiUrl: mattermost.origin,
    })
    const path = `/api/v1/workspaces/${body.id}`
    await using visitor = await visit(app)
    const { page } = visitor
    await page.route('**/api/v1/stream', (route) => route.abort())
    await goTo(page, '/settings/workspaces')
    await page.getByRole('button', { name: /^Connection/ }).click()
    const save = page.getByRole('button', { name: 'Save & connect' })
    // It would now refuse to be connected.
    mattermost.token = 'another-token'
    await page.getByLabel('Name').fill('Headquarters')
    await save.click()
    await page.getByText('Workspace saved').waitFor()
    assert.equal((await app.get<{ name: string }>(path)).name, 'Headquarters')

    mattermost.token = mattermostToken
    await app.api('PATCH', path, { name: 'Branch' })
    await page.getByLabel('Bot token').fill(mattermostToken)
    await save.click()
    await page.getByText('Workspace connected').waitFor()
    assert.equal((await app.get<{ name: string }>(path)).name, 'Branch')
  },
)

verifies(
  'dashboard:channels',
  'renaming a channel leaves alone which connectors it has, if somebody else has restricted them meanwhile',
  async () => {
    const app = await sharedApp()
    const { body } = await app.api<{ id: string }>('POST', '/api/v1/channels', { name: 'reception' })
    const path = `/channels/${body.id}`
    await using visitor = await visit(app)
    const { page } = visitor
    await page.route('**/api/v1/stream', () => undefined)
    await goTo(page, path)
    await page.getByRole('button', { name: 'Actions for this channel' }).click()
    await page.getByRole('menuitem', { name: 'Settings' }).click()
    const dialog = page.getByRole('dialog', { name: 'Channel settings' })
    await dialog.getByLabel('Name').fill('lobby')
    await app.api('PATCH', `/api/v1${path}`, { connectorIds: [] })
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: '#lobby' }).waitFor()
    const { connectorIds } = await app.get<{ connectorIds: unknown }>(`/api/v1${path}`)
    assert.deepEqual(connectorIds, [])
  },
)

verifies(
  'dashboard:typed-stays',
  'a form with groups of fields follows and restores each field alone: what somebody else changed beside it is neither undone nor reported as the same',
  async () => {
    const app = await sharedApp()
    await using visitor = await visit(app)
    const { page } = visitor
    const tokens = page.getByLabel('Tokens')
    await goTo(page, '/settings/limits')
    await page.getByLabel('Steps').fill('31')
    await app.api('PATCH', '/api/v1/settings', { limits: { tokensPerRun: 70_000 } })
    await becomes(() => tokens.inputValue(), '70,000')
    await page.getByText('Unsaved changes').waitFor()
    await goTo(page, '/runs')
    await app.api('PATCH', '/api/v1/settings', { limits: { tokensPerRun: 80_000 } })
    await page.goto('/settings/limits')
    await page.getByText('Unsaved changes restored').waitFor()
    assert.deepEqual(
      [await page.getByLabel('Steps').inputValue(), await tokens.inputValue()],
      ['31', '80,000'],
    )
    await app.api('PATCH', '/api/v1/settings', { limits: { stepsPerRun: 25 } })
    await page.getByText('Someone else changed this too.').waitFor()
  },
)

verifies(
  'dashboard:same-validation',
  'what the server says about a header is shown at the row of that header',
  async () => {
    const app = await sharedApp()
    await using visitor = await visit(app)
    const { page } = visitor
    await goTo(page, '/connectors/new')
    await page.getByLabel('Name').fill('Shop')
    await page.getByLabel('Base URL').fill('https://shop.example.com')
    await page.getByRole('button', { name: /^Headers and timeout/ }).click()
    const given = [
      ['X-Store', 'north'],
      ['Content-Length', '1'],
      ['X-City', 'Köln'],
    ]
    for (const [at, [name = '', value = '']] of given.entries()) {
      await page.getByRole('button', { name: 'Add header' }).click()
      await page.getByLabel(`Name of header ${at + 1}`).fill(name)
      await page.getByLabel(`Value of header ${at + 1}`).fill(value)
    }
    await page.getByRole('button', { name: 'Save & test' }).click()
    await page.getByLabel('Name of header 2').and(page.locator('[aria-invalid=true]')).waitFor()
    await page.getByLabel('Value of header 3').and(page.locator('[aria-invalid=true]')).waitFor()
    const words =
      'Content-Length cannot be a default header: the connection and the method of the tool decide it.'
    assert.equal(await page.getByText(words).count(), 1)
    assert.equal(await page.locator('[aria-invalid=true]').count(), 2)
  },
)
