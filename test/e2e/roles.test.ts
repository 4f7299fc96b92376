import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { becomes } from '../support/becomes.ts'
import { admin, createPerson, goTo, visit } from '../support/browser.ts'
import { startTestApp, type TestApp } from '../support/start-test-app.ts'
import { verifies } from '../support/verifies.ts'

const everywhere = [
  '/',
  '/channels',
  '/runs',
  '/approvals',
  '/settings',
  '/settings/sessions',
  '/settings/about',
]
const forOperators = [
  '/webhooks',
  '/webhooks/new',
  '/connectors',
  '/connectors/new',
  '/connectors/import',
  '/events',
]

for (const [role, paths, hidden] of [
  ['member', everywhere, ['Webhooks', 'Connectors', 'Events']],
  ['operator', [...everywhere, ...forOperators], []],
] as const) {
  verifies(
    'dashboard:roles',
    `a user with the role ${role} is offered nothing that the server then refuses`,
    async () => {
      await using app = await startTestApp({ admin })
      await using visitor = await visit(app, await createPerson(app, 'Mia', role))
      const { page, refusals } = visitor

      for (const path of paths) {
        await goTo(page, path)
        await page.getByRole('heading', { level: 1 }).waitFor()
        await page.waitForLoadState('load')
        await becomes(() => page.getByRole('alert').count(), 0, path)
      }
      for (const word of hidden) await becomes(() => page.getByRole('link', { name: word }).count(), 0, word)
      await goTo(page, '/settings')
      for (const word of ['Users', 'API keys', 'Audit log', 'Model']) {
        await becomes(() => page.getByRole('link', { name: word, exact: true }).count(), 0, word)
      }
      for (const path of ['/settings/users', '/settings/model']) {
        await goTo(page, path)
        await page.getByText('You need the Admin role to open this page.').waitFor()
      }
      await page.keyboard.press('Control+k')
      await page.getByPlaceholder('Search pages and actions').fill('general')
      await page.getByRole('button', { name: '#general' }).click()
      await page.getByRole('heading', { name: '#general' }).waitFor()
      if (role === 'operator') await seeWhatAnAdminTrusts(app, page)
      else {
        for (const path of forOperators) {
          await goTo(page, path)
          await page.getByText('You need the Operator role to open this page.').waitFor()
          await page.getByRole('heading', { name: 'No access' }).waitFor()
          await becomes(() => page.getByRole('main').getByRole('button').count(), 0, path)
        }
      }
      assert.deepEqual(refusals, [])
    },
  )
}

/** A POST that an admin declared as read: an operator can change neither it nor its address. */
async function seeWhatAnAdminTrusts(app: TestApp, page: Page) {
  const tool = {
    name: 'search',
    description: 'Searches',
    method: 'POST',
    path: '/search',
    capability: 'read',
    inputSchema: { type: 'object' },
  }
  const plain = { ...tool, name: 'wipe', capability: 'destructive' }
  const made = await app.api<{ id: string; tools: { id: string }[] }>('POST', '/api/v1/connectors', {
    type: 'http',
    name: 'Shop',
    baseUrl: 'https://shop.example.com',
    authType: 'none',
    tools: [tool, plain],
  })
  const path = `/connectors/${made.body.id}`
  await goTo(page, `${path}/tools/${made.body.tools[0]?.id}`)
  await page.getByText('Only admins can change this tool').waitFor()
  await becomes(() => page.getByRole('button', { name: 'Save', exact: true }).count(), 0)
  await goTo(page, `${path}/tools/${made.body.tools[1]?.id}`)
  await page.getByRole('radio', { name: 'write', disabled: true }).waitFor()
  await goTo(page, `${path}?tab=settings`)
  await becomes(() => page.getByLabel('Base URL').isDisabled(), true)
}

