import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { becomes } from '../support/becomes.ts'
import { admin, goTo, visit } from '../support/browser.ts'
import { startShopOn } from '../support/start-shop.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { verifies } from '../support/verifies.ts'

verifies(
  'dashboard:history',
  'the history of a webhook shows each save with its difference, a run leads to the revision it used, and an earlier one is restored',
  async () => {
    await using app = await startTestApp({ admin, env: loopback })
    await using model = await startStubAnthropic(({ body }) =>
      body.includes('tool_result')
        ? { text: 'Fine.' }
        : { calls: [{ name: 'shop__get_order', input: { id: 'A-1' } }] },
    )
    await using shop = await startShopOn(app, { model })
    const webhook = await shop.createWebhook({
      prompt: 'You are a support agent.\nSay what happened in one line.\nNever promise a date.',
    })
    const path = `/api/v1/webhooks/${webhook.id}`
    await app.api('PATCH', path, {
      prompt: 'You are a support agent.\nSay what happened in a table.\nNever promise a date.',
      connectorIds: [shop.connectorId],
      rules: [{ when: "event.event == 'order.viewed'", then: 'skip' }],
    })
    const { id: runId } = await shop.endedRun((await shop.sendEvent(webhook)).runId)
    await app.api('PATCH', path, { verification: { preset: 'github', secrets: ['planted-secret'] } })
    await using kim = await visit(app)
    const { page } = kim

    await goTo(page, `/runs/${runId}`)
    await page
      .getByRole('button', { name: /get_order/ })
      .first()
      .click()
    await page.getByRole('link', { name: 'Tool revision 1' }).waitFor()
    await keep(page, 'run')
    await page.getByRole('link', { name: 'Webhook revision 2' }).click()
    const difference = page.getByRole('region', { name: 'Prompt before and after' })
    await difference.getByText('Say what happened in a table.').waitFor()
    assert.match((await difference.textContent()) ?? '', /removed: .*in one line.*added: .*in a table/s)
    // Connectors are called by their names.
    await page.getByRole('region', { name: 'Connectors before and after' }).getByText('Shop').waitFor()
    await page.getByRole('button', { name: /^Revision 3/ }).click()
    await page.getByText('A secret was changed.').waitFor()
    assert.doesNotMatch(await page.content(), /planted-secret/)
    await keep(page, 'webhook')

    await page.getByRole('button', { name: /^Revision 1/ }).click()
    await page.getByRole('button', { name: 'Restore revision 1' }).click()
    const question = page.getByRole('dialog', { name: 'Restore revision 1?' })
    await question.getByText('Changes back: Prompt, Connectors, Verification, Rules.').waitFor()
    await keep(page, 'question')
    await question.getByRole('button', { name: 'Restore revision 1' }).click()
    await page.getByText('Restored as a new revision').waitFor()
    await page.getByRole('button', { name: /^Revision 4.*restored revision 1/ }).waitFor()
    const saved = await app.get<{ prompt: string; rules: object[] }>(path)
    assert.deepEqual([saved.prompt.includes('in one line'), saved.rules], [true, []])
    await page.getByRole('tab', { name: 'Settings' }).click()
    await becomes(
      async () =>
        (await page.getByRole('textbox', { name: 'Prompt', exact: true }).inputValue()).includes('one line'),
      true,
    )

    // What cannot be restored says why: the secret is gone.
    await page.getByRole('tab', { name: 'History' }).click()
    await page.getByRole('button', { name: /^Revision 3/ }).click()
    await page.getByRole('button', { name: 'Restore revision 3' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Restore revision 3' }).click()
    await page
      .getByText(/secret/i)
      .last()
      .waitFor()
    await becomes(async () => (await app.get<{ verification: null }>(path)).verification, null)
  },
)

verifies(
  'dashboard:history',
  'schedules, policies, tools and the settings have the same history',
  async () => {
    await using app = await startTestApp({ admin, env: loopback })
    await using shop = await startShopOn(app)
    const { tools } = await app.get<{ tools: { id: string; name: string }[] }>(
      `/api/v1/connectors/${shop.connectorId}`,
    )
    const add = async (path: string, body: object) =>
      (await app.api<{ id: string }>('POST', `/api/v1${path}`, body)).body.id
    const schedule = await add('/schedules', {
      name: 'Report',
      channelId: shop.channelId,
      prompt: 'Report.',
      cron: '0 9 * * 1',
    })
    const policy = await add('/policies', {
      name: 'No refunds',
      tool: 'shop__refund',
      when: "input.id == 'A-1'",
      then: 'deny',
    })
    const tool = `/connectors/${shop.connectorId}/tools/${tools[0]?.id}`
    const changes: [page: string, api: string, patch: object, field: string][] = [
      [`/schedules/${schedule}?tab=history`, `/schedules/${schedule}`, { cron: '0 8 * * 1' }, 'Cron'],
      [`/policies/${policy}`, `/policies/${policy}`, { when: 'true' }, 'Condition'],
      [tool, tool, { description: 'Reads one order' }, 'Description'],
      ['/settings/history', '/settings', { agent: { instructions: 'Be brief.' } }, 'Agent: instructions'],
    ]
    for (const [, api, patch] of changes)
      assert.equal((await app.api('PATCH', `/api/v1${api}`, patch)).status, 200)
    await using kim = await visit(app)
    const { page } = kim
    for (const [at, [path, , , field]] of changes.entries()) {
      await goTo(page, path)
      await page.getByRole('button', { name: /^Revision \d+ Current/ }).click()
      await page.getByRole('region', { name: `${field} before and after` }).waitFor()
      await page.getByRole('button', { name: /^Revision 1/ }).click()
      await page.getByRole('button', { name: 'Restore revision 1' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Restore revision 1' }).click()
      await page.getByRole('button', { name: /restored revision 1/ }).waitFor()
      await keep(page, ['schedule', 'policy', 'tool', 'settings'][at] ?? '')
    }
    const settings = await app.get<{ agent: { instructions: string } }>('/api/v1/settings')
    assert.equal(settings.agent.instructions, '')
  },
)

/** `SCREENSHOTS=1` keeps pictures for people. */
async function keep(page: Page, name: string): Promise<void> {
  if (!process.env.SCREENSHOTS) return
  for (const [width, scheme] of [
    [1440, 'light'],
    [1024, 'dark'],
    [390, 'light'],
  ] as const) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme: scheme })
    await page.screenshot({ path: `test-output/screenshots/history-${name}-${width}.png`, fullPage: true })
  }
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.emulateMedia({ colorScheme: 'light' })
}
