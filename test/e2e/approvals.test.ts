import assert from 'node:assert/strict'
import { becomes } from '../support/becomes.ts'
import { admin, createPerson, goTo, visit } from '../support/browser.ts'
import { startShop } from '../support/start-shop.ts'
import { startStubOpenai } from '../support/stub-openai.ts'
import { verifies } from '../support/verifies.ts'

verifies(
  ['dashboard:approvals', 'dashboard:home', 'dashboard:roles'],
  'a write waits with its request in view; a member cannot decide it, an admin can',
  async () => {
    await using model = await startStubOpenai([
      { calls: [{ name: 'shop__refund', input: { id: 'A-1' } }] },
      { text: 'The refund is on its way.' },
    ])
    await using shop = await startShop({ admin, env: model.env })
    await shop.app.api('PATCH', '/api/v1/settings', {
      prices: { [model.env.MODEL_NAME]: { input: 0.01, output: 0.01 } },
    })
    const webhook = await shop.createWebhook()
    const { runId } = await shop.sendEvent(webhook)
    await shop.runWhen(runId, ({ status }) => status === 'waiting')

    const mia = await createPerson(shop.app, 'Mia', 'member')
    {
      await using member = await visit(shop.app, mia)
      await goTo(member.page, '/approvals')
      await member.page.getByText('Waiting for an admin to decide').waitFor()
      // A number in the menu is for those who can decide.
      await member.page.getByRole('link', { name: 'Approvals', exact: true }).waitFor()
      await becomes(() => member.page.getByRole('button', { name: 'Approve' }).count(), 0)
      // Home lists what needs a person; the approval is known by now.
      await member.page.getByRole('link', { name: 'Home', exact: true }).click()
      await member.page.getByText('You’re all caught up.').waitFor()
      await becomes(() => member.page.getByRole('link', { name: 'Shop · refund needs' }).count(), 0)
      assert.deepEqual(member.refusals, [])
    }
    {
      await using kim = await visit(shop.app)
      const { page } = kim
      await goTo(page, '/events')
      const events = page.getByRole('table', { name: 'Events' })
      await events.getByText('Waiting for approval').waitFor()
      await page.getByRole('button', { name: 'Processing' }).click()
      await page.getByText('No matching events').waitFor()
      await page.getByRole('button', { name: 'Waiting for approval' }).click()
      await events.getByText('Waiting for approval').waitFor()
      await goTo(page, '/')
      await page.getByRole('link', { name: 'Shop · refund needs approval' }).click()
      await page.getByText('/orders/A-1/refund').waitFor()
      await page.getByRole('button', { name: 'Exact request' }).click()
      await page
        .getByRole('region', { name: 'Headers' })
        .getByText(/authorization/i)
        .first()
        .waitFor()
      assert.doesNotMatch(await page.content(), /planted-shop-token/)
      // The channel has many messages since the approval was requested.
      const talk = `/channels/${(await shop.readRun(runId)).channelId}`
      for (let n = 1; n <= 55; n++)
        await shop.app.api('POST', `/api/v1${talk}/messages`, { text: `Talk ${n}` })
      await using watcher = await visit(shop.app)
      await goTo(watcher.page, talk)
      const conversation = watcher.page.getByLabel('Conversation')
      await conversation.getByText('Talk 55').waitFor()
      await page.getByRole('button', { name: 'Approve' }).click()
      await page.getByRole('heading', { name: 'Shop · refund was approved' }).waitFor()
      await conversation.getByText('The refund is on its way.').waitFor()
      await becomes(() => conversation.getByText('/orders/A-1/refund').count(), 0, 'it is further back')
      await page.getByRole('link', { name: 'Open run' }).click()
      await page.getByRole('heading', { name: 'Orders · Replied' }).waitFor()
      // A cost of less than a cent is written, too.
      await page
        .getByRole('definition')
        .filter({ hasText: /^\$0\.0000/ })
        .waitFor()
      await page.getByRole('link', { name: 'Home', exact: true }).click()
      await page.getByText('a month at this rate').waitFor()
      // On a phone, too, the history distinguishes the two refunds.
      await page.setViewportSize({ width: 390, height: 844 })
      await goTo(page, '/approvals?show=history')
      const row = page.getByRole('row').filter({ hasText: 'Shop · refund' })
      await row.getByText('POST /orders/A-1/refund').and(page.locator(':visible')).waitFor()
    }
    assert.equal(shop.target.seen.filter(({ method }) => method === 'POST').length, 1)
  },
)

