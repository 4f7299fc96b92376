import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { becomes } from '../support/becomes.ts'
import { admin, goTo, visit } from '../support/browser.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { general, startShopOn } from '../support/start-shop.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { startStubOpenai } from '../support/stub-openai.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp({ admin, env: loopback }))

verifies(
  ['dashboard:configure-webhooks', 'dashboard:same-validation', 'dashboard:only-api'],
  'a webhook is created, refused, corrected, tested, rotated and deleted in the dashboard',
  async () => {
    await using app = await startTestApp({ admin })
    await using visitor = await visit(app)
    const { page, requests } = visitor

    await goTo(page, '/webhooks')
    await page.getByRole('link', { name: 'New webhook' }).first().click()
    await page.getByRole('button', { name: 'Create webhook' }).click()
    await page.getByText('Tell the agent what to do with an event.').waitFor()

    await page.getByLabel('Name').fill('Orders')
    // The only channel is preselected.
    await page.getByRole('combobox', { name: 'Channel' }).and(page.locator('[value="#general"]')).waitFor()
    await page.getByRole('combobox', { name: 'Channel' }).fill('orders')
    await page.getByRole('option', { name: 'Create #orders' }).click()
    await page.getByRole('combobox', { name: 'Channel' }).and(page.locator('[value="#orders"]')).waitFor()
    const prompt = 'Say what came in. '.repeat(1200)
    await page.getByLabel('Prompt').fill(prompt)
    await page.getByRole('button', { name: 'Create webhook' }).click()
    // The server's message is at the field, and what was typed is still there.
    await page.locator('.mantine-Textarea-error', { hasText: '20,000 characters' }).waitFor()
    await becomes(() => page.getByLabel('Prompt').inputValue(), prompt)
    await page.reload()
    await page.getByText('Unsaved changes restored').waitFor()
    await becomes(() => page.getByLabel('Name').inputValue(), 'Orders')

    await page.getByLabel('Prompt').fill('Say what came in.')
    await page.getByRole('button', { name: 'Verification' }).click()
    await page.getByRole('combobox', { name: 'Sender' }).click()
    await page.getByRole('option', { name: 'GitHub', exact: true }).click()
    await page.getByRole('button', { name: 'Create webhook' }).click()
    await page.getByText('Enter the secret.').waitFor()
    // As on a page over plain http, which has no clipboard API.
    await page.evaluate(`Object.defineProperty(navigator, 'clipboard', { value: undefined })`)
    await page.getByRole('button', { name: 'Generate secret' }).click()
    // The confirmation disappears after a moment.
    await Promise.all([
      page.getByRole('button', { name: 'Copied' }).waitFor(),
      page.getByRole('button', { name: 'Copy secret' }).click(),
    ])
    await page.getByLabel('Second secret').focus()
    await page.keyboard.press('Control+V')
    const made = await page.getByLabel('Secret', { exact: true }).inputValue()
    assert.match(made, /^[0-9a-f]{64}$/)
    await becomes(() => page.getByLabel('Second secret').inputValue(), made)
    await page.getByLabel('Second secret').fill('')
    await page.getByLabel('Secret', { exact: true }).fill('planted-webhook-secret')
    await page.getByRole('button', { name: 'Create webhook' }).click()

    const whole = page.getByText(/\/hooks\/whk_[A-Za-z0-9_-]{43}$/)
    await whole.waitFor()
    const url = (await whole.textContent()) ?? ''
    const refused = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"n":1}',
    })
    assert.equal(refused.status, 401)
    await page.getByRole('tab', { name: 'Refused' }).click()
    await page.getByRole('cell', { name: /X-Hub-Signature-256/ }).waitFor()

    await page.getByRole('tab', { name: 'Overview' }).click()
    await page.getByRole('button', { name: 'Send test event' }).click()
    await page.getByRole('region', { name: 'Run', exact: true }).getByText('succeeded').waitFor()

    // The reason is shown next to the remedy.
    await page.getByText('Only this computer can reach this address.').waitFor()
    await page.reload()
    await page.getByText('Show the full URL above to complete the example.').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Copy curl example' }).count(), 0)
    // A workflow takes URL and secret from the repository's secrets, so its example is whole at any time.
    await page.getByText('GitHub Actions', { exact: true }).click()
    await page.getByRole('button', { name: 'Copy GitHub Actions example' }).waitFor()
    assert.equal(await page.getByText(/complete the example|export WEBHOOK_SECRET/).count(), 0)
    await page.getByRole('switch', { name: 'Active' }).uncheck()
    await page.getByText('Refuses events until you turn it on').waitFor()
    await page.getByRole('switch', { name: 'Active' }).check()
    const path = `/api/v1${new URL(page.url()).pathname}`
    await app.api('PATCH', path, { runsPerHour: 1 })
    await app.api('POST', `${path}/test`, {})
    await page.getByText('This webhook is paused: it had 1 run within an hour, and its limit is 1.').waitFor()
    await goTo(page, '/')
    await page.getByRole('link', { name: 'Orders is paused: it had 1 run' }).click()
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText('Webhook resumed.').waitFor()

    await page.getByRole('button', { name: 'Actions for this webhook' }).click()
    await page.getByRole('menuitem', { name: 'Rotate URL' }).click()
    await page.getByRole('button', { name: 'Rotate', exact: true }).click()
    await page.getByText('This is the new URL.').waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByText('The old URL still works').waitFor()
    await until(async () => (await whole.textContent()) !== url)

    await page.getByRole('button', { name: 'Actions for this webhook' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Delete webhook' }).click()
    await page.getByText('A webhook is a secret URL.').waitFor()
    assert.equal((await fetch(url, { method: 'POST', body: '{}' })).status, 410)

    const allowed =
      /^\w+ \/(api\/v1\/|assets\/|favicon|color-scheme|setup|sign-in|webhooks|runs|events|start|$)/
    assert.deepEqual(
      requests.filter((request) => !allowed.test(request)),
      [],
    )
    assert.doesNotMatch(await page.content(), /planted-webhook-secret/)
  },
)

