import assert from 'node:assert/strict'
import type { Workspace } from '../../src/chat/workspaces/contract.ts'
import { appToken } from '../chat/support/slack-lines.ts'
import { botToken, signingSecret, signSlack, slackMessage, startSlack } from '../chat/support/start-slack.ts'
import { becomes } from '../support/becomes.ts'
import { admin, goTo, visit } from '../support/browser.ts'
import { startTestApp } from '../support/start-test-app.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

verifies(
  ['dashboard:settings', 'chat:slack'],
  'Slack is connected and tested in the dashboard, and a person links an account there',
  async () => {
    await using slack = await startSlack()
    await using app = await startTestApp({ admin, env: { EGRESS_PRIVATE_EXCEPTIONS: slack.pair } })
    await using visitor = await visit(app)
    const { page } = visitor

    await goTo(page, '/settings/workspaces')
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    const card = page.getByRole('region', { name: 'Slack', exact: true })
    // Slack cannot reach this address, so a connection that Bellhop opens is proposed.
    await card.getByText(/works without a public address/).waitFor()
    const setup = card.getByRole('list', { name: 'Setup' })
    await becomes(() => setup.getByRole('img', { name: 'Done' }).count(), 0)
    await card.getByText('HTTP', { exact: true }).click()
    await card.getByText('Slack cannot reach Bellhop').waitFor()
    await card.getByText('Socket', { exact: true }).click()
    await card.getByText('Slack cannot reach Bellhop').waitFor({ state: 'detached' })
    const create = card.getByRole('link', { name: 'Create the app in Slack' })
    await until(async () => /socket_mode_enabled%22%3Atrue/.test((await create.getAttribute('href')) ?? ''))
    await card.getByLabel('API URL').fill(`${slack.origin}/api/`)
    await card.getByLabel('App-level token').fill(appToken)
    await card.getByLabel('Bot token').fill(botToken)
    await card.getByRole('button', { name: 'Save & connect' }).click()
    await card.getByText(/^Open since/).waitFor()
    await becomes(() => setup.getByRole('img', { name: 'Done' }).count(), 2)

    await card.getByText('HTTP', { exact: true }).click()
    const { items: workspaces } = await app.get<{ items: Workspace[] }>('/api/v1/workspaces')
    const eventsUrl = workspaces.find(({ platform }) => platform === 'slack')?.eventsUrl ?? ''
    await card.getByRole('button', { name: 'Show app manifest' }).click()
    await card.getByRole('region', { name: 'App manifest' }).getByText(eventsUrl).first().waitFor()
    await card.getByLabel('Signing secret').fill(signingSecret)
    await card.getByLabel('Bot token').fill('xoxb-not-the-token')
    slack.fault = () => ({ error: 'invalid_auth' })
    await card.getByRole('button', { name: 'Save & connect' }).click()
    await card.locator('.mantine-PasswordInput-error').waitFor()
    slack.fault = () => null
    await card.getByLabel('Bot token').fill(botToken)
    await card.getByRole('button', { name: 'Save & connect' }).click()
    await becomes(() => slack.lines.open.length, 0)
    await card.getByText(eventsUrl).first().waitFor()

    await card.getByRole('combobox', { name: 'Test message' }).click()
    await page.getByRole('option', { name: '#ops' }).click()
    await card.getByRole('button', { name: 'Send' }).click()
    await page.getByText('Test message sent').waitFor()
    const ops = await slack.channelId('ops')
    await until(async () => (await slack.history(ops)).length === 1)

    // There is no composer for a channel on Slack.
    const { items } = await app.get<{ items: { id: string; name: string }[] }>('/api/v1/channels')
    await goTo(page, `/channels/${items.find(({ name }) => name === 'ops')?.id}`)
    await page.getByRole('button', { name: 'Reply' }).click()
    const thread = page.getByRole('complementary', { name: 'Thread' })
    await thread.getByText('This channel belongs to another workspace.').waitFor()
    await becomes(() => page.getByRole('textbox', { name: 'Reply in thread' }).count(), 0)

    await goTo(page, '/settings/account')
    await page.getByRole('button', { name: 'Link account' }).click()
    const text = (await page.getByRole('region', { name: 'message', exact: true }).textContent()) ?? ''
    const kim = await slack.userId('kim')
    const { channel: alone } = await slack.ask<{ channel: { id: string } }>('conversations.open', {
      users: kim,
    })
    const tell = async (words: string, ts: string) => {
      const said = slackMessage({ user: kim, channel: alone.id, text: words, ts, im: true })
      const headers = { 'content-type': 'application/json', ...signSlack(said) }
      const delivered = await fetch(eventsUrl, { method: 'POST', headers, body: said })
      assert.equal(delivered.status, 200)
    }
    await tell(text, '1760000000.000100')
    await page
      .getByRole('listitem')
      .filter({ hasText: 'linked' })
      .getByRole('button', { name: 'Unlink' })
      .waitFor()
    await page.getByRole('button', { name: 'Link account' }).waitFor()
    await becomes(() => page.getByRole('region', { name: 'message', exact: true }).count(), 0)

    // A direct conversation has no page here, so nothing links to one.
    await tell('What can you do?', '1760000000.000200')
    const runs = () => app.get<{ items: { id: string; status: string }[] }>('/api/v1/runs')
    await until(async () => (await runs()).items[0]?.status === 'succeeded')
    await goTo(page, `/runs/${(await runs()).items[0]?.id}`)
    await page.getByText('Direct conversation or deleted channel').waitFor()
    await page.getByRole('link', { name: 'Open original message' }).waitFor()
    await becomes(() => page.locator('main a[href*="/channels/"]').count(), 0)
  },
)