verifies(
  ['dashboard:approvals', 'dashboard:channels'],
  'a destructive call is confirmed on the card in the channel only, and a denial tells the agent why',
  async () => {
    await using model = await startStubOpenai([
      { calls: [{ name: 'shop__drop_order', input: { id: 'A-1' } }] },
      { text: 'I left the order alone.' },
    ])
    await using shop = await startShop({ admin, env: model.env })
    const webhook = await shop.createWebhook({ ceiling: 'destructive' })
    const { runId } = await shop.sendEvent(webhook)
    await shop.runWhen(runId, ({ status }) => status === 'waiting')
    await using kim = await visit(shop.app)
    const { page } = kim

    await goTo(page, '/approvals')
    await page.getByText('This call must be confirmed in the channel.').waitFor()
    await becomes(() => page.getByRole('button', { name: 'Approve' }).count(), 0)
    await page.getByRole('link', { name: 'Open channel' }).click()
    await page.getByRole('button', { name: 'Confirm and send' }).waitFor()
    await page.getByLabel('Reason').fill('The customer called back.')
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.getByRole('article').filter({ hasText: 'I left the order alone.' }).first().waitFor()

    assert.equal(shop.target.seen.filter(({ method }) => method === 'DELETE').length, 0)
    assert.match(model.requests.at(-1)?.body ?? '', /The customer called back/)
  },
)

verifies(
  ['dashboard:approvals', 'dashboard:settings'],
  'an approval that became void says so once, and the audit log does not link to what was deleted',
  async () => {
    await using model = await startStubOpenai([
      { calls: [{ name: 'shop__refund', input: { id: 'A-1' } }] },
      { text: 'I could not ask any more.' },
    ])
    await using shop = await startShop({ admin, env: model.env })
    const { runId } = await shop.sendEvent(await shop.createWebhook())
    await shop.runWhen(runId, ({ status }) => status === 'waiting')
    const { items } = await shop.app.get<{ items: { id: string }[] }>('/api/v1/approvals')
    await shop.app.api('DELETE', `/api/v1/connectors/${shop.connectorId}`)
    await shop.endedRun(runId)
    await using kim = await visit(shop.app)
    const { page } = kim

    await goTo(page, `/approvals/${items[0]?.id}`)
    await page.getByText(/^Became void/).waitFor()
    await becomes(() => page.getByRole('main').getByText('Shop · refund is void').count(), 0)
    await goTo(page, `/runs/${runId}`)
    await page.getByText('Approval void', { exact: true }).waitFor()
    await becomes(() => page.getByText('approval_void').count(), 0)
    await goTo(page, '/settings/audit')
    const deleted = page.getByRole('row').filter({ hasText: 'deleted the connector Shop' })
    await deleted.waitFor()
    assert.equal(await deleted.getByRole('link').count(), 0)
    await goTo(page, '/runs?status=cancelled')
    await page.getByRole('link', { name: 'Show all runs' }).click()
    await page.getByRole('row', { name: /Orders/ }).waitFor()
  },
)