verifies('dashboard:events', 'the ledger shows the exact bytes of an event and replays it', async () => {
  const app = await sharedApp()
  await using visitor = await visit(app)
  const { page } = visitor
  const channels = await app.get<{ items: { id: string }[] }>('/api/v1/channels')
  const webhook = await app.api<{ endpointUrl: string }>('POST', '/api/v1/webhooks', {
    name: 'Orders',
    channelId: channels.items[0]?.id,
    prompt: 'Say what came in.',
    active: true,
  })
  const body = '{ "big": 12345678901234567890,\t"twice": 1, "twice": 2 }'
  const long = `{"event":"long","text":"${'x'.repeat(200_000)}","end":1}`
  for (const sent of [body, long])
    await fetch(webhook.body.endpointUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: sent,
    })

  // A very long body can still be shown completely on request.
  await goTo(page, '/events')
  await page.getByRole('link', { name: /^long/ }).click()
  await page.getByText('Raw', { exact: true }).click()
  await page
    .getByRole('button', { name: `Show all ${long.length.toLocaleString('en-US')} characters` })
    .click()
  await becomes(() => page.getByRole('region', { name: 'Body' }).textContent(), long)

  await goTo(page, '/events')
  await page.getByRole('link', { name: 'big 12345678901234567890, twice 2' }).click()
  await page.getByText('Raw', { exact: true }).click()
  await becomes(() => page.getByRole('region', { name: 'Body' }).textContent(), body)
  await page.getByText('Bytes', { exact: true }).click()
  await page.getByRole('region', { name: 'Bytes' }).getByText('000000  7b 20 22 62').waitFor()
  // A fact without a value is left out: this event was never due.
  assert.equal(await page.locator('dd:empty').count(), 0)

  await page.getByRole('button', { name: 'Replay', exact: true }).click()
  await page.getByText('Trigger').waitFor()
  await page.getByText('Replay', { exact: true }).first().waitFor()
})

