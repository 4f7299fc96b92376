import assert from 'node:assert/strict'
import { discordToken, startDiscord } from '../chat/support/start-discord.ts'
import { mattermostToken, startMattermost } from '../chat/support/start-mattermost.ts'
import { becomes } from '../support/becomes.ts'
import { admin, goTo, visit } from '../support/browser.ts'
import { startShop } from '../support/start-shop.ts'
import { startTestApp } from '../support/start-test-app.ts'
import { assertHarmless, hostile, type InvalidForm, submitInvalid } from '../support/submit-invalid.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

verifies(
  ['chat:workspace-health', 'chat:discord', 'chat:mattermost'],
  'an admin is led through connecting Discord and Mattermost, tests them, and is told at once when a token is revoked',
  async () => {
    await using discord = await startDiscord()
    await using mattermost = await startMattermost()
    const env = { EGRESS_PRIVATE_EXCEPTIONS: `${discord.pair},${mattermost.pair}` }
    await using shop = await startShop({ admin, env })
    await shop.createWebhook()
    await using visitor = await visit(shop.app)
    await using watcher = await visit(shop.app)
    const { page } = visitor
    await goTo(watcher.page, '/')
    await goTo(page, '/settings/workspaces')
    const begin = async (platform: string) => {
      await page.getByRole('combobox', { name: 'Connect a chat system' }).click()
      await page.getByRole('option', { name: `${platform} (beta)` }).click()
      await page.getByRole('button', { name: 'Connect', exact: true }).click()
      const card = page.getByRole('region', { name: platform })
      await card.getByText('Draft', { exact: true }).waitFor()
      return card
    }

    const first = await begin('Discord')
    for (const words of [
      /Message Content Intent/,
      /scopes bot and applications\.commands/,
      /Interactions Endpoint URL/,
      /View Channels, Send Messages, Create Public Threads/,
      /\/chat\/discord\/wsp_/,
    ]) {
      await first.getByText(words).first().waitFor()
    }
    await first.getByLabel('Bot token').fill(discordToken)
    // Its addresses are links, also the one that the Application ID is a part of; its values are copied.
    const hrefOf = (name: string) => first.getByRole('link', { name }).getAttribute('href')
    assert.equal(await hrefOf('Discord Developer Portal'), 'https://discord.com/developers/applications')
    await first.getByRole('button', { name: /^Copy http.*\/chat\/discord\/wsp_/ }).waitFor()
    await becomes(() => first.getByRole('link', { name: 'Add the bot to your server' }).count(), 0)
    await first.getByLabel('Application ID').fill('99')
    assert.match((await hrefOf('Add the bot to your server')) ?? '', /authorize\?client_id=99&scope=bot/)
    await first.getByLabel('Public key').fill(discord.publicKey)
    await first.getByLabel(/^API URL/).fill(`${discord.origin}/api/v10/`)
    await first.getByRole('button', { name: 'Save & connect' }).click()
    await first.getByText('Connected', { exact: true }).waitFor()
    await first.getByText(/^Open since/).waitFor()
    await first.getByLabel('Test message').click()
    await page.getByRole('option', { name: '#Acme / ops' }).click()
    await first.getByRole('button', { name: 'Send' }).click()
    await until(() => discord.messages.some(({ content }) => /test message/.test(content)))

    const second = await begin('Mattermost')
    await second.getByText(/Allow untrusted internal connections/).waitFor()
    await second.getByLabel('Bot token').fill(mattermostToken)
    await second.getByLabel(/^Server URL/).fill(mattermost.origin)
    await second.getByRole('button', { name: 'Save & connect' }).click()
    await second.getByText('Connected', { exact: true }).waitFor()
    await second.getByText(/^Open since/).waitFor()

    mattermost.token = 'another-token'
    mattermost.cut()
    await watcher.page.getByText('Mattermost no longer accepts its token').waitFor()
    await second.getByText('Revoked', { exact: true }).waitFor()
    await second.getByText(/Mattermost does not accept the bot token/).waitFor()
    assert.equal(discord.visits.length, 1)
  },
)