verifies(
  ['dashboard:triage', 'dashboard:accessible'],
  'ten approvals are decided by keyboard in under a minute; the first to expire is first, equal requests are one line, and the history says how long each waited',
  async () => {
    await using model = await startStubOpenai(({ body }) => {
      // The event is JSON within JSON; the tools' descriptions have other examples.
      const [, id = ''] = /\\"id\\":\s*\\"(A-\d)\\"/.exec(body) ?? []
      return body.includes('function_call_output')
        ? { text: 'Done.' }
        : { calls: [{ name: 'shop__refund', input: { id } }] }
    })
    await using shop = await startShop({ admin, env: model.env })
    const webhook = await shop.createWebhook()
    // Two of them ask for the same.
    const orders = ['A-1', 'A-2', 'A-2', 'A-3', 'A-4', 'A-5', 'A-6', 'A-7', 'A-8', 'A-9']
    const runs: string[] = []
    for (const id of orders) {
      const { runId } = await shop.sendEvent(webhook, { event: 'refund.requested', id })
      await shop.runWhen(runId, ({ status }) => status === 'waiting')
      runs.push(runId)
    }
    await using kim = await visit(shop.app)
    const { page } = kim
    await goTo(page, '/')
    await page.getByText('10 calls of Shop · refund need approval').click()
    const lines = page.getByRole('list', { name: 'Pending approvals' }).getByRole('link')
    await becomes(() => lines.count(), 9)
    assert.match((await lines.first().textContent()) ?? '', /^Refund A-1/)
    await lines.nth(1).getByText('×2').waitFor()
    // One tool has all of them, so its name is their head, which hides them.
    const head = page.getByRole('button', { name: 'Refund ×10 · id differs' })
    await head.click()
    await becomes(() => lines.count(), 0)
    await head.click()
    await becomes(() => lines.count(), 9)
    const decision = page.getByRole('region', { name: 'Decision' })
    const isAbout = (id: string) => decision.getByRole('definition').filter({ hasText: id }).waitFor()
    const begin = performance.now()
    await isAbout('A-1')
    await page.keyboard.press('a')
    // Both at once, after a look at what that sends.
    await decision.getByText('The agent requested the same call 2 times.').waitFor()
    // Told apart by the events that led to them.
    const event = decision.getByRole('row').filter({ hasText: 'refund.requested' })
    await becomes(() => event.filter({ visible: true }).count(), 2)
    assert.match(
      (await decision.getByRole('columnheader').allTextContents()).join(' '),
      /^Event Triggered by/,
    )
    await page.keyboard.press('a')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('This sends the same request 2 times').waitFor()
    await dialog.getByRole('button', { name: 'Approve 2' }).press('Enter')
    await isAbout('A-3')
    await becomes(() => decision.evaluate((pane) => pane.matches(':focus')), true)
    await page.keyboard.press('d')
    await page.keyboard.type('Not returned yet')
    await page.keyboard.press('Enter')
    // A key that is held down decides once.
    await isAbout('A-4')
    await page.keyboard.down('a')
    await isAbout('A-5')
    await page.keyboard.down('a')
    await page.keyboard.up('a')
    await page.keyboard.press('d')
    await page.keyboard.press('Enter')
    for (const id of ['A-6', 'A-7']) {
      await isAbout(id)
      await page.keyboard.press('a')
    }
    // The last two together.
    await isAbout('A-8')
    for (const key of ['x', 'j', 'x']) await page.keyboard.press(key)
    await decision.getByRole('button', { name: 'Deny 2' }).waitFor()
    await page.keyboard.press('d')
    await page.keyboard.press('Enter')
    await page.getByText('No pending approvals').waitFor()
    const tookMs = performance.now() - begin
    assert.ok(tookMs < 60_000, `${tookMs} ms`)
    for (const runId of runs) await shop.endedRun(runId)
    const refunds = shop.target.seen.filter(({ method }) => method === 'POST').map(({ url }) => url)
    assert.deepEqual(
      refunds.toSorted(),
      ['A-1', 'A-2', 'A-2', 'A-4', 'A-6', 'A-7'].map((id) => `/orders/${id}/refund`),
    )
    await page.getByText('History').click()
    const denied = page.getByRole('row').filter({ hasText: 'Denied' })
    await becomes(() => denied.count(), 4)
    await page.getByRole('columnheader', { name: 'Waited' }).waitFor()
    await page.getByRole('row').filter({ hasText: 'A-3/refund' }).click()
    await page.getByText('“Not returned yet”').waitFor()
  },
)