verifies(
  ['dashboard:events', 'events:search'],
  'the ledger finds the oldest event by a word of its body and by its time, and says how far it searched',
  async () => {
    await using app = await startTestApp({ admin, env: { ROLE: 'web' } })
    const { db } = app.app.ctx
    await sql`
      insert into events (id, source_id, run_id, status, received_at, sender_address, headers, verification, size_bytes, body)
      select 'evt_' || n.id, 'hook_gone', 'run_' || n.id, 'done', timestamptz '2026-01-01' + n.n * interval '1 s', '127.0.0.1', '{}',
             'off', 20, convert_to('{"n":"#' || n.n || '"}', 'UTF8')
      from (select n, '019b7644-1c00-7000-8000-' || lpad(n::text, 12, '0') as id from generate_series(1, 20500) n) n`.execute(
      db,
    )
    await using visitor = await visit(app, undefined, { timezoneId: 'UTC' })
    const { page } = visitor
    await goTo(page, '/events')
    await page.getByLabel('Search event bodies').fill('#7"')
    await page.getByText('1 found, all entries searched').waitFor()
    const rows = page.locator('a[href^="/events/evt_"]')
    await becomes(() => rows.count(), 1)
    assert.match((await rows.getAttribute('href')) ?? '', /000000000007$/)

    await page.getByLabel('Search event bodies').fill('')
    await page.getByRole('button', { name: 'Any time' }).click()
    await page.getByLabel('To', { exact: true }).fill('2026-01-01T00:00')
    await page.getByText('No matching events').waitFor()
    await page.getByLabel('To', { exact: true }).fill('2026-01-01T00:01')
    // A page of the list that could not be loaded is reported, and can be retried.
    const further = /cursor=/
    await page.route(further, (route) => route.abort())
    await page.getByRole('button', { name: 'Show more' }).click()
    await page.getByRole('alert').filter({ hasText: 'Cannot reach Bellhop' }).waitFor()
    await page.unroute(further)
    await page.getByRole('button', { name: 'Try again' }).click()
    await rows.nth(58).waitFor()
    await becomes(() => rows.count(), 59)
  },
)

verifies(
  'dashboard:configure-webhooks',
  'nothing that was sent or typed for one webhook is shown at the next one',
  async () => {
    const app = await sharedApp()
    const create = async (name: string) =>
      (await app.api('POST', '/api/v1/webhooks', { name, channelId: general, prompt: 'Say it.' })).body
    const morning = await create('Morning')
    await create('Evening')
    await using visitor = await visit(app)
    const { page } = visitor
    const find = async (name: string) => {
      await page.keyboard.press('Control+k')
      await page.getByLabel('Search pages and actions').fill(name)
      await page.getByRole('button', { name: new RegExp(`^${name}`) }).click()
      await page.getByRole('heading', { name, exact: true }).waitFor()
    }
    await goTo(page, `/webhooks/${morning.id}`)
    await page.getByRole('heading', { name: 'Morning' }).waitFor()
    await find('Evening')
    await page.getByRole('textbox', { name: 'Body' }).fill('{"is":"evening"}')
    await page.getByRole('button', { name: 'Send test event' }).click()
    await page.getByRole('link', { name: 'Open event' }).waitFor()
    await find('Morning')
    await becomes(() => page.getByRole('link', { name: 'Open event' }).count(), 0)
    await becomes(() => page.getByText('{"is":"evening"}').count(), 0)
    await find('Evening')
    await page.getByText('{"is":"evening"}').waitFor()
  },
)

verifies(
  'dashboard:configure-webhooks',
  'for another sender the stored secret is not called set, since a new one is needed',
  async () => {
    const app = await sharedApp()
    const verification = { preset: 'github', secrets: ['a-secret-of-github'] }
    const { body } = await app.api<{ id: string }>('POST', '/api/v1/webhooks', {
      name: 'Code',
      channelId: general,
      prompt: 'Say it.',
      verification,
    })
    await using visitor = await visit(app)
    const { page } = visitor
    await goTo(page, `/webhooks/${body.id}?tab=settings`)
    const kept = page.getByText('Leave empty to keep it.')
    await kept.waitFor()
    await page.getByRole('combobox', { name: 'Sender' }).fill('Stripe')
    await page.getByRole('option', { name: 'Stripe' }).click()
    await page.getByRole('combobox', { name: 'Sender' }).and(page.locator('[value=Stripe]')).waitFor()
    assert.equal(await kept.count(), 0)
  },
)

