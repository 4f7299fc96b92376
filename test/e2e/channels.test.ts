import assert from 'node:assert/strict'
import { becomes } from '../support/becomes.ts'
import { admin, createPerson, goTo, visit } from '../support/browser.ts'
import { general } from '../support/start-shop.ts'
import { startTestApp } from '../support/start-test-app.ts'
import { verifies } from '../support/verifies.ts'

verifies(
  ['dashboard:channels', 'runs:scope'],
  'an operator chooses in a channel’s settings which connectors the agent may use there; an empty list stays empty',
  async () => {
    await using app = await startTestApp({ admin })
    for (const name of ['Shop', 'Store']) {
      const draft = { type: 'http', name, baseUrl: 'https://api.example.com', authType: 'none', tools: [] }
      await app.api('POST', '/api/v1/connectors', draft)
    }
    await using kim = await visit(app)
    await goTo(kim.page, '/channels')
    await kim.page.getByRole('button', { name: 'Actions for this channel' }).click()
    await kim.page.getByRole('menuitem', { name: 'Settings' }).click()
    await kim.page.getByRole('combobox', { name: 'Connectors', exact: true }).click()
    await kim.page.getByRole('option', { name: 'Only selected' }).click()
    await kim.page.getByRole('combobox', { name: 'Selected connectors' }).click()
    await kim.page.getByRole('option', { name: 'Store' }).click()
    await kim.page.keyboard.press('Escape')
    await kim.page.getByRole('button', { name: 'Save' }).click()
    await kim.page.getByRole('dialog').waitFor({ state: 'detached' })

    const { items } = await app.get<{ items: { id: string; connectorIds: string[] | null }[] }>(
      '/api/v1/channels',
    )
    const connectors = await app.get<{ items: { id: string; name: string }[] }>('/api/v1/connectors')
    const store = connectors.items.find(({ name }) => name === 'Store')
    assert.deepEqual(items[0]?.connectorIds, [store?.id])

    const draft = { name: 'Orders', channelId: items[0]?.id, prompt: 'Say what came.', connectorIds: [] }
    const webhook = (await app.api('POST', '/api/v1/webhooks', draft)).body
    await goTo(kim.page, `/webhooks/${webhook.id}?tab=settings`)
    await kim.page.getByLabel('Name').fill('Shop orders')
    await kim.page.getByRole('button', { name: 'Save' }).click()
    await kim.page.getByText('Webhook saved').waitFor()
    const saved = await app.get<{ name: string; connectorIds: string[] | null }>(
      `/api/v1/webhooks/${webhook.id}`,
    )
    assert.deepEqual([saved.name, saved.connectorIds], ['Shop orders', []], 'a list that is empty stays one')

    // A connector that was deleted stays on the list, where nobody could tell it by its id.
    await app.api('DELETE', `/api/v1/connectors/${store?.id}`)
    await kim.page.goto(`/channels/${items[0]?.id}`)
    await kim.page.getByRole('button', { name: 'Actions for this channel' }).click()
    await kim.page.getByRole('menuitem', { name: 'Settings' }).click()
    await kim.page.getByRole('dialog').getByText('Deleted', { exact: true }).waitFor()

    // A channel beyond the first hundred of the list can still be opened.
    for (let n = 0; n < 100; n++) await app.api('POST', '/api/v1/channels', { name: `room-${n}` })
    await goTo(kim.page, `/channels/${items[0]?.id}`)
    await kim.page.getByRole('heading', { name: '#general' }).waitFor()
    await kim.page.getByRole('textbox', { name: 'Message', exact: true }).waitFor()
    // A link to a message that is gone says so.
    await goTo(kim.page, `/channels/${items[0]?.id}?message=msg_00000000-0000-7000-8000-000000000000`)
    await kim.page.getByRole('alert').filter({ hasText: 'There is no such message.' }).waitFor()
  },
)