verifies(
  ['dashboard:same-validation', 'dashboard:text-never-html'],
  'the forms of chat platforms show errors at the field, keep invalid input and execute none of it',
  async () => {
    await using mattermost = await startMattermost()
    await using app = await startTestApp({ admin, env: { EGRESS_PRIVATE_EXCEPTIONS: mattermost.pair } })
    const proxy = 'API URL (only for a proxy or an emulator)'
    const token = /letters, digits and signs only/
    const address = /Write it like https/
    const platforms: Record<string, Pick<InvalidForm, 'fields' | 'says'>> = {
      slack: {
        fields: { 'Bot token': hostile, 'App-level token': 'xoxb-1', [proxy]: hostile },
        says: { 'Bot token': token, 'App-level token': /begins with xapp-/, [proxy]: address },
      },
      telegram: {
        fields: { 'Bot token': 'copied from a…', [proxy]: `javascript:${hostile}` },
        says: { 'Bot token': token, [proxy]: address },
      },
      discord: {
        fields: { 'Bot token': 'x', 'Application ID': hostile, 'Public key': hostile },
        says: { 'Public key': /64 hexadecimal digits/ },
      },
      mattermost: {
        fields: { 'Bot token': 'wrong', 'Server URL, e.g. https://chat.example.com': mattermost.origin },
        says: { 'Bot token': /does not accept the bot token/ },
      },
      teams: {
        fields: { 'Client secret': hostile, 'App ID': hostile, 'Service URL': 'http://169.254.169.254/' },
        says: { 'Service URL': /private|not allowed|EGRESS/ },
      },
      'google-chat': {
        fields: { 'Service account key (JSON)': hostile, 'Project number': hostile },
        says: { 'Service account key (JSON)': /JSON key that Google gives out/ },
      },
    }
    await using visitor = await visit(app)
    const { page } = visitor
    for (const [platform, wrong] of Object.entries(platforms)) {
      const made = await app.api('POST', '/api/v1/workspaces', { platform, name: platform })
      assert.equal(made.status, 201, made.text)
      await submitInvalid(page, '/settings/workspaces', {
        within: platform,
        fields: { Name: hostile, ...wrong.fields },
        submit: 'Save & connect',
        says: wrong.says,
      })
    }

    const connected = await app.api('POST', '/api/v1/workspaces', {
      platform: 'mattermost',
      name: hostile,
      botToken: mattermostToken,
      apiUrl: mattermost.origin,
    })
    assert.equal(connected.status, 201, connected.text)
    await submitInvalid(page, '/settings/workspaces', {
      within: hostile,
      open: (page) => page.getByRole('button', { name: /^People/ }).click(),
      fields: { 'Account ID': hostile.repeat(3) },
      submit: 'Link',
      says: { 'Account ID': /account ID/, 'Bellhop user': /Choose a user/ },
    })
    await page.getByLabel('Account ID').fill(hostile)
    await page.getByRole('combobox', { name: 'Bellhop user', exact: true }).click()
    await page.getByRole('option').first().click()
    await page.getByRole('button', { name: 'Link', exact: true }).click()
    await page.getByRole('listitem').filter({ hasText: 'globalThis.struck=1' }).waitFor()
    await assertHarmless(page)
  },
)

verifies(
  ['chat:thread-context', 'chat:workspace-health'],
  'the card of a platform says what the code was tested with, that it is beta, and which consent the agent lacks to read threads',
  async () => {
    await using app = await startTestApp({ admin })
    for (const platform of ['teams', 'google-chat', 'telegram'])
      assert.equal((await app.api('POST', '/api/v1/workspaces', { platform })).status, 201)
    await using visitor = await visit(app, admin)
    const { page } = visitor
    await goTo(page, '/settings/workspaces')
    for (const words of [
      /from a team owner, or ChannelMessage\.Read\.All/,
      /chat\.app\.messages\.readonly/,
      /only the message that is replied to/,
    ])
      await page.getByText(words).waitFor()
    assert.equal(await page.getByText(/^Tested with .*, not yet with the service itself\.$/).count(), 3)
    assert.equal(await page.getByText('Beta', { exact: true }).count(), 3)
  },
)
