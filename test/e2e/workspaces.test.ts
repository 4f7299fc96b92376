import assert from 'node:assert/strict'
import { discordToken, startDiscord } from '../chat/support/start-discord.ts'
import { mattermostToken, startMattermost } from '../chat/support/start-mattermost.ts'
import { adminEnv, openBrowser, visit } from '../support/browser.ts'
import { startShop } from '../support/start-shop.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

verifies(
  ['chat:workspace-health', 'chat:discord', 'chat:mattermost'],
  'an admin is led through connecting Discord and Mattermost, tests them, and is told at once when a token is revoked',
  async () => {
    await using discord = await startDiscord()
    await using mattermost = await startMattermost()
    const env = { ...adminEnv, EGRESS_PRIVATE_EXCEPTIONS: `${discord.pair},${mattermost.pair}` }
    await using shop = await startShop({ env })
    await shop.createWebhook()
    await using browser = await openBrowser()
    await using visitor = await visit(browser, shop.app)
    await using watcher = await visit(browser, shop.app)
    const { page } = visitor
    await watcher.page.goto('/')
    await page.goto('/settings/workspaces')
    const begin = async (platform: string) => {
      await page.getByRole('combobox', { name: 'Another chat system' }).click()
      await page.getByRole('option', { name: `${platform} (beta)` }).click()
      await page.getByRole('button', { name: 'Connect', exact: true }).click()
      const card = page.getByRole('region', { name: platform })
      await card.getByText('draft', { exact: true }).waitFor()
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
    await first.getByLabel('Application id').fill('99')
    await first.getByLabel('Public key').fill(discord.publicKey)
    await first.getByLabel(/^API address/).fill(`${discord.origin}/api/v10/`)
    await first.getByRole('button', { name: 'Save & connect' }).click()
    await first.getByText('connected', { exact: true }).waitFor()
    await first.getByText(/^open since/).waitFor()
    await first.getByLabel('Test message').click()
    await page.getByRole('option', { name: '#Acme / ops' }).click()
    await first.getByRole('button', { name: 'Send' }).click()
    await until(() => discord.messages.some(({ content }) => /test message/.test(content)))

    const second = await begin('Mattermost')
    await second.getByText(/Allow untrusted internal connections/).waitFor()
    await second.getByLabel('Bot token').fill(mattermostToken)
    await second.getByLabel(/^Server address/).fill(mattermost.origin)
    await second.getByRole('button', { name: 'Save & connect' }).click()
    await second.getByText('connected', { exact: true }).waitFor()
    await second.getByText(/^open since/).waitFor()

    mattermost.token = 'another-token'
    mattermost.cut()
    await watcher.page.getByText('Mattermost no longer accepts our token').waitFor()
    await second.getByText('revoked', { exact: true }).waitFor()
    await second.getByText(/Mattermost does not accept the bot token/).waitFor()
    assert.equal(discord.visits.length, 1)
  },
)