verifies(
  ['dashboard:roles', 'dashboard:settings'],
  'an admin invites somebody, who chooses a password by the link; a changed role shows at once',
  async () => {
    await using app = await startTestApp({ admin })
    await using kim = await visit(app)
    await using guest = await visit(app, null)

    await goTo(kim.page, '/settings/users')
    await kim.page.getByRole('button', { name: 'Invite' }).click()
    await kim.page.getByText('Enter an email address.').waitFor()
    await kim.page.getByLabel('Name').fill('Lu Ortiz')
    await kim.page.getByRole('textbox', { name: 'Email' }).fill('kim@example.com')
    await kim.page.getByRole('button', { name: 'Invite' }).click()
    await kim.page
      .getByText('Another user already has this email address. Change that user instead.')
      .waitFor()
    await kim.page.getByRole('textbox', { name: 'Email' }).fill('lu@example.com')
    await kim.page.getByRole('button', { name: 'Invite' }).click()
    const link = (await kim.page.getByRole('region', { name: 'Link', exact: true }).textContent()) ?? ''
    await kim.page.getByRole('button', { name: 'Done' }).click()

    await goTo(guest.page, link)
    // Who opens a link from somebody should know whose it is, and for what.
    await guest.page.getByRole('heading', { name: 'Kim invites you to Bellhop as a member' }).waitFor()
    await guest.page.getByLabel('Password', { exact: true }).fill('a very long password')
    await guest.page.getByRole('button', { name: 'Save and sign in' }).click()
    await guest.page.getByRole('link', { name: 'Channels' }).waitFor()
    await becomes(() => guest.page.getByRole('link', { name: 'Webhooks' }).count(), 0)

    await kim.page.getByRole('combobox', { name: 'Role of Lu Ortiz' }).click()
    await kim.page.getByRole('option', { name: 'operator' }).click()
    await kim.page.getByText('Lu Ortiz was updated').waitFor()
    await guest.page.getByRole('link', { name: 'Webhooks' }).waitFor()
  },
)

verifies(
  'dashboard:settings',
  'an API key is shown once, a model is tested, and both are in the audit log',
  async () => {
    await using app = await startTestApp({ admin })
    await using visitor = await visit(app)
    const { page } = visitor

    await goTo(page, '/settings/keys')
    await page.getByLabel('Name').fill('Deploy script')
    await page.getByRole('button', { name: 'Create key' }).click()
    const key = (await page.getByRole('region', { name: 'Key', exact: true }).textContent()) ?? ''
    assert.match(key, /^blh_/)
    assert.equal((await app.api('GET', '/api/v1/runs', undefined, { key })).status, 200)
    // A value that is shown once is not closed by a stray key.
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Revoke Deploy script' }).click()
    await page.getByRole('button', { name: 'Revoke key' }).click()
    await page.getByText('Deploy script was revoked').waitFor()
    assert.equal((await app.api('GET', '/api/v1/runs', undefined, { key })).status, 401)

    await goTo(page, '/settings/model')
    await page.getByRole('button', { name: 'Test model' }).click()
    await page.getByText(/offline \(no language model\) replied in/).waitFor()

    await goTo(page, '/settings/agent')
    await page.getByRole('button', { name: 'Pause agent' }).click()
    await page.getByText('Agent paused').waitFor()

    await goTo(page, '/settings/audit')
    await page.getByRole('cell', { name: 'Kim paused the agent' }).waitFor()
    // The search covers the text that is shown.
    await page
      .getByRole('searchbox', { name: 'Search the audit log' })
      .fill('Kim created the API key Deploy script')
    await page.getByRole('cell', { name: 'Kim paused the agent' }).waitFor({ state: 'detached' })
    await becomes(() => page.getByRole('cell', { name: 'Kim created the API key Deploy script' }).count(), 1)
    await page.getByText('1 found, all entries searched').waitFor()
    await page.getByRole('button', { name: 'Show only entries about Deploy script' }).click()
    await page.getByRole('searchbox', { name: 'Search the audit log' }).fill('')
    await page.getByRole('cell', { name: 'Kim revoked the API key Deploy script' }).waitFor()
    await page.getByRole('combobox', { name: 'Action' }).click()
    await page.getByRole('option', { name: 'API key: revoked' }).click()
    await becomes(() => page.getByRole('row').filter({ hasText: 'Kim' }).count(), 1)
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download CSV' }).click()
    const file = await readFile(await (await download).path(), 'utf8')
    assert.match(file, /^time,entry,who,.*\r\n[^\r]*,kim revoked the API key Deploy script,kim,[^\r]*\r\n$/)
    await page.getByRole('button', { name: 'Show entries about everything' }).click()
    await page.getByRole('combobox', { name: 'Who' }).click()
    await page.getByRole('option', { name: 'kim' }).click()
    assert.match(page.url(), /action=api-key.revoked&actorId=usr_/)
  },
)