verifies(
  ['dashboard:channels', 'dashboard:mentions', 'dashboard:channel-width'],
  'two people and the agent talk: messages, threads, unread marks and mentions arrive without a reload',
  async () => {
    await using app = await startTestApp({ admin })
    await using kim = await visit(app)
    await using mia = await visit(app, await createPerson(app, 'Mia', 'member'))

    // Typed while the list is loading; then the page opens the first channel.
    const typed = Promise.withResolvers<void>()
    await kim.page.route('**/api/v1/channels?*', async (route) => {
      await typed.promise
      await route.continue()
    })
    await goTo(kim.page, '/channels')
    await kim.page.getByLabel('New channel name').fill('#orders!')
    typed.resolve()
    await kim.page.waitForURL(/\/channels\/chan_/)
    await kim.page.getByRole('heading', { name: '#general' }).waitFor()
    await kim.page.getByRole('button', { name: 'Create channel' }).click()
    await kim.page.getByText('A name has letters, digits').waitFor()
    await becomes(() => kim.page.getByLabel('New channel name').inputValue(), '#orders!')
    await kim.page.getByLabel('New channel name').fill('orders')
    const listening = kim.page.waitForResponse(
      (answer) => answer.url().includes('/stream?') && !answer.url().includes(general),
    )
    await kim.page.getByRole('button', { name: 'Create channel' }).click()
    await kim.page.getByRole('heading', { name: '#orders' }).waitFor()
    await listening

    // The list is as wide as its reader likes, in this browser.
    const separator = kim.page.getByRole('separator', { name: 'Width of the channel list' })
    const width = () => separator.getAttribute('aria-valuenow')
    const shownWidth = async () =>
      (await kim.page.getByLabel('Channels', { exact: true }).boundingBox())?.width
    const usual = await shownWidth()
    await becomes(width, '220')
    await separator.press('ArrowRight')
    await becomes(width, '230')
    const place = await separator.boundingBox()
    assert.ok(place && usual)
    await kim.page.mouse.move(place.x + place.width / 2, 400)
    await kim.page.mouse.down()
    await kim.page.mouse.move(place.x + place.width / 2 + 50, 400, { steps: 3 })
    await kim.page.mouse.up()
    await becomes(width, '280')
    await kim.page.reload()
    await becomes(shownWidth, usual + 60)
    await separator.dblclick()
    await becomes(width, '220')

    await goTo(mia.page, '/channels')
    await becomes(() => mia.page.getByLabel('New channel name').count(), 0)
    await mia.page.getByRole('link', { name: '# orders' }).click()
    await mia.page.getByText('This is the start of #orders').waitFor()
    await mia.page.getByRole('textbox', { name: 'Message' }).fill('Good **morning**')
    await kim.page.getByText('Mia is typing…').waitFor()
    await mia.page.keyboard.press('Enter')
    await kim.page.locator('strong', { hasText: 'morning' }).waitFor()

    await mia.page.getByRole('textbox', { name: 'Message' }).fill('@bellhop are you there?')
    await mia.page.keyboard.press('Enter')
    const question = kim.page.getByRole('article').filter({ hasText: '@bellhop are you there?' }).first()
    await question.getByText('agent', { exact: true }).waitFor()
    await question.getByRole('button', { name: 'Open thread' }).click()
    await kim.page.getByRole('textbox', { name: 'Reply in thread' }).fill('It is, in its way.')
    await kim.page.keyboard.press('Enter')
    // The agent answers in its own thread without a mention; the channel shows its latest reply.
    await mia.page.getByRole('button', { name: 'Open thread: 3 replies · last reply' }).click()
    await mia.page.getByText('It is, in its way.').waitFor()
    const panel = mia.page.getByLabel('Thread messages')
    await panel.getByText('3 replies · last reply').waitFor()
    // The agent and Kim: each once, however much they wrote.
    await becomes(() => panel.locator('.mantine-AvatarGroup-group > *').count(), 2)

    await mia.page.getByRole('link', { name: '# general' }).click()
    await mia.page.getByRole('heading', { name: '#general' }).waitFor()
    await kim.page.getByRole('textbox', { name: 'Message', exact: true }).fill('One more thing, @Mia')
    await kim.page.keyboard.press('Enter')
    const mention = mia.page.getByRole('link', { name: /# orders.*1 unread, 1 mentioning you/s })
    await mention.waitFor()
    await mia.page.getByRole('link', { name: 'Channels 1 unread mentions', exact: true }).waitFor()
    await becomes(() => mia.page.title(), '(1) #general · Bellhop')
    // What is clicked is ready to be written in.
    await mention.click()
    await becomes(() => mia.page.title(), '#orders · Bellhop')
    await mia.page.getByRole('link', { name: 'Channels', exact: true }).waitFor()
    await mia.page.locator('textarea[aria-label="Message"]:focus').waitFor()

    await kim.page.getByLabel('Search this channel').fill('morning')
    await kim.page.getByRole('region', { name: 'Search results' }).getByText('Good').waitFor()
    await becomes(() => kim.page.getByRole('article').filter({ hasText: 'One more thing' }).count(), 0)

    // A long thread can be read back to its beginning, and each thread has its own draft.
    const { items } = await app.get<{ items: { id: string; name: string }[] }>('/api/v1/channels')
    const path = `/api/v1/channels/${items.find(({ name }) => name === 'orders')?.id}/messages`
    const root = await app.api<{ id: string }>('POST', path, { text: 'The log of today' })
    for (let n = 1; n <= 55; n++) {
      const entry = await app.api('POST', path, { threadId: root.body.id, text: `Entry ${n} of today` })
      assert.equal(entry.status, 201, entry.text)
    }
    await kim.page.getByLabel('Search this channel').fill('')
    const openThread = async (words: string) => {
      const message = kim.page
        .getByLabel('Conversation')
        .getByRole('article')
        .filter({ hasText: words })
        .first()
      await message.getByRole('button', { name: /Open thread|Reply/ }).click()
    }
    const reply = kim.page.getByRole('textbox', { name: 'Reply in thread' })
    const thread = kim.page.getByLabel('Thread messages')
    await openThread('The log of today')
    await thread.getByText('Entry 55 of today').waitFor()
    await becomes(() => thread.getByText('Entry 2 of today', { exact: true }).count(), 0)
    await thread.getByRole('button', { name: 'Show older messages' }).click()
    await thread.getByText('Entry 2 of today', { exact: true }).waitFor()
    await thread.getByText('55 replies · last reply').waitFor()
    await reply.fill('Only for the log')
    await openThread('One more thing')
    await thread.getByText('One more thing').waitFor()
    await becomes(() => reply.inputValue(), '')
    await openThread('The log of today')
    await thread.getByText('Entry 55 of today').waitFor()
    await becomes(() => reply.inputValue(), 'Only for the log')
  },
)

verifies(
  ['dashboard:channels', 'dashboard:typed-stays'],
  'what is typed into the settings of a channel is not carried over to another one of the same name',
  async () => {
    await using app = await startTestApp({ admin })
    const { body } = await app.api<{ id: string }>('POST', '/api/v1/channels', { name: 'orders' })
    await using visitor = await visit(app)
    const { page } = visitor
    // As in two workspaces, each with its own.
    await page.route('**/api/v1/channels?*', async (route) => {
      const answer = (await (await route.fetch()).json()) as { items: object[] } // the shape of every list
      await route.fulfill({
        json: { ...answer, items: answer.items.map((one) => ({ ...one, name: 'news' })) },
      })
    })
    const name = page.getByRole('dialog').getByLabel('Name')
    const openSettings = async () => {
      await page.getByRole('button', { name: 'Actions for this channel' }).click()
      await page.getByRole('menuitem', { name: 'Settings' }).click()
    }
    await goTo(page, `/channels/${general}`)
    await openSettings()
    await name.fill('half')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.locator(`a[href="/channels/${body.id}"]`).click()
    await page.waitForURL(`**/channels/${body.id}`)
    await openSettings()
    await becomes(() => name.inputValue(), 'news')
  },
)

verifies(
  'dashboard:formatting',
  'keys and buttons format what is selected, an address that is pasted over words is their link, and all of it can be undone',
  async () => {
    await using app = await startTestApp({ admin })
    await using kim = await visit(app)
    const { page } = kim
    const { keyboard } = page
    await goTo(page, `/channels/${general}`)
    const box = page.getByRole('textbox', { name: 'Message', exact: true })
    const select = async (from: number, to: number) => {
      await page.evaluate(`document.activeElement.setSelectionRange(${from}, ${to})`)
    }
    await box.fill('paid in full')
    await select(0, 5)
    await keyboard.press('Control+b')
    await becomes(() => box.inputValue(), '**paid** in full')
    await keyboard.press('Control+i')
    await becomes(() => box.inputValue(), '**_paid_** in full')
    await keyboard.press('Control+i')
    await keyboard.press('Control+z')
    await becomes(() => box.inputValue(), '**_paid_** in full')
    await box.fill('order A-1')
    await select(6, 9)
    await keyboard.press('Control+Shift+C')
    await becomes(() => box.inputValue(), 'order `A-1`')
    await select(0, 5)
    await page.evaluate(`(() => {
      const clipboardData = new DataTransfer()
      clipboardData.setData('text/plain', 'https://shop.example/orders/1')
      const paste = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })
      document.activeElement.dispatchEvent(paste)
    })()`)
    await becomes(() => box.inputValue(), '[order](https://shop.example/orders/1) `A-1`')
    const bar = page.getByRole('group', { name: 'Formatting' })
    await bar.getByRole('button', { name: 'List' }).click()
    await keyboard.press('Shift+Enter')
    await keyboard.type('- tea')
    // What it will look like, while it is typed.
    await bar.getByRole('button', { name: 'Preview', pressed: false }).click()
    const preview = page.getByRole('region', { name: 'Preview' })
    await preview.getByRole('link', { name: 'order' }).waitFor()
    await keyboard.type(' and **milk**')
    await preview.locator('strong', { hasText: 'milk' }).waitFor()
    await keyboard.press('Enter')
    await preview.waitFor({ state: 'detached' })
    await bar.getByRole('button', { name: 'Preview', pressed: true }).click()
    const sent = page.getByLabel('Conversation').getByRole('article').last()
    await sent.getByRole('link', { name: 'order' }).waitFor()
    await becomes(() => sent.getByRole('listitem').count(), 2)

    // Own messages are changed with the same keys.
    await keyboard.press('ArrowUp')
    const edited = page.getByRole('textbox', { name: 'Edit message' })
    await edited.fill('tea')
    await edited.selectText()
    await keyboard.press('Control+b')
    await keyboard.press('Enter')
    await page.getByLabel('Conversation').locator('strong', { hasText: 'tea' }).waitFor()
  },
)
