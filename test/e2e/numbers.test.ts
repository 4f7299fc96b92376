import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { rollHours } from '../../src/status/roll-hours.ts'
import { becomes } from '../support/becomes.ts'
import { admin, goTo, visit } from '../support/browser.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { shopTools, startShop, startShopOn } from '../support/start-shop.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { startStubOpenai } from '../support/stub-openai.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp({ admin, env: loopback }))

verifies(
  ['dashboard:home', 'api:stats'],
  'home and the webhook list show what the server counted, over a day or a week',
  async () => {
    await using shop = await startShop({ admin })
    const webhook = await shop.createWebhook({ name: 'Shop orders', connectorIds: [] })
    for (const id of [1, 2, 3]) await shop.endedRun((await shop.sendEvent(webhook, { id })).runId)
    await using visitor = await visit(shop.app, admin)
    const { page } = visitor

    await goTo(page, '/')
    const events = page.getByRole('figure').filter({ hasText: 'Accepted per hour' })
    await events.getByText('3', { exact: true }).first().waitFor()
    await page.getByRole('figure').filter({ hasText: 'Failed runs per hour' }).getByText('None').waitFor()
    await becomes(() => page.getByRole('figure').count(), 6)
    const row = page.getByRole('region', { name: 'By webhook' }).getByRole('row', { name: /Shop orders/ })
    await becomes(async () => (await row.getByRole('cell').allTextContents()).slice(1, 4), ['3', '3', '0'])
    await page.getByText('7 days').click()
    await page.waitForURL(/span=week/)
    await events.getByText('3', { exact: true }).first().waitFor()

    await goTo(page, '/webhooks')
    await page.getByRole('img', { name: '3 events in the last 24 hours' }).waitFor()
    await page.getByRole('cell', { name: '100%' }).waitFor()
    // Never more than there is: 100 % means all of them.
    await sql`update runs set status = 'failed' where id = (select max(id) from runs)`.execute(
      shop.app.app.ctx.db,
    )
    await page.reload()
    await page.getByRole('cell', { name: '66%' }).waitFor()
    assert.deepEqual(visitor.refusals, [])
  },
)

verifies(
  'dashboard:compared',
  'home compares each figure with the period before, in words and as a line in its chart, and says where there is nothing to compare with',
  async () => {
    const dayMs = 24 * 3_600_000
    let ahead = 0
    const now = () => new Date(Date.now() + ahead)
    await using shop = await startShop({ admin, now })
    const { db, settings } = shop.app.app.ctx
    const webhook = await shop.createWebhook({ connectorIds: [] })
    const send = async () => await shop.endedRun((await shop.sendEvent(webhook, {})).runId)
    await rollHours({ db, now, settings }, 0)
    await send()
    await using visitor = await visit(shop.app, admin)
    const { page } = visitor
    await goTo(page, '/')
    await page.getByText('Nothing happened in the previous 24 hours to compare with').waitFor()
    await page.getByText('90 days').click()
    await page.getByText('No comparison: runs of the previous 90 days are not all kept').waitFor()

    ahead = dayMs
    await send()
    const failed = await send()
    await sql`update runs set status = 'failed' where id = ${failed.id}`.execute(db)
    await rollHours({ db, now, settings }, 0)
    await page.getByText('24 hours', { exact: true }).click()
    await page.getByText('Compared with the previous 24 hours').waitFor()
    const events = page.getByRole('figure').filter({ hasText: 'Accepted per hour' })
    const more = events.getByText('▲ 100%')
    await more.waitFor()
    assert.equal(await more.getAttribute('data-tone'), null, 'more events are neither good nor bad')
    const failures = page.getByRole('figure').filter({ hasText: 'Failed runs per hour' })
    await failures.getByText('▲ from none').and(page.locator('[data-tone=bad]')).waitFor()
    const legend = page.getByRole('figure').filter({ hasText: 'By outcome per hour' })
    const keys = await legend.getByRole('button').all()
    const lines = new Set(await Promise.all(keys.map(async (key) => (await key.boundingBox())?.y)))
    assert.deepEqual([keys.length, lines.size], [5, 1], 'the legend has room in one line')
    const chart = page.getByRole('slider', { name: 'Events per hour', exact: true })
    const says = async (index: number) => {
      await chart.press('End')
      for (let at = 23; at > index; at -= 1) await chart.press('ArrowLeft')
      return await chart.getAttribute('aria-valuetext')
    }
    const counts = []
    for (const index of [23, 22]) counts.push(/Previous 24 hours (\d+)$/.exec((await says(index)) ?? '')?.[1])
    // A test that began just before the hour has the event in the hour before.
    assert.deepEqual(counts.toSorted(), ['0', '1'])
    // A part of the bars is compared with nothing.
    await legend.getByRole('button', { name: 'Failed', pressed: true }).click()
    const runs = page.getByRole('slider', { name: 'Runs per hour', exact: true })
    await runs.press('End')
    assert.doesNotMatch((await runs.getAttribute('aria-valuetext')) ?? '', /Previous/)
  },
)