verifies(
  ['rules:preview', 'dashboard:configure-webhooks', 'dashboard:conditions'],
  'rules are written with a preview of kept events, a suggestion is chosen, and a skipped event is run anyway',
  async () => {
    const app = await sharedApp()
    const made = await app.api<{ id: string; endpointUrl: string }>('POST', '/api/v1/webhooks', {
      name: 'Alerts',
      channelId: general,
      prompt: 'Say what fires.',
      rules: [{ when: "event.status == 'quiet'", then: 'skip' }],
    })
    for (const [status, groupKey] of [
      ['firing', 'disk'],
      ['quiet', 'disk'],
      ['resolved', 'disk'],
    ])
      await fetch(made.body.endpointUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          status,
          groupKey,
          title: `Disk ${status}`,
          commonLabels: { alertname: 'DiskFull' },
        }),
      })
    const eventsPath = `/api/v1/events?webhookId=${made.body.id}`
    const events = async () =>
      (await app.get<{ items: { id: string; runId: string; status: string }[] }>(eventsPath)).items
    await until(async () => (await events()).filter(({ status }) => /done|skipped/.test(status)).length === 3)
    await using visitor = await visit(app)
    const { page } = visitor
    await goTo(page, `/webhooks/${made.body.id}?tab=settings`)
    await page.getByText('The last 3 events would become: 2 runs, 1 skipped, 0 notified').waitFor()
    await page.getByRole('button', { name: 'Suggestions' }).click()
    await page.getByRole('menuitem', { name: 'One thread for each /groupKey' }).first().click()
    // The menu stays open, and what is chosen cannot be chosen again.
    const resolved = page.getByRole('menuitem', { name: 'Post resolved alerts without a run' }).first()
    await resolved.click()
    await resolved.and(page.locator('[data-disabled]')).waitFor()
    await page.keyboard.press('Escape')
    await page
      .getByText('The last 3 events would become: 1 run, 1 skipped, 1 notified, in 1 thread')
      .waitFor()
    const preview = page.getByRole('table', { name: 'Preview of rules' }).locator('tbody').getByRole('row')
    await becomes(() => preview.count(), 3)
    await page.getByRole('button', { name: 'Notified 1' }).click()
    await becomes(
      () => preview.allTextContents().then((rows) => rows.map((row) => /Rule \d/.exec(row)?.[0])),
      ['Rule 2'],
    )
    await page.getByRole('group', { name: 'Rule 1' }).getByLabel('When').fill('event.status = 1')
    await page.getByText(/^No preview: Rule 1, character 14: /).waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('.mantine-Textarea-error', { hasText: 'character 14' }).waitFor()
    const first = page.getByRole('group', { name: 'Rule 1' })
    await first.getByLabel('When').fill("event.status == 'silent'")
    // Chosen from what the latest event has, and written as CEL.
    await first.getByRole('button', { name: 'Add comparison' }).click()
    const second = first.getByRole('group', { name: 'Comparison 2' })
    await second.getByRole('combobox', { name: 'Field' }).fill('alert')
    await page.getByRole('option', { name: 'event.commonLabels.alertname' }).click()
    await second.getByLabel('Value').fill('Disk "A"')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Webhook saved').waitFor()
    const saved = await app.get<{ threadKey: string; rules: { when: string; closes?: boolean }[] }>(
      `/api/v1/webhooks/${made.body.id}`,
    )
    assert.equal(saved.threadKey, '/groupKey')
    assert.deepEqual(
      saved.rules.map(({ when, closes }) => [when, closes]),
      [
        ['event.status == "silent" && event.commonLabels.alertname == "Disk \\"A\\""', undefined],
        ["event.status == 'resolved'", true],
      ],
    )
    await goTo(page, '/events?status=skipped')
    await page.getByTitle("event.status == 'quiet'").getByText('Rule 1').waitFor()
    await goTo(page, '/')
    await page.getByText('1 without a run').waitFor()
    const skipped = (await events()).find(({ status }) => status === 'skipped')
    await goTo(page, `/runs/${skipped?.runId}`)
    await page.getByText('This event started no run').waitFor()
    visitor.refusals.length = 0
    visitor.faults.length = 0
    await page.getByRole('link', { name: 'Open the event' }).click()
    await page.waitForURL(`**/events/${skipped?.id}`)
    await page.getByText("event.status == 'quiet'").waitFor()
    await page.getByRole('button', { name: 'Run it anyway' }).click()
    await page.waitForURL(/\/runs\/run_/)
  },
)

