import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { becomes } from '../support/becomes.ts'
import { admin, createPerson, goTo, visit } from '../support/browser.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { general, startShop } from '../support/start-shop.ts'
import { startTestApp, type TestApp } from '../support/start-test-app.ts'
import { startStubOpenai } from '../support/stub-openai.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp({ admin }))

type Made = { id: string }

async function createWebhook(app: TestApp, name: string, prompt = 'Say what came in.'): Promise<Made> {
  const made = await app.api<Made>('POST', '/api/v1/webhooks', {
    name,
    prompt,
    channelId: general,
    active: true,
  })
  assert.equal(made.status, 201, made.text)
  return made.body
}

async function createConnector(
  app: TestApp,
  name: string,
  tool = 'get_order',
  baseUrl = `https://${name.toLowerCase()}.example.com`,
): Promise<Made> {
  const made = await app.api<Made>('POST', '/api/v1/connectors', {
    type: 'http',
    name,
    baseUrl,
    authType: 'none',
    tools: [
      {
        name: tool,
        description: 'Reads',
        method: 'GET',
        path: '/',
        capability: 'read',
        inputSchema: { type: 'object' },
      },
    ],
  })
  assert.equal(made.status, 201, made.text)
  return made.body
}

verifies(
  ['api:search', 'dashboard:search', 'dashboard:logos'],
  'webhooks, connectors, users and channels can be searched, a link shows the same result, and what belongs to a well-known service has its logo',
  async () => {
    await using app = await startTestApp({ admin })
    const oldest = await createWebhook(app, 'Night watch')
    await createWebhook(app, 'Shop orders')
    await createWebhook(app, 'Alertmanager critical')
    const broken = await createWebhook(app, '100% builds', 'Tell who broke_it.')
    const verification = { preset: 'github', secrets: ['s'] }
    await app.api('PATCH', `/api/v1/webhooks/${broken.id}`, { verification })
    await createConnector(app, 'Billing', 'list_invoices')
    await createConnector(app, 'Weather')
    await createConnector(app, 'Issues', 'list_issues', 'https://api.github.com')
    // Whoever has the name of a service in a domain of their own does not get its logo.
    await createConnector(app, 'Copy', 'list_issues', 'https://github.com.example.com')
    await createPerson(app, 'Mia', 'member')
    const createRoom = (n: number) => app.api('POST', '/api/v1/channels', { name: `room-${n}` })
    const numbers = Array.from({ length: 105 }, (_, n) => n)
    // So many that there is a search field.
    await Promise.all(numbers.slice(0, 16).map(createRoom))

    const found = async (path: string) =>
      (await app.get<{ items: { name: string }[] }>(path)).items.map(({ name }) => name)
    assert.deepEqual(await found('/api/v1/webhooks?q=ORDERS'), ['Shop orders'])
    assert.deepEqual(await found('/api/v1/webhooks?q=broke_'), ['100% builds'])
    // Wildcard characters are ordinary letters here.
    assert.deepEqual(await found('/api/v1/webhooks?q=%25'), ['100% builds'])
    assert.deepEqual(await found('/api/v1/connectors?q=invoice'), ['Billing'])
    assert.deepEqual(await found('/api/v1/connectors?q=weather.example'), ['Weather'])
    assert.deepEqual(await found('/api/v1/users?q=mia@'), ['Mia'])
    assert.equal((await app.api('GET', `/api/v1/webhooks?q=${'x'.repeat(81)}`)).status, 422)
    for (const name of ['Deploy script', 'Nightly export'])
      await app.api('POST', '/api/v1/api-keys', { name, role: 'member' })
    assert.deepEqual(await found('/api/v1/api-keys?q=NIGHT'), ['Nightly export'])
    await using visitor = await visit(app)
    const { page } = visitor
    await goTo(page, '/webhooks')
    await page.getByRole('link', { name: 'Shop orders' }).waitFor()
    const searched = Promise.withResolvers<void>()
    const builds = /\/api\/v1\/webhooks\?.*q=builds/
    await page.route(builds, async (route) => {
      await searched.promise
      await route.continue()
    })
    const asked = page.waitForRequest(builds)
    await page.getByRole('searchbox', { name: 'Search webhooks' }).fill('builds')
    await asked
    // The rows stay until the answer is there.
    await page.waitForURL(/q=builds/)
    assert.equal(await page.getByRole('link', { name: 'Shop orders' }).count(), 1)
    searched.resolve()
    await page.getByRole('link', { name: '100% builds' }).waitFor()
    await becomes(() => page.getByRole('link', { name: 'Shop orders' }).count(), 0)
    await page.getByRole('searchbox', { name: 'Search webhooks' }).fill('nothing like it')
    await page.getByRole('link', { name: 'Show all webhooks' }).click()
    await page.getByRole('link', { name: 'Shop orders' }).waitFor()
    await page.getByRole('searchbox', { name: 'Search webhooks' }).fill('nothing like it')
    await page.getByText('No matching webhooks').waitFor()
    // The menu opens the full list, and the search field is empty then.
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click()
    await page.getByRole('link', { name: 'Shop orders' }).waitFor()
    await becomes(() => page.getByRole('searchbox', { name: 'Search webhooks' }).inputValue(), '')

    await goTo(page, '/webhooks?q=critical')
    await page
      .getByRole('row', { name: 'Alertmanager critical' })
      .locator('[data-brand=prometheus]')
      .waitFor()
    await goTo(page, `/webhooks/${broken.id}`)
    await page.getByRole('banner').locator('[data-brand=github]').waitFor()
    await goTo(page, '/connectors')
    const logoOf = (name: string) => page.getByRole('row', { name }).locator('[data-brand]')
    await becomes(() => logoOf('Issues').getAttribute('data-brand'), 'github')
    assert.equal(await logoOf('Copy').count(), 0)
    await page.getByRole('row', { name: 'Copy' }).locator('[data-initial=C]').waitFor()
    await goTo(page, '/connectors?q=invoices')
    await page.getByRole('link', { name: 'Billing' }).waitFor()
    await becomes(() => page.getByRole('link', { name: 'Weather' }).count(), 0)
    await goTo(page, '/settings/users?q=mia')
    await page.getByRole('row', { name: /mia@example.com/ }).waitFor()
    await becomes(() => page.getByRole('row', { name: /kim@example.com/ }).count(), 0)
    await goTo(page, '/settings/keys')
    await page.getByRole('searchbox', { name: 'Search API keys' }).fill('deploy')
    await page.getByRole('row', { name: /Nightly export/ }).waitFor({ state: 'detached' })
    await page.getByRole('row', { name: /Deploy script/ }).waitFor()
    await goTo(page, '/channels')
    await page.getByRole('searchbox', { name: 'Search channels' }).fill('room-13')
    await page.getByRole('link', { name: '# room-13', exact: true }).waitFor()
    await page.getByRole('link', { name: '# room-2', exact: true }).waitFor({ state: 'detached' })

    // What is not among the first hundred is still found in pickers and in the palette, with its name.
    // An open page would load its lists again and again meanwhile.
    await page.goto('about:blank')
    await Promise.all(numbers.map((n) => createWebhook(app, `filler ${n}`)))
    await Promise.all(numbers.slice(16).map(createRoom))
    const picker = page.getByRole('combobox', { name: 'Webhook' })
    await goTo(page, `/events?webhookId=${oldest.id}`)
    await until(async () => (await picker.inputValue()) === 'Night watch')
    await goTo(page, '/events')
    await picker.click()
    await page.getByRole('option', { name: 'filler 100' }).waitFor()
    const options = await page.getByRole('option').allTextContents()
    assert.deepEqual(
      options,
      options.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true })),
    )
    await picker.fill('Night w')
    await page.getByRole('option', { name: 'Night watch' }).click()
    await page.waitForURL(new RegExp(`webhookId=${oldest.id}`))
    const firstHundred = await found('/api/v1/channels?limit=100')
    const last = numbers.map((n) => `room-${n}`).findLast((name) => !firstHundred.includes(name)) ?? ''
    await goTo(page, '/webhooks/new')
    await page.getByRole('combobox', { name: 'Channel' }).fill(`#${last}`)
    await page.getByRole('option', { name: `#${last}`, exact: true }).click()
    await page.keyboard.press('Control+k')
    await page.getByPlaceholder('Search pages and actions').fill('night w')
    await page.getByRole('button', { name: /^Night watch/ }).click()
    await page.waitForURL(new RegExp(`/webhooks/${oldest.id}`))
  },
)