verifies(
  'dashboard:webhook-flow',
  'the page of a webhook shows its way as a picture: each station has its number and leads on, and what breaks is red',
  async () => {
    await using model = await startStubOpenai(({ body }) =>
      body.includes('function_call_output')
        ? { text: 'Done.' }
        : { calls: [{ name: 'shop__refund', input: { id: 'A-1' } }] },
    )
    await using shop = await startShop({ admin, env: model.env })
    const webhook = await shop.createWebhook({ rules: [{ when: 'event.skip == true', then: 'skip' }] })
    await shop.sendEvent(webhook, { skip: true })
    const { runId } = await shop.sendEvent(webhook, { skip: false })
    await shop.runWhen(runId, ({ status }) => status === 'waiting')
    assert.equal((await fetch(webhook.endpointUrl, { method: 'POST', body: 'no json' })).status, 415)
    await using visitor = await visit(shop.app, admin)
    const { page } = visitor
    const held = Promise.withResolvers<void>()
    await page.route('**/api/v1/approvals?*webhookId=*', async (route) => {
      await held.promise
      await route.continue()
    })
    await goTo(page, `/webhooks/${webhook.id}`)
    const flow = page.getByRole('list', { name: 'Flow of events in the last 24 hours' })
    const says = (station: string) =>
      flow.getByRole('listitem').filter({ hasText: station }).getByRole('link')
    await becomes(() => says('Sender').textContent(), 'SenderAny sender2 events')
    await becomes(() => says('Rules').textContent(), 'Rules1 rule1 skipped')
    await becomes(() => says('Tools').textContent(), 'Tools1 read, 1 writeAll connectors')
    // While the number is on its way, it is not said to be none.
    await becomes(() => says('Approvals').textContent(), 'ApprovalsBefore each write…')
    held.resolve()
    await becomes(() => says('Approvals').textContent(), 'ApprovalsBefore each write1 pending')
    await becomes(() => says('Channel').textContent(), 'Channel#general0 finished')
    assert.equal(await says('Approvals').getAttribute('data-tone'), 'waiting')
    await becomes(() => says('Verification').textContent(), 'VerificationOff1 refused')
    assert.equal(await says('Verification').getAttribute('data-tone'), 'bad')
    await says('Verification').click()
    await page.getByRole('tab', { name: 'Refused', selected: true }).waitFor()
    await page.getByRole('tab', { name: 'Overview' }).click()
    await page.getByRole('slider', { name: 'Runs per hour' }).press('End')
    await page.keyboard.press('Enter')
    await page.waitForURL(new RegExp(`/runs\\?webhookId=${webhook.id}&from=`))

    // The list of connectors has what was sent.
    const { items } = await shop.app.get<{ items: { id: string }[] }>('/api/v1/approvals?status=pending')
    await shop.app.api('POST', `/api/v1/approvals/${items[0]?.id}/approve`)
    await shop.endedRun(runId)
    await goTo(page, '/connectors')
    const row = page.getByRole('table', { name: 'Connectors' }).getByRole('row').nth(1)
    await row.getByRole('img', { name: '1 call in the last 48 hours, 0 errors' }).waitFor()
  },
)

