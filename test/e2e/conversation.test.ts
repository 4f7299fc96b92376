import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { becomes } from '../support/becomes.ts'
import { admin, goTo, visit } from '../support/browser.ts'
import { startShop } from '../support/start-shop.ts'
import { startStubOpenai } from '../support/stub-openai.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

verifies(
  [
    'dashboard:conversation',
    'dashboard:channels',
    'dashboard:mentions',
    'dashboard:notify-levels',
    'dashboard:logos',
  ],
  'a reply names what it answers, a channel opens at what is new, a thread opens without moving the list, and a run at work is canceled in place',
  async () => {
    await using model = await startStubOpenai(({ body }) =>
      body.includes('slow order')
        ? { calls: [{ name: 'shop__get_order', input: { id: 'A-1' } }] }
        : { text: 'The card was declined.' },
    )
    const held: ServerResponse[] = []
    await using shop = await startShop({
      admin,
      env: model.env,
      answer: (_request, response) => {
        held.push(response)
      },
    })
    const { app, channelId } = shop
    const webhook = await shop.createWebhook({ name: 'Stripe payments' })
    const { runId, eventId } = await shop.sendEvent(webhook, { type: 'invoice.payment_failed', id: 'A-1042' })
    await shop.endedRun(runId)
    const say = (text: string) => app.api('POST', `/api/v1/channels/${channelId}/messages`, { text })
    await using kim = await visit(app)
    const { page } = kim
    const conversation = page.getByLabel('Conversation')
    const path = `/channels/${channelId}`
    await goTo(page, path)
    const reply = conversation.getByRole('article').filter({ hasText: 'The card was declined.' })
    await reply.getByText('Stripe payments', { exact: true }).waitFor()
    assert.equal(await reply.locator('[data-brand]').getAttribute('data-brand'), 'stripe')
    const link = reply.getByRole('link', { name: /invoice\.payment_failed/ })
    assert.equal(await link.getAttribute('href'), `/events/${eventId}`)

    await page.getByRole('link', { name: 'Runs', exact: true }).click()
    await page.getByRole('heading', { name: 'Runs' }).waitFor()
    for (let n = 1; n <= 40; n += 1) await say(`Talk ${n}`)
    await page.getByRole('link', { name: 'Channels unread messages', exact: true }).click()
    await conversation.getByText('40 new').waitFor()
    await becomes(() => isInView('Talk 1'), true)
    assert.equal(await isInView('Talk 40'), false)
    // One author within a few minutes is named once.
    assert.equal(await conversation.getByText('API_KEY', { exact: true }).count(), 1)
    await page.getByRole('button', { name: 'Jump to latest' }).click()
    await becomes(() => isInView('Talk 40'), true)

    // So does one that somebody returns to from another tab.
    await setHidden(true)
    await say('Meanwhile 1')
    await say('Meanwhile 2')
    await setHidden(false)
    await conversation.getByText('2 new').waitFor()
    await say('Now')
    await becomes(() => isInView('Now'), true)
    assert.deepEqual(await conversation.getByText(/^\d+ new$/).allTextContents(), ['2 new'])

    const message = conversation.getByRole('article').filter({ hasText: 'Talk 36' })
    const before = await message.boundingBox()
    await message.hover()
    await message.getByRole('button', { name: 'Reply' }).click()
    await page.getByRole('complementary', { name: 'Thread' }).getByText('Talk 36').waitFor()
    await becomes(async () => {
      const after = await message.boundingBox()
      return after !== null && before !== null && after.width < before.width
    }, true)
    await becomes(async () => Math.abs(((await message.boundingBox())?.y ?? 0) - (before?.y ?? 0)) < 4, true)
    await page.getByRole('button', { name: 'Close thread' }).click()

    await say('@bellhop how is the slow order?')
    const live = conversation.getByText(/Bellhop is calling Shop · get_order/)
    await live.waitFor()
    await conversation.getByRole('button', { name: 'Cancel', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel run' }).click()
    await page.getByText('Run canceled').waitFor()
    await until(() => held.length > 0)
    for (const response of held) response.end('{}')

    // Own messages: completed while they are typed, changed with the up arrow, deleted.
    const box = page.getByRole('textbox', { name: 'Message', exact: true })
    await box.pressSequentially('Thanks @ki')
    await page.getByRole('option', { name: '@kim' }).waitFor()
    await page.keyboard.press('Enter')
    await box.pressSequentially(':tada:')
    await becomes(() => box.inputValue(), 'Thanks @kim 🎉')
    await page.keyboard.press('Shift+Enter')
    await page.keyboard.type('See #general or `#general`')
    await page.keyboard.press('Enter')
    const thanks = conversation.getByRole('article').filter({ hasText: 'Thanks' })
    // Lines stay lines; names stand out, the reader's own most, and those of channels lead there.
    await becomes(() => thanks.locator('p').allInnerTexts(), ['Thanks @kim 🎉\nSee #general or #general'])
    assert.deepEqual(await thanks.locator('[data-own]').allTextContents(), ['@kim'])
    assert.equal(await thanks.getByRole('link').getAttribute('href'), path)
    // Whoever wrote it, and however fast.
    await say('Posted :tada: at 10:100:00, as `:tada:`')
    await conversation.getByText('Posted 🎉 at 10:100:00, as :tada:').waitFor()
    await page.keyboard.press('ArrowUp')
    await conversation.getByRole('textbox', { name: 'Edit message' }).fill('Thanks to all')
    await page.keyboard.press('Enter')
    await thanks.getByText('Thanks to all').waitFor()
    await thanks.getByText('edited').waitFor()
    const hasFocus = () => box.evaluate((field) => field.matches(':focus'))
    await becomes(hasFocus, true)
    await thanks.hover()
    await thanks.getByRole('button', { name: 'Delete message' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete message' }).click()
    await thanks.waitFor({ state: 'detached' })

    // Files: attached, taken off again, and sent.
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Attach files' }).first().click()
    const onePixel =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
    await (await chooser).setFiles([
      { name: 'dot.png', mimeType: 'image/png', buffer: Buffer.from(onePixel, 'base64') },
      { name: 'data.zip', mimeType: 'application/zip', buffer: Buffer.from('PK\u0003\u0004\u0000') },
    ])
    const attached = page.getByRole('group', { name: 'Attached files' })
    await attached.getByText('The agent cannot read data.zip: it is no image, text or PDF.').waitFor()
    assert.equal(await hasFocus(), true)
    await attached.getByRole('button', { name: 'Remove data.zip' }).click()
    await box.fill('A dot')
    await page.keyboard.press('Enter')
    await conversation
      .getByRole('article')
      .filter({ hasText: 'A dot' })
      .getByRole('img', { name: 'dot.png' })
      .waitFor()

    // Beside the conversation: what posts here.
    await page.getByRole('button', { name: 'About this channel' }).click()
    const about = page.getByRole('complementary', { name: 'About' })
    await about.getByRole('link', { name: 'Stripe payments' }).waitFor()
    await about.getByText('1 of 1 succeeded in 24 hours').waitFor()
    await about.getByText('All connectors').waitFor()
    await about.getByText('Everybody who can sign in reads and writes here, and so does the agent.').waitFor()
    assert.equal(await about.getByRole('link', { name: 'Users' }).getAttribute('href'), '/settings/users')

    // It can read new messages by itself.
    await about.getByRole('button', { name: 'Watch this channel' }).click()
    const form = page.getByRole('dialog', { name: 'Watch #general' })
    await form.getByRole('textbox', { name: 'Condition' }).fill('event.text ==')
    await form.getByRole('textbox', { name: 'What the agent should do' }).fill('Look into it.')
    await form.getByRole('button', { name: 'Watch' }).click()
    await form.getByText(/^Character \d+: /).waitFor()
    await form.getByRole('textbox', { name: 'Condition' }).fill('event.text.contains("FIRING")')
    await form.getByRole('button', { name: 'Watch' }).click()
    await about.getByText('New messages of apps start the agent').waitFor()
    await about.getByRole('button', { name: 'Pause' }).click()
    await about.getByText('paused it.').waitFor()
    await about.getByRole('button', { name: 'Resume' }).click()
    await about.getByRole('button', { name: 'Pause' }).waitFor()
    await about.getByRole('button', { name: 'Close' }).click()

    // What is unread comes first, then what is starred.
    const { body: other } = await app.api<{ id: string }>('POST', '/api/v1/channels', { name: 'alpha' })
    await app.api('POST', '/api/v1/channels', { name: 'beta' })
    await app.api('POST', `/api/v1/channels/${other.id}/messages`, { text: 'News' })
    await page.getByRole('button', { name: 'Star #general' }).click()
    const list = page.getByRole('navigation', { name: 'Channels' })
    await list.getByText('Starred').waitFor()
    await becomes(
      async () => ((await list.textContent()) ?? '').replaceAll(/\d unread/g, ''),
      'Unread# alphaStarred# generalAll others# beta',
    )

    // A muted channel is not unread, whatever comes; the panel says and changes the same.
    await goTo(page, `/channels/${other.id}`)
    await page.getByRole('button', { name: 'Actions for this channel' }).click()
    await page.getByRole('menuitemradio', { name: 'Muted' }).click()
    await list.getByRole('link', { name: '# alpha muted', exact: true }).waitFor()
    await goTo(page, path)
    await app.api('POST', `/api/v1/channels/${other.id}/messages`, { text: 'More news, @kim' })
    await page.getByRole('link', { name: 'Channels', exact: true }).waitFor()
    await becomes(() => list.textContent(), 'Starred# generalAll others# alpha muted# beta')
    await goTo(page, `/channels/${other.id}?about=1`)
    await about.getByRole('combobox', { name: 'Count as unread' }).click()
    await page.getByRole('option', { name: 'Mentions and failures' }).click()
    await list.getByRole('link', { name: '# alpha', exact: true }).waitFor()
    await goTo(page, path)
    await app.api('POST', `/api/v1/channels/${other.id}/messages`, { text: 'For everybody' })
    await app.api('POST', `/api/v1/channels/${other.id}/messages`, { text: 'For @kim' })
    await list.getByRole('link', { name: '# alpha 1 unread, 1 mentioning you' }).waitFor()
    await goTo(page, `/channels/${other.id}`)
    await list.getByRole('link', { name: '# alpha', exact: true }).waitFor()
    await becomes(async () => (await page.context().request.get('/api/v1/channels/unread')).json(), {
      channels: 0,
      mentions: 0,
      latestMention: null,
    })
    await goTo(page, path)

    // Whoever wants it is notified of a mention meanwhile; a click leads there. Headless, a browser shows nothing.
    // A hidden tab asks every 20 seconds, which are shorter here. Playwright's clock would stay with the context.
    await using _ = await page.addInitScript(`window.shown = []; window.Notification = class {
      static permission = 'default'
      static requestPermission = async () => 'granted'
      close() {}
      constructor(title, { body }) { window.shown.push({ title, body, click: () => this.onclick() }) }
    }
    const { setInterval } = window
    window.setInterval = (act, ms) => setInterval(act, ms / 50)`)
    await page.goto('/settings/account')
    await page.getByRole('button', { name: 'Notify me on this computer when I am mentioned' }).click()
    await page.getByRole('button', { name: 'Stop notifying me on this computer' }).waitFor()
    await setHidden(true)
    await say('Look at this, @kim')
    await becomes(
      () => page.evaluate('window.shown.map(({ title, body }) => [title, body])'),
      [['API_KEY mentioned you', 'Look at this, @kim']],
    )
    await becomes(() => page.title(), '(1) Your account · Settings · Bellhop')
    await setHidden(false)
    await page.evaluate('window.shown[0].click()')
    await becomes(() => new URL(page.url()).pathname, path)
    await conversation.getByText('Look at this, @kim').waitFor()

    /** As a browser does when another tab is chosen. */
    function setHidden(hidden: boolean): Promise<void> {
      return page.evaluate(`{
        const set = (name, value) => Object.defineProperty(document, name, { value, configurable: true })
        set('hidden', ${hidden})
        set('visibilityState', '${hidden ? 'hidden' : 'visible'}')
        document.dispatchEvent(new Event('visibilitychange'))
      }`)
    }

    async function isInView(text: string): Promise<boolean> {
      return await conversation.getByText(text, { exact: true }).evaluate((element) => {
        const place = element.getBoundingClientRect()
        const box = element.closest('section')?.getBoundingClientRect()
        return box !== undefined && place.top >= box.top && place.bottom <= box.bottom
      })
    }
  },
)