verifies(
  'dashboard:sources',
  'a new webhook begins with its sender: verification, example, prompt and thread are set, what somebody wrote stays, and the steps at the sender can be copied',
  async () => {
    const app = await sharedApp()
    await using visitor = await visit(app)
    const { page } = visitor
    // A link may name the source.
    await goTo(page, '/webhooks/new?source=grafana')
    await becomes(() => page.getByLabel('Name').inputValue(), 'Grafana alerts')
    const source = (name: string) =>
      page.getByRole('region', { name: 'Source' }).getByRole('button', { name: new RegExp(`^${name}`) })
    await source('Stripe').click()
    await becomes(() => page.getByLabel('Name').inputValue(), 'Stripe payments')
    await page.getByText('invoice.payment_failed').first().waitFor()
    await page.getByLabel('Prompt').fill('Only say what changed.')
    await source('GitHub').click()
    await becomes(() => page.getByLabel('Name').inputValue(), 'GitHub pull requests')
    await becomes(() => page.getByLabel('Prompt').inputValue(), 'Only say what changed.')
    await page.getByText('Retry failed payments once').waitFor()
    await page.getByText('GitHub, checked on every delivery').waitFor()
    await page.getByLabel('Secret', { exact: true }).fill('planted-webhook-secret')
    const channel = page.getByRole('combobox', { name: 'Channel' })
    await channel.fill('general')
    await page.getByRole('option', { name: '#general', exact: true }).click()
    await page.getByRole('button', { name: 'Create webhook' }).click()
    const steps = page.getByRole('region', { name: 'Steps in GitHub' })
    await steps.getByText('Payload URL:').waitFor()
    await steps.getByRole('button', { name: 'Copy URL for GitHub' }).waitFor()
    await steps.getByRole('button', { name: 'Copy application/json' }).waitFor()
    const id = page.url().split('/').at(-1)
    const made = await app.get<{ threadKey: string; verification: { preset: string } }>(
      `/api/v1/webhooks/${id}`,
    )
    assert.deepEqual(
      [made.threadKey, made.verification.preset],
      ['{/repository/full_name}#{/pull_request/number}', 'github'],
    )

    // Stripe shows its secret only once it has the URL: the webhook comes first, and its page asks for the secret.
    await goTo(page, '/webhooks/new?source=stripe')
    await page.getByText('Stripe, once you add the secret').waitFor()
    await channel.fill('general')
    await page.getByRole('option', { name: '#general', exact: true }).click()
    await page.getByRole('button', { name: 'Create webhook' }).click()
    await page.getByText('Not verified yet: anyone with the URL can send events.').waitFor()
    await page.getByRole('link', { name: 'Enter the secret' }).click()
    await page.getByLabel('Secret', { exact: true }).fill('whsec_planted')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Webhook saved').waitFor()
    await page.getByRole('tab', { name: 'Overview' }).click()
    await page.getByRole('region', { name: 'Steps in Stripe' }).waitFor()
    await becomes(() => page.getByText('Not verified yet').count(), 0)
  },
)

verifies(
  'dispatch:concurrency',
  'the page of a webhook says when its own limit is why events wait, as long as it is',
  async () => {
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
    await using model = await startStubOpenai(async () => {
      await answered
      return { text: 'Done.' }
    })
    await using shop = await startShopOn(await sharedApp(), { model })
    await using visitor = await visit(shop.app)
    const { page } = visitor
    const webhook = await shop.createWebhook({ concurrency: 1 })
    await goTo(page, `/webhooks/${webhook.id}`)
    await page.getByText('Last event').waitFor()
    const reason = page.getByText('Events are waiting: this webhook handles one at a time.')
    assert.equal(await reason.count(), 0)
    const [, second] = [await shop.sendEvent(webhook), await shop.sendEvent(webhook)]
    await reason.waitFor()
    answer()
    await shop.endedRun(second.runId)
    await reason.waitFor({ state: 'detached' })
  },
)
