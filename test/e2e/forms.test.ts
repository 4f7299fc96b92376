import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { becomes } from '../support/becomes.ts'
import { admin, goTo, visit } from '../support/browser.ts'
import { general } from '../support/start-shop.ts'
import { startTestApp } from '../support/start-test-app.ts'
import { hostile, type InvalidForm, submitInvalid } from '../support/submit-invalid.ts'
import { verifies } from '../support/verifies.ts'

const click = (role: 'button' | 'menuitem' | 'option' | 'combobox', name: string) => (page: Page) =>
  page.getByRole(role, { name, exact: true }).click()

verifies(
  ['dashboard:same-validation', 'dashboard:text-never-html'],
  'the pages for signed-out people show errors at the field, keep invalid input and execute none of it',
  async () => {
    {
      await using fresh = await startTestApp()
      await using newcomer = await visit(fresh, null)
      const person = { Name: hostile, Email: 'ada@example.com', Password: 'short' }
      const asked = { fields: person, submit: 'Create admin account' }
      const link = fresh.app.setupUrl ?? ''
      await submitInvalid(newcomer.page, link, { ...asked, says: { Password: /12 characters or more/ } })
      const noAddress = { ...person, Email: hostile, Password: 'long enough for it' }
      await submitInvalid(newcomer.page, link, {
        ...asked,
        fields: noAddress,
        says: { Email: /Enter an email address/ },
      })
    }
    await using app = await startTestApp({ admin })
    await using visitor = await visit(app, null)
    const { page } = visitor
    await submitInvalid(page, '/sign-in', {
      fields: { Email: hostile, Password: 'x' },
      submit: 'Sign in',
      says: { Email: /Enter your email address/ },
    })
    await page.getByLabel('Email').fill(admin.email)
    await page.getByLabel('Password', { exact: true }).fill(hostile)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').waitFor()
    await becomes(() => page.getByLabel('Email', { exact: true }).inputValue(), admin.email)

    const invited = await app.api<{ link: { url: string } }>('POST', '/api/v1/users', {
      name: 'Mia',
      email: 'mia@example.com',
      role: 'member',
    })
    // An incomplete link is reported before a password is asked for.
    await page.goto('/link')
    await page.getByRole('heading', { name: 'This link is incomplete' }).waitFor()
    const asked = { submit: 'Save and sign in' }
    await submitInvalid(page, invited.body.link.url, {
      ...asked,
      fields: { Name: hostile, Password: 'too short' },
      says: { Password: /12 characters or more/ },
    })
    await submitInvalid(page, invited.body.link.url, {
      ...asked,
      fields: {
        Name: hostile.repeat(5),
        Password: 'long enough for it',
      },
      says: { Name: /characters/ },
    })
  },
)