verifies(
  'dashboard:charts',
  'a chart is read with the arrow keys, its bar leads to the list it counts, and the figures are a table, too',
  async () => {
    await using shop = await startShopOn(await sharedApp())
    const webhook = await shop.createWebhook({ connectorIds: [] })
    const { runId } = await shop.sendEvent(webhook, { id: 1 })
    await shop.endedRun(runId)
    await using visitor = await visit(shop.app, admin)
    const { page } = visitor
    await goTo(page, '/?span=quarter')
    const chart = page.getByRole('slider', { name: 'Runs per day', exact: true })
    await chart.press('End')
    await becomes(
      async () =>
        /Failed \d+ · Succeeded [1-9]\d* · /.test((await chart.getAttribute('aria-valuetext')) ?? ''),
      true,
    )
    // What is switched off in the legend is left out.
    await page
      .getByRole('figure')
      .filter({ hasText: 'By outcome per day' })
      .getByRole('button', { name: 'Failed', pressed: true })
      .click()
    await chart.press('End')
    assert.match((await chart.getAttribute('aria-valuetext')) ?? '', /· Succeeded/)
    assert.doesNotMatch((await chart.getAttribute('aria-valuetext')) ?? '', /Failed/)
    const bars = await chart.boundingBox()
    assert.ok(bars)
    await page.mouse.click(bars.x + bars.width - 2, bars.y + bars.height - 2)
    await page.waitForURL(/\/runs\?from=.*&to=/)
    await page.getByRole('table', { name: 'Runs' }).getByRole('link').first().waitFor()

    await goTo(page, '/')
    await page.getByText('Table', { exact: true }).click()
    await page.waitForURL(/view=table/)
    const activity = page.getByRole('table', { name: 'Activity' })
    await becomes(async () => await activity.getByRole('row').count(), 25)
    await activity.getByRole('row').nth(1).getByRole('link').click()
    await page.waitForURL(/\/runs\?from=.*&to=/)
  },
)

verifies(
  'dashboard:charts',
  'the bars over runs and events are the filter by date, runs are filtered by tool and cost, too, and have a column for the model',
  async () => {
    await using shop = await startShopOn(await sharedApp())
    await shop.endedRun((await shop.sendEvent(await shop.createWebhook({ connectorIds: [] }))).runId)
    await using visitor = await visit(shop.app, admin)
    const { page } = visitor
    for (const [path, what, state, bar] of [
      ['/events', 'Events', 'Skipped', 'Without a run'],
      ['/runs', 'Runs', 'Failed', 'Failed'],
    ] as const) {
      await goTo(page, path)
      const chart = page.getByRole('slider', { name: `${what} per hour`, exact: true })
      await chart.press('End')
      await chart.press('Enter')
      await page.waitForURL(/from=.*&to=/)
      await page.getByRole('table', { name: what }).getByRole('link').first().waitFor()
      // The same again shows all.
      await chart.press('Enter')
      await page.waitForURL((url) => !url.search.includes('from='))
      // The bars count what the state chosen leaves.
      await page.getByRole('group', { name: 'State' }).getByRole('button', { name: state }).click()
      await chart.press('End')
      await becomes(
        async () => (await chart.getAttribute('aria-valuetext'))?.split(' · ').slice(1).join(),
        `${bar} 0`,
      )
    }
    await page.getByRole('group', { name: 'State' }).getByRole('button', { name: 'Failed' }).click()
    // What few people need is a column for those who want it.
    await becomes(() => page.getByRole('columnheader', { name: 'Model' }).count(), 0)
    await page.getByRole('button', { name: 'Choose columns' }).click()
    await page.getByLabel('Model', { exact: true }).click()
    await page.getByRole('columnheader', { name: 'Model' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'More filters' }).click()
    await page.getByRole('combobox', { name: 'Cost' }).click()
    await page.getByRole('option', { name: '$10 or more' }).click()
    await page.getByText('No matching runs').waitFor()
    await page.waitForURL(/minCost=10/)
  },
)

verifies(
  'dashboard:home',
  'in a browser of another language, thousands are still written as in the English text around them',
  async () => {
    await using shop = await startShopOn(await sharedApp())
    await shop.endedRun((await shop.sendEvent(await shop.createWebhook())).runId)
    await using visitor = await visit(shop.app, admin, { locale: 'de-DE' })
    const { page } = visitor
    await page.route('**/api/v1/stats?*', async (route) => {
      const stats = (await (await route.fetch()).json()) as { totals: object } // the shape of the answer
      await route.fulfill({ json: { ...stats, totals: { ...stats.totals, events: 12_345 } } })
    })
    await page.goto('/')
    const events = page.getByRole('figure').filter({ hasText: 'Accepted per hour' })
    assert.match((await events.textContent()) ?? '', /^Events12,345/)
  },
)