verifies(
  ['api:search', 'dashboard:search'],
  'policies are searched by name and tool and keep their order, groups are a table whose rows are edited',
  async () => {
    const app = await sharedApp()
    await createConnector(app, 'Ledger', 'get_invoice')
    const tool = 'ledger__get_invoice'
    for (const [name, then] of [
      ['Nightly reads', 'confirm'],
      ['Day reads', 'deny'],
    ]) {
      const made = await app.api('POST', '/api/v1/policies', { name, tool, when: 'true', then })
      assert.equal(made.status, 201, made.text)
    }
    for (const name of ['Finance', 'On call']) {
      const made = await app.api('POST', '/api/v1/groups', { name, userIds: [] })
      assert.equal(made.status, 201, made.text)
    }
    const found = async (q: string) =>
      (await app.get<{ items: { name: string }[] }>(`/api/v1/policies?q=${q}`)).items.map(({ name }) => name)
    assert.deepEqual(await found('NIGHT'), ['Nightly reads'])
    assert.deepEqual(await found('get_invoice'), ['Nightly reads', 'Day reads'])
    await using visitor = await visit(app)
    const { page } = visitor
    await goTo(page, '/policies')
    await page.getByRole('link', { name: '1. Nightly reads' }).waitFor()
    await page.getByRole('searchbox', { name: 'Search policies' }).fill('day')
    await page.getByRole('link', { name: '1. Nightly reads' }).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: '2. Day reads' }).waitFor()
    await goTo(page, '/settings/groups')
    const groups = page.getByRole('table', { name: 'Groups' })
    await groups.getByRole('row', { name: /Finance/ }).waitFor()
    await page.getByRole('searchbox', { name: 'Search groups' }).fill('call')
    await groups.getByRole('row', { name: /Finance/ }).waitFor({ state: 'detached' })
    await groups.getByRole('button', { name: 'Edit On call' }).click()
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('On call today')
    await page.getByRole('button', { name: 'Save group' }).click()
    await groups.getByRole('row', { name: /On call today/ }).waitFor()
  },
)