verifies(
  ['dashboard:same-validation', 'dashboard:text-never-html'],
  'every form shows errors at the field, keeps invalid input and executes none of it',
  async () => {
    await using app = await startTestApp({ admin })
    const connector = await app.api<{ id: string }>('POST', '/api/v1/connectors', {
      type: 'http',
      name: 'Shop',
      baseUrl: 'https://shop.example.com',
      authType: 'none',
      tools: [],
    })
    const webhook = await app.api<{ id: string }>('POST', '/api/v1/webhooks', {
      name: 'Orders',
      channelId: general,
      prompt: 'Say what came in.',
      active: true,
    })
    const workspace = await app.api<{ id: string }>('POST', '/api/v1/workspaces', { platform: 'slack' })
    assert.equal(workspace.status, 201, workspace.text)
    const settings = `/webhooks/${webhook.body.id}?tab=settings`
    const long = `${hostile}${'x'.repeat(21_000)}`
    const cases: [path: string, wrong: InvalidForm][] = [
      [
        '/channels',
        {
          fields: { 'New channel name': hostile },
          submit: 'Create channel',
          says: { 'New channel name': /letters, digits/ },
        },
      ],
      [
        `/channels/${general}`,
        {
          open: async (page) => {
            await page.getByRole('button', { name: 'Actions for this channel' }).click()
            await page.getByRole('menuitem', { name: /Settings/ }).click()
          },
          fields: { Name: hostile },
          submit: 'Save',
          says: { Name: /letters, digits/ },
        },
      ],
      [
        settings,
        {
          fields: { Name: '', Prompt: hostile },
          submit: 'Save',
          says: { Name: /Give the webhook a name/ },
        },
      ],
      [
        settings,
        {
          fields: { Name: hostile, Prompt: long },
          submit: 'Save',
          says: { Prompt: /20,000 characters/ },
        },
      ],
      [
        '/connectors/new',
        {
          fields: { Name: hostile, 'Base URL': `javascript:${hostile}` },
          submit: 'Save & test',
          says: { 'Base URL': /https:/ },
        },
      ],
      [
        '/connectors/new?type=mcp',
        {
          fields: { Name: hostile, URL: hostile },
          submit: 'Save & test',
          says: { URL: /URL|address|https:/ },
        },
      ],
      [
        `/connectors/${connector.body.id}?tab=settings`,
        {
          fields: { Name: hostile, 'Base URL': 'http://169.254.169.254/' },
          submit: 'Save & test',
          says: { 'Base URL': /EGRESS_PRIVATE_EXCEPTIONS|not allowed|private/ },
        },
      ],
      [
        `/connectors/${connector.body.id}/tools/new`,
        {
          fields: { Name: hostile, Description: hostile, Path: hostile },
          submit: 'Create tool',
          says: { Name: /1 to 64 letters/ },
        },
      ],
      [
        '/settings/agent',
        {
          fields: { Name: '', 'Instructions for every run': hostile },
          submit: 'Save',
          says: { Name: /Enter a name/ },
        },
      ],
      [
        '/settings/users',
        {
          fields: { Name: hostile, Email: hostile },
          submit: 'Invite',
          says: { Email: /Enter an email address/ },
        },
      ],
      [
        '/settings/users',
        {
          fields: { Name: hostile, Email: admin.email },
          submit: 'Invite',
          says: { Email: /already|taken|has this/i },
        },
      ],
      [
        '/settings/sign-in',
        {
          fields: { Name: hostile, Issuer: hostile, 'Client ID': hostile },
          submit: 'Save',
          says: { Issuer: /URL of the provider/ },
        },
      ],
      [
        '/settings/keys',
        { fields: { Name: hostile.repeat(5) }, submit: 'Create key', says: { Name: /characters/ } },
      ],
      [
        '/settings/limits',
        {
          open: click('button', 'Add price'),
          fields: { Model: ' ' },
          submit: 'Save prices',
          says: { Model: /start of a model name/ },
        },
      ],
      ['/settings/account', { fields: { Name: ' ' }, submit: 'Save name', says: { Name: /Enter a name/ } }],
      [
        '/start',
        {
          fields: { Name: '', 'Instructions for every run': hostile },
          submit: 'Continue',
          says: { Name: /Enter a name/ },
        },
      ],
    ]
    await using visitor = await visit(app)
    const { page } = visitor
    for (const [path, wrong] of cases) await submitInvalid(page, path, wrong)

    await goTo(page, '/settings/account')
    await page.getByLabel('Your password').fill(admin.password)
    await page.getByRole('button', { name: 'Set up' }).click()
    await page.getByLabel('Code', { exact: true }).fill(hostile)
    await page.getByRole('button', { name: 'Turn on' }).click()
    await page.locator('.mantine-TextInput-error').waitFor()
    await becomes(() => page.getByLabel('Code', { exact: true }).inputValue(), hostile)

    await goTo(page, `/webhooks/${webhook.body.id}`)
    // The text area is replaced by an editor a moment later.
    await page.locator('.cm-content').first().waitFor()
    await page.getByRole('textbox', { name: 'Body' }).fill(hostile)
    await page.getByText('Invalid JSON').waitFor()
    await becomes(() => page.getByRole('button', { name: 'Send test event' }).isDisabled(), true)

    await goTo(page, `/channels/${general}`)
    const message = page.getByRole('textbox', { name: 'Message', exact: true })
    await message.fill(`${hostile}${'x'.repeat(40_000)}`)
    await page.keyboard.press('Enter')
    await page.getByText('A message has 40,000 characters at most.').first().waitFor()
    assert.match(await message.inputValue(), /^"><img/)
    assert.equal(await page.evaluate('globalThis.struck'), undefined)
  },
)