verifies(
  'dashboard:language-of-numbers',
  'dates and numbers are written in the language that a person chooses, in every browser',
  async () => {
    await using shop = await startShopOn(await sharedApp())
    const { app } = shop
    await shop.endedRun((await shop.sendEvent(await shop.createWebhook())).runId)
    await using visitor = await visit(app)
    const { page } = visitor
    await goTo(page, '/settings/account')
    await page.getByRole('combobox', { name: 'Dates and numbers' }).fill('German (Germany)')
    await page.getByRole('option', { name: 'German (Germany)' }).click()
    await page.getByText('18. November 2026 um 14:30 · 1.234,5').waitFor()
    await page.route('**/api/v1/stats?*', async (route) => {
      const stats = (await (await route.fetch()).json()) as { totals: object } // the shape of the answer
      await route.fulfill({ json: { ...stats, totals: { ...stats.totals, events: 12_345 } } })
    })
    await page.goto('/')
    await page.getByText('12.345', { exact: true }).waitFor()
    const refused = await app.api('PATCH', '/api/v1/me', { locale: 'no language' })
    assert.equal(refused.status, 422)
    await page.unroute('**/api/v1/stats?*')
    await goTo(page, '/settings/account')
    await page.getByRole('combobox', { name: 'Dates and numbers' }).fill('English (United States)')
    await page.getByRole('option', { name: 'English (United States)' }).click()
    await page.getByText('November 18, 2026 at 2:30').waitFor()
  },
)

verifies(['dashboard:settings', 'api:about'], 'about shows version, database, key and replicas', async () => {
  const app = await sharedApp()
  await using visitor = await visit(app)
  const { page } = visitor
  await goTo(page, '/settings/about')
  await page.getByText(/PostgreSQL \d+.*external.*migrations/).waitFor()
  await page.getByText(app.app.ctx.vault.keyId).waitFor()
  await page.getByRole('region', { name: 'Replicas' }).getByText('Web and worker (this process)').waitFor()
})

verifies(
  ['dashboard:runs-live', 'runs:retry-post', 'models:exact-numbers'],
  'a reply that could not be posted is posted again from the page of its run',
  async () => {
    const input = '{"id":"A-1","ref":12345678901234567890}'
    await using model = await startStubOpenai((_request, index) =>
      index === 0 ? { calls: [{ name: 'shop__refund', input }] } : { text: 'Not paid.' },
    )
    const inputSchema = { type: 'object', properties: { id: {}, ref: {} } }
    const tools = shopTools.map((tool) => ({ ...tool, inputSchema }))
    await using shop = await startShopOn(await sharedApp(), { model, tools })
    const channel = await shop.app.api<{ id: string }>('POST', '/api/v1/channels', { name: 'refunds' })
    const { runId } = await shop.sendEvent(await shop.createWebhook({ channelId: channel.body.id }))
    const waiting = await shop.runWhen(runId, ({ status }) => status === 'waiting')
    const { db } = shop.app.app.ctx
    await sql`update channels set deleted_at = now() where id = ${channel.body.id}`.execute(db)
    await shop.app.api('POST', `/api/v1/approvals/${waiting.toolCalls[0]?.approvalId}/deny`, {})
    await shop.endedRun(runId)
    await sql`update channels set deleted_at = null where id = ${channel.body.id}`.execute(db)
    await using visitor = await visit(shop.app, admin)
    const { page } = visitor
    await goTo(page, `/runs/${runId}`)
    // No number is rounded in the browser either.
    await page.getByRole('button', { name: 'Shop · refund' }).click()
    await page.getByRole('region', { name: 'Input' }).getByText('12345678901234567890').waitFor()
    await page.getByRole('button', { name: 'Post reply again' }).click()
    await page.getByRole('heading', { name: 'Orders · Replied' }).waitFor()
    await page.getByRole('button', { name: 'Post reply again' }).waitFor({ state: 'detached' })
    await goTo(page, `/channels/${channel.body.id}`)
    await page.getByText('Not paid.').waitFor()
  },
)

verifies('dashboard:settings', 'what is a day and a half old is not called yesterday', async () => {
  const app = await sharedApp()
  await app.api('POST', '/api/v1/api-keys', { name: 'Deploy script', role: 'operator' })
  await sql`update api_keys set last_used_at = now() - interval '35 hours' where name = 'Deploy script'`.execute(
    app.app.ctx.db,
  )
  await using visitor = await visit(app)
  const { page } = visitor
  await goTo(page, '/settings/keys')
  await page
    .getByRole('row', { name: /Deploy script/ })
    .getByText('1 day ago')
    .waitFor()
})