verifies(
  'dashboard:search',
  'a search that found nothing can be emptied and typed again: its field stays, and the list is not called empty',
  async () => {
    const app = await sharedApp()
    await createWebhook(app, 'Night watch')
    await using visitor = await visit(app)
    const { page } = visitor
    await goTo(page, '/webhooks?q=nobody')
    await page.getByRole('link', { name: 'Show all webhooks' }).waitFor()
    const held = Promise.withResolvers<void>()
    await page.route('**/api/v1/webhooks*', async (route) => {
      await held.promise
      await route.continue()
    })
    const asked = page.waitForRequest('**/api/v1/webhooks?limit=100&sort=trouble')
    await page.getByLabel('Search webhooks').fill('')
    await asked
    await page.getByLabel('Search webhooks').and(page.locator(':focus')).waitFor()
    assert.equal(await page.getByText('A webhook is a secret URL').count(), 0)
    held.resolve()
    await page.getByRole('row', { name: /Night watch/ }).waitFor()
  },
)

verifies(
  'dashboard:confirm',
  'what can be set back with one click is done without a question: a switch moves at once, and back if the server refuses',
  async () => {
    const app = await sharedApp()
    const webhook = await createWebhook(app, 'Orders')
    await createPerson(app, 'Mia', 'member')
    await using visitor = await visit(app)
    const { page } = visitor

    await goTo(page, `/webhooks/${webhook.id}?tab=settings`)
    // An open form does not overwrite what was switched meanwhile.
    await page.getByLabel('Prompt').fill('Say it in one line.')
    // A restored draft contains only what was typed, and says what it would overwrite.
    await goTo(page, '/runs')
    await app.api('PATCH', `/api/v1/webhooks/${webhook.id}`, { name: 'New Orders' })
    await goTo(page, `/webhooks/${webhook.id}?tab=settings`)
    await page.getByText('Unsaved changes restored').waitFor()
    await becomes(() => page.getByLabel('Name').inputValue(), 'New Orders')
    await becomes(() => page.getByLabel('Prompt').inputValue(), 'Say it in one line.')
    await app.api('PATCH', `/api/v1/webhooks/${webhook.id}`, { prompt: 'Say it in verse.' })
    await page.getByText('Someone else changed this too.').waitFor()
    const isActive = async () => (await app.get<{ active: boolean }>(`/api/v1/webhooks/${webhook.id}`)).active
    const switched = page.getByRole('banner').getByRole('switch', { name: 'Active' })
    // It moves before the answer arrives (`uncheck` checks at once) …
    const held = Promise.withResolvers<void>()
    await page.route(`**/api/v1/webhooks/${webhook.id}`, async (route) => {
      if (route.request().method() === 'PATCH') await held.promise
      await route.continue()
    })
    await switched.uncheck({ force: true })
    await becomes(isActive, true)
    held.resolve()
    await page.getByText('Orders refuses events now').waitFor()
    await becomes(() => switched.isChecked(), false)
    await page.unroute(`**/api/v1/webhooks/${webhook.id}`)
    // … and moves back with the reason when the server refuses.
    await page.route(`**/api/v1/webhooks/${webhook.id}`, async (route) => {
      if (route.request().method() !== 'PATCH') return await route.continue()
      const refusal = { type: 'conflict', title: 'Not now', status: 409, detail: 'Somebody was quicker.' }
      await route.fulfill({
        status: 409,
        contentType: 'application/problem+json',
        body: JSON.stringify(refusal),
      })
    })
    await switched.click({ force: true })
    await page.getByText('Somebody was quicker.').waitFor()
    await until(async () => !(await switched.isChecked()))
    await page.unroute(`**/api/v1/webhooks/${webhook.id}`)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Webhook saved').waitFor()
    await becomes(isActive, false)
    await switched.click({ force: true })
    await until(isActive)

    await goTo(page, '/settings/users')
    await page.getByRole('combobox', { name: 'Role of Mia' }).click()
    await page.getByRole('option', { name: 'operator' }).click()
    const roleOf = async () => {
      const { items } = await app.get<{ items: { name: string; role: string }[] }>('/api/v1/users')
      return items.find(({ name }) => name === 'Mia')?.role
    }
    await until(async () => (await roleOf()) === 'operator')
  },
)