verifies(
  'dashboard:triage-table',
  'calls of one tool are compared in a table: what differs has a column, some are selected and approved, on a phone the others are denied with a reason',
  async () => {
    const orders = ['A-1', 'A-2', 'A-3', 'A-4']
    await using model = await startStubOpenai(({ body }) => {
      const [, id = ''] = /\\"id\\":\s*\\"(A-\d)\\"/.exec(body) ?? []
      const amount = 10 * (orders.indexOf(id) + 1)
      const to = { email: `${id.toLowerCase()}@example.com`, language: 'en' }
      return body.includes('function_call_output')
        ? { text: 'Done.' }
        : { calls: [{ name: 'shop__pay_back', input: { id, amount, currency: 'EUR', to } }] }
    })
    const tool = { name: 'pay_back', description: 'Pays back', method: 'POST', path: '/orders/{id}/pay-back' }
    const inputSchema = { type: 'object', properties: { id: { type: 'string' } }, additionalProperties: true }
    await using shop = await startShop({
      admin,
      env: model.env,
      tools: [{ ...tool, capability: 'write', inputSchema }],
    })
    const webhook = await shop.createWebhook()
    const runs: string[] = []
    for (const id of orders) {
      const { runId } = await shop.sendEvent(webhook, { event: 'refund.requested', id })
      await shop.runWhen(runId, ({ status }) => status === 'waiting')
      runs.push(runId)
    }
    await using kim = await visit(shop.app)
    const { page } = kim
    await goTo(page, '/approvals')
    await page.getByText('Pay back ×4 · id, amount, to.email differ').waitFor()
    await page.getByRole('button', { name: 'Compare' }).click()
    await page.getByRole('link', { name: 'Back to all pending approvals' }).click()
    await page.getByRole('button', { name: 'Compare' }).click()
    const table = page.getByRole('table', { name: 'Requests' })
    const names = table.getByRole('columnheader')
    await becomes(
      async () => (await names.allTextContents()).slice(1, 4).map((name) => name.trim()),
      ['id', 'amount', 'to.email'],
    )
    const same = page.getByRole('region', { name: 'The same in all requests' })
    await same.getByText('EUR').waitFor()
    await becomes(() => same.getByRole('term').allTextContents(), ['currency', 'to.language'])
    // The largest first.
    await table.getByRole('button', { name: 'amount' }).click()
    const row = (at: number) => table.getByRole('row').nth(at)
    await row(1).filter({ hasText: 'A-4' }).waitFor()
    await row(1).getByRole('checkbox').check()
    await row(2).getByRole('checkbox').check()
    const selection = page.getByRole('region', { name: 'Selection' })
    await selection.getByRole('button', { name: 'Approve 2' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('This sends 2 requests of Shop · pay_back.').waitFor()
    await dialog.getByRole('button', { name: 'Approve 2' }).click()
    await page.getByText('Approved 2 calls').waitFor()
    await becomes(() => table.getByRole('row').count(), 3)
    assert.match(page.url(), /tool=shop__pay_back/)

    await page.setViewportSize({ width: 390, height: 844 })
    await table.getByRole('checkbox', { name: 'Select all rows' }).check()
    await selection.getByLabel('Reason').fill('Not returned yet')
    await selection.getByRole('button', { name: 'Deny 2' }).click()
    await page.getByText('No pending approvals').waitFor()
    for (const runId of runs) await shop.endedRun(runId)
    const sent = shop.target.seen.filter(({ method }) => method === 'POST').map(({ url }) => url)
    assert.deepEqual(sent.toSorted(), ['/orders/A-3/pay-back', '/orders/A-4/pay-back'])
    assert.equal(model.requests.filter(({ body }) => body.includes('Not returned yet')).length, 2)
  },
)

verifies(
  'dashboard:nested-inputs',
  'objects and lists in the inputs of a call are a labelled table, on the page and on the card in the channel',
  async () => {
    const input = {
      customer: { name: 'Ada', address: { city: 'Porto', zip: null } },
      items: [
        { sku: 'MUG', quantity: 2 },
        { sku: 'TEA', quantity: 1, gift: { text: 'Enjoy' } },
      ],
      tags: ['new', 'paid'],
      notes: [],
    }
    await using model = await startStubOpenai([
      { calls: [{ name: 'shop__make_order', input }] },
      { text: 'Ordered.' },
    ])
    const make = { name: 'make_order', method: 'POST', path: '/orders', capability: 'write' }
    const inputSchema = { type: 'object', additionalProperties: true }
    await using shop = await startShop({
      admin,
      env: model.env,
      tools: [{ ...make, description: 'Makes an order', inputSchema }],
    })
    const { runId } = await shop.sendEvent(await shop.createWebhook())
    await shop.runWhen(runId, ({ status }) => status === 'waiting')
    await using kim = await visit(shop.app)
    const { page } = kim
    for (const path of ['/approvals', `/channels/${shop.channelId}`]) {
      await goTo(page, path)
      const what = page.getByRole('region', { name: 'What' })
      const of = (name: string) => what.getByRole('term').filter({ hasText: new RegExp(`^${name}$`) })
      const read = (name: string) => of(name).last().locator('xpath=following-sibling::dd').textContent()
      await of('city').waitFor()
      await becomes(() => read('city'), 'Porto')
      await becomes(() => read('zip'), 'null')
      await becomes(() => of('sku').count(), 2)
      await becomes(() => read('sku'), 'TEA')
      await becomes(() => read('text'), 'Enjoy')
      await becomes(() => read('tags'), 'new\npaid')
      await becomes(() => read('notes'), 'Empty list')
      await becomes(async () => (await what.textContent())?.includes('{') ?? true, false)
    }
  },
)