verifies(
  'dashboard:confirm',
  'a deletion is confirmed first, is sent at once, and is reported only after the server has answered',
  async () => {
    const app = await sharedApp()
    const webhook = await createWebhook(app, 'Orders')
    const connector = await createConnector(app, 'Billing', 'list_invoices')
    await createConnector(app, 'Weather')
    for (const path of [`/webhooks/${webhook.id}`, `/channels/${general}`])
      await app.api('PATCH', `/api/v1${path}`, { connectorIds: [connector.id] })
    await using visitor = await visit(app)
    const { page } = visitor
    const question = page.getByRole('dialog')
    const status = async (path: string) => (await app.api('GET', `/api/v1${path}`)).status

    await goTo(page, `/connectors/${connector.id}`)
    await page.getByRole('link', { name: 'list_invoices' }).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    await question.getByRole('button', { name: 'Delete tool' }).click()
    await page.getByText('list_invoices was deleted').waitFor()
    await page.getByText('A tool is one API call').waitFor()

    await page.getByRole('button', { name: 'Actions for this connector' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await question.getByText('Orders and #general use it').waitFor()
    const held = Promise.withResolvers<void>()
    await page.route(`**/api/v1/connectors/${connector.id}`, async (route) => {
      if (route.request().method() === 'DELETE') await held.promise
      await route.continue()
    })
    const sent = page.waitForRequest((request) => request.method() === 'DELETE')
    await question.getByRole('button', { name: 'Delete connector' }).click()
    await sent
    assert.equal(await page.getByText('Billing was deleted').count(), 0)
    held.resolve()
    await page.getByText('Billing was deleted').waitFor()
    assert.equal(await status(`/connectors/${connector.id}`), 404)
    await page.getByRole('link', { name: 'Weather' }).waitFor()
    await becomes(() => page.getByRole('link', { name: 'Billing' }).count(), 0)
  },
)

verifies(
  ['accounts:sessions-listed-and-revoked', 'dashboard:settings'],
  'an admin sees somebody’s sessions and ends one; that person must sign in again',
  async () => {
    const app = await sharedApp()
    await using kim = await visit(app)
    await using ola = await visit(app, await createPerson(app, 'Ola', 'member'))
    await goTo(ola.page, '/runs')
    await ola.page.getByText('Each event and each question').waitFor()

    await goTo(kim.page, '/settings/users')
    await kim.page.getByRole('button', { name: 'Actions for Ola' }).click()
    await kim.page.getByRole('menuitem', { name: 'Sessions' }).click()
    const dialog = kim.page.getByRole('dialog', { name: 'Sessions of Ola' })
    const ends = dialog.getByRole('button', { name: 'End' })
    await ends.first().waitFor()
    // The whole window was blank from the moment when the table knew that it fits, until something else changed.
    await dialog.locator('[data-fits=true]').waitFor()
    const shown =
      await kim.page.evaluate(`new Promise((tell) => requestAnimationFrame(() => requestAnimationFrame(() =>
      tell(document.elementFromPoint(innerWidth / 2, innerHeight / 2) !== document.documentElement))))`)
    assert.ok(shown, 'the window is not blank')
    while ((await ends.count()) > 0) {
      const before = await ends.count()
      await ends.first().click()
      await until(async () => (await ends.count()) < before)
    }
    await dialog.getByText('Ola is not signed in anywhere').waitFor()
    await ola.page.waitForURL(/\/sign-in/)
  },
)

verifies(
  'dashboard:palette',
  'the palette finds tools, messages, runs and events by their text, one by its id, a field of the settings and actions; ? shows the shortcuts',
  async () => {
    await using app = await startTestApp({ admin })
    await createConnector(app, 'Billing', 'list_invoices')
    const webhook = await createWebhook(app, 'Zebra')
    const { endpointUrl } = (
      await app.api<{ endpointUrl: string }>('POST', `/api/v1/webhooks/${webhook.id}/reveal`)
    ).body
    const sent = await fetch(endpointUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ note: 'giraffe-1042' }),
    })
    const { eventId } = (await sent.json()) as { eventId: string } // the receipt
    await app.api('POST', `/api/v1/channels/${general}/messages`, { text: 'A giraffe came by' })
    await using visitor = await visit(app)
    const { page } = visitor
    await goTo(page, '/runs')
    const search = async (words: string) => {
      await page.getByPlaceholder('Search pages and actions').waitFor({ state: 'detached' })
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.keyboard.press('Control+k')
      await page.getByPlaceholder('Search pages and actions').fill(words)
    }
    await search('invoices')
    // Things of one kind are together, under what they are.
    const group = (name: string) => page.getByRole('group', { name, exact: true })
    await group('Tools')
      .getByRole('button', { name: /list_invoices/ })
      .click()
    await page.waitForURL(/\/connectors\/con_.*\/tools\/tool_/)
    await page.getByRole('heading', { name: 'list_invoices' }).waitFor()
    await search('giraffe')
    await group('Messages')
      .getByRole('button', { name: /A giraffe came by/ })
      .waitFor()
    await group('Events').getByRole('button', { name: /Zebra/ }).click()
    await page.waitForURL(new RegExp(`/events/${eventId}`))
    await goTo(page, '/runs')
    await search(eventId)
    await group('Open by ID').getByRole('button').click()
    await page.waitForURL(new RegExp(`/events/${eventId}`))
    // With nothing typed: what was opened last, but not the page that is open now.
    await page.getByRole('heading', { name: /^Zebra/ }).waitFor()
    await search('')
    await becomes(() => group('Recent').getByRole('button').allTextContents(), ['list_invoices'])
    await group('Pages').getByRole('button', { name: 'Webhooks' }).waitFor()
    await group('Actions').getByRole('button', { name: 'New webhook' }).waitFor()
    await group('Recent').getByRole('button', { name: 'list_invoices' }).click()
    await page.getByRole('heading', { name: 'list_invoices' }).waitFor()
    await goTo(page, `/events/${eventId}`)
    // The buttons of the page.
    await page.getByRole('link', { name: 'Open run' }).click()
    // The page of the event has a button of this name, too.
    await page.waitForURL(/\/runs\/run_/)
    // A button that is disabled, as while the run is at work, is not offered.
    await becomes(() => page.getByRole('button', { name: 'Replay', exact: true }).isEnabled(), true)
    await search('repl')
    await group('This page').getByRole('button', { name: 'Replay', exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await search('approvals expire')
    await group('Settings')
      .getByRole('button', { name: /Approvals expire after\s*Limits/ })
      .click()
    await page.getByRole('heading', { name: 'Limits · Settings' }).waitFor()
    assert.equal(await page.title(), 'Limits · Settings · Bellhop')
    await search('pause')
    await page.getByRole('button', { name: 'Pause the agent' }).click()
    await page.getByText('The agent is paused').first().waitFor()
    assert.equal((await app.get<{ agent: { paused: boolean } }>('/api/v1/settings')).agent.paused, true)
    await goTo(page, '/runs')
    await page.keyboard.press('Shift+?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Search and actions').waitFor()
    await page.keyboard.press('Escape')
  },
)

verifies(
  'dashboard:lists',
  'columns are left out for good, and filters, order and columns come back with a saved view, in another browser, too',
  async () => {
    const app = await sharedApp()
    for (const name of ['Alpha kites', 'Beta kites', 'Gamma builds']) await createWebhook(app, name)
    await using visitor = await visit(app)
    const { page } = visitor
    const first = () => page.locator('tbody tr').first().textContent()
    const header = (name: string) => page.getByRole('columnheader', { name, exact: true })

    await goTo(page, '/webhooks?q=kites&sort=-name')
    await becomes(async () => (await first())?.startsWith('Beta kites'), true)
    await page.getByRole('button', { name: 'Choose columns' }).click()
    await page.getByLabel('Channel', { exact: true }).click()
    await header('Channel').waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByLabel('Save this view as').fill('Kites, last first')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Kites, last first' }).waitFor()

    await goTo(page, '/webhooks')
    await page.getByRole('button', { name: 'Choose columns' }).click()
    await page.getByLabel('Channel', { exact: true }).click()
    await header('Channel').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('row', { name: /Gamma builds/ }).waitFor()
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('button', { name: 'Kites, last first', exact: true }).click()
    await header('Channel').waitFor({ state: 'detached' })
    await becomes(async () => (await first())?.startsWith('Beta kites'), true)
    assert.match(page.url(), /q=kites&sort=-name/)
    // The view follows the person into another browser.
    await using elsewhere = await visit(app, admin, {})
    await goTo(elsewhere.page, '/webhooks')
    await elsewhere.page.getByRole('button', { name: 'Views' }).click()
    await elsewhere.page.getByRole('button', { name: 'Kites, last first', exact: true }).click()
    await elsewhere.page.getByRole('row', { name: /Gamma builds/ }).waitFor({ state: 'detached' })
    assert.match(elsewhere.page.url(), /q=kites&sort=-name/)
    // The page shows which view this is; it is deleted there.
    await page.getByRole('button', { name: 'Kites, last first' }).click()
    await page.getByRole('button', { name: 'Delete the view Kites, last first' }).click()
    await page.getByRole('button', { name: 'Views' }).waitFor()
  },
)

verifies(
  ['dashboard:lists', 'events:by-type'],
  'what is sorted is the whole list and not the rows that happen to be loaded, and the names of the columns stay in view',
  async () => {
    await using model = await startStubOpenai(({ body }) => {
      const wanted = Number(/calls_wanted\D+(\d)/.exec(body)?.[1])
      const calls = (body.match(/"function_call_output"/g) ?? []).length
      return calls < wanted
        ? { calls: [{ name: 'shop__get_order', input: { id: `A-${calls}` } }] }
        : { text: `After ${wanted} calls.` }
    })
    await using shop = await startShop({ admin, env: model.env })
    const first = await shop.createWebhook({ name: 'Aardvark' })
    for (const wanted of [1, 3, 0, 2])
      await shop.endedRun((await shop.sendEvent(first, { calls_wanted: wanted })).runId)
    for (let n = 100; n < 132; n += 1) await createWebhook(shop.app, `Filler ${n}`)
    const paused = sql`update webhooks set paused_at = now(), pause_reason = 'Its budget is used up' where id = ${first.id}`
    await paused.execute(shop.app.app.ctx.db)
    await using visitor = await visit(shop.app)
    const { page } = visitor
    const rows = page.locator('tbody tr')
    const header = (name: string) => page.getByRole('columnheader', { name, exact: true })

    const loadOnly = (limit: number, list: string) =>
      page.route(new RegExp(`/api/v1/${list}(\\?|$)`), (route) => {
        const url = new URL(route.request().url())
        url.searchParams.set('limit', String(limit))
        return route.continue({ url: url.href })
      })

    // Stands for a hundred.
    await loadOnly(30, 'webhooks')
    await goTo(page, '/webhooks')
    // The oldest of 33, of which 30 are loaded: what is in trouble comes first.
    await becomes(async () => (await rows.first().textContent())?.startsWith('Aardvark'), true)
    assert.equal(await rows.count(), 30)
    await header('Name').getByRole('button').click()
    await page.waitForURL(/sort=name/)
    await header('Name').getByRole('button').click()
    await becomes(async () => (await rows.first().textContent())?.startsWith('Filler 131'), true)
    await rows.last().scrollIntoViewIfNeeded()
    const { y } = (await header('Name').boundingBox()) ?? {}
    assert.ok(y !== undefined && y >= 0 && y < 120, `the header is at ${y}`)

    // Stands for fifty.
    await loadOnly(2, 'runs')
    await goTo(page, '/runs')
    await becomes(() => rows.count(), 2)
    await header('Cost').getByRole('button').click()
    const outcomes = async () =>
      (await rows.allTextContents()).map((text) => /After \d calls/.exec(text)?.[0])
    await becomes(async () => (await outcomes()).join(), 'After 3 calls,After 2 calls')
    await page.getByText('Active runs are left out').waitFor()
    await page.getByRole('button', { name: 'Show more' }).click()
    await becomes(
      async () => (await outcomes()).join(),
      'After 3 calls,After 2 calls,After 1 calls,After 0 calls',
    )
    await page.getByRole('button', { name: 'Choose columns' }).click()
    await page.getByLabel('Tools', { exact: true }).click()
    await page.keyboard.press('Escape')
    await becomes(() => rows.first().getByText('Shop · get_order').count(), 1)
    // Nothing is offered that would sort a part.
    assert.equal(await header('State').getByRole('button').count(), 0)

    await shop.sendEvent(first, { type: 'order.paid', calls_wanted: 0 })
    await goTo(page, '/events')
    await becomes(() => rows.count(), 5)
    await page.getByRole('combobox', { name: 'Type' }).click()
    await page.getByRole('option', { name: 'order.paid' }).click()
    await becomes(() => rows.count(), 1)
    await page.getByText('1 found, all entries searched').waitFor()
  },
)

verifies(
  'dashboard:lists',
  'on a phone, where most columns are hidden, lists are sorted by a menu, which is not there beside the columns',
  async () => {
    const app = await sharedApp()
    for (const name of ['Alpha bees', 'Beta bees']) await createWebhook(app, name)
    await using visitor = await visit(app, admin, { viewport: { width: 390, height: 844 } })
    const { page } = visitor
    const first = () => page.locator('tbody tr').first().textContent()
    const sortBy = page.getByRole('combobox', { name: 'Sort by' })
    const header = page.getByRole('columnheader', { name: 'Name' })

    await goTo(page, '/webhooks?q=bees')
    await becomes(async () => (await first())?.startsWith('Beta bees'), true)
    assert.ok((await sortBy.getByRole('option').allTextContents()).includes('Success rate'))
    await sortBy.selectOption('Name')
    await becomes(async () => (await first())?.startsWith('Alpha bees'), true)
    await page.getByRole('button', { name: 'Sort downwards' }).click()
    await becomes(async () => (await first())?.startsWith('Beta bees'), true)
    assert.match(page.url(), /sort=-name/)
    await becomes(() => sortBy.inputValue(), 'Name')

    // An address continues on the next line at its @, and a column of buttons is no wider than these.
    await goTo(page, '/settings/users')
    await page.getByTitle(admin.email).filter({ visible: true }).waitFor()
    const linesOfParts = await page.evaluate<number[]>(`(() => {
      const shown = [...document.querySelectorAll('[title="${admin.email}"]')].find((one) => one.checkVisibility())
      const range = document.createRange()
      return [...shown.childNodes].filter(({ nodeType }) => nodeType === 3).map((part) => {
        range.selectNodeContents(part)
        return range.getClientRects().length
      })
    })()`)
    assert.deepEqual(linesOfParts, [1, 1, 1])
    const actions = page.getByRole('columnheader', { name: 'Actions' })
    assert.ok(((await actions.boundingBox())?.width ?? 99) < 50)

    await page.setViewportSize({ width: 1440, height: 900 })
    await goTo(page, '/webhooks?q=bees')
    await header.waitFor()
    await sortBy.waitFor({ state: 'hidden' })
  },
)

verifies('dashboard:lists', 'runs without a model are found although no figures name them', async () => {
  const app = await sharedApp()
  await using visitor = await visit(app)
  const { page } = visitor
  await goTo(page, '/runs?status=failed')
  await page.getByRole('button', { name: 'More filters' }).click()
  await page.getByRole('combobox', { name: 'Model' }).click()
  await page.getByRole('option', { name: 'Offline (no language model)' }).click()
  await page.waitForURL(/model=offline/)
})
