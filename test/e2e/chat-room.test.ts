import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import type { ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import type { Message } from '../../src/chat/contract.ts'
import { becomes } from '../support/becomes.ts'
import { admin, createPerson, goTo, visit } from '../support/browser.ts'
import type { Script } from '../support/model-script.ts'
import { general, startShop } from '../support/start-shop.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const answer = 'Here it is:\n\n| order | state |\n|---|---|\n| A-1 | paid |\n\n```json\n{"paid": true}\n```'

const script: Script = ({ body }) => {
  if (body.includes('tool_result')) return { text: body.includes('give it back') ? 'Refunded.' : answer }
  const name = body.includes('give it back') ? 'shop__refund' : 'shop__get_order'
  return body.includes('rung by curl')
    ? { text: 'The bell rang.' }
    : { calls: [{ name, input: { id: 'A-1' } }] }
}

verifies(
  ['dashboard:channels', 'dashboard:mentions', 'chat:built-in-workspace', 'chat:cards', 'chat:stream'],
  'two people, one on a phone, and an admin at once: they watch the agent work, curl sends an event, and only the admin’s approval on the card counts',
  async () => {
    await using model = await startStubAnthropic(script)
    let held: ServerResponse | null = null
    await using shop = await startShop({
      admin,
      env: model.env,
      answer: (_request, response) => {
        held = response
      },
    })
    await using kim = await visit(shop.app)
    await using mia = await visit(shop.app, await createPerson(shop.app, 'Mia', 'member'))
    await using phone = await visit(shop.app, await createPerson(shop.app, 'Pia', 'member'), {
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    })
    const everybody = [kim.page, mia.page, phone.page]
    for (const page of everybody) {
      await goTo(page, `/channels/${general}`)
      await page.getByRole('textbox', { name: 'Message', exact: true }).waitFor()
    }
    const release = async () => {
      await until(() => held !== null)
      held?.setHeader('content-type', 'application/json').end('{"state":"paid"}')
      held = null
    }

    await phone.page.getByRole('textbox', { name: 'Message', exact: true }).fill('@bellhop how is A-1?')
    await phone.page.getByRole('button', { name: 'Send' }).tap()
    for (const page of everybody)
      await page
        .getByText(/calling .*get_order/)
        .first()
        .waitFor()
    await release()
    for (const page of everybody) {
      await page.getByRole('cell', { name: 'paid', exact: true }).waitFor()
      await page.locator('pre code', { hasText: '{"paid": true}' }).waitFor()
    }
    const width = await phone.page.evaluate<number>('document.documentElement.scrollWidth')
    assert.ok(width <= 390, `the page is ${width} wide on a phone`)

    // Text typed while a message is being sent is not lost.
    const way = Promise.withResolvers<void>()
    await mia.page.route('**/messages', async (route) => {
      await way.promise
      await route.continue()
    })
    const box = mia.page.getByRole('textbox', { name: 'Message', exact: true })
    await box.fill('One thing')
    await mia.page.keyboard.press('Enter')
    await mia.page.keyboard.type('and another')
    way.resolve()
    await mia.page.getByRole('article').filter({ hasText: 'One thing' }).waitFor()
    await becomes(() => box.inputValue(), 'and another')
    await mia.page.unroute('**/messages')

    const webhook = await shop.createWebhook()
    const curl = ['-sS', '-H', 'content-type: application/json', '-d', '{"what":"rung by curl"}']
    await promisify(execFile)('curl', [...curl, webhook.endpointUrl])
    for (const page of everybody) await page.getByText('The bell rang.').waitFor()

    await mia.page.getByRole('textbox', { name: 'Message', exact: true }).fill('@bellhop give it back')
    await mia.page.keyboard.press('Enter')
    const card = (page: typeof mia.page) => page.getByRole('region', { name: /refund/ }).first()
    for (const page of [mia.page, phone.page]) {
      await card(page).getByText('Waiting for an admin to decide').waitFor()
      await becomes(() => card(page).getByRole('button', { name: 'Approve' }).count(), 0)
    }
    const { items } = await shop.app.get<{ items: Message[] }>(`/api/v1/channels/${general}/messages`)
    const asked = items.find((message) => message.card !== null)
    const refused = await mia.page.request.post(`/api/v1/messages/${asked?.id}/decision`, {
      data: { decision: 'approve' },
      headers: { origin: shop.app.url },
    })
    assert.equal(refused.status(), 403)
    await card(kim.page).getByRole('button', { name: 'Approve' }).click()
    for (const page of everybody)
      await card(page)
        .getByText(/Decided by/)
        .waitFor()
    await release()
    for (const page of everybody) await page.getByText('Refunded.').first().waitFor()

    // On a phone the list is a page of its own, and a mention shows on the closed menu.
    assert.equal(await phone.page.getByRole('separator', { name: 'Width of the channel list' }).count(), 0)
    const aside = await shop.app.api<{ id: string }>('POST', '/api/v1/channels', { name: 'aside' })
    await shop.app.api('POST', `/api/v1/channels/${aside.body.id}/messages`, { text: 'Look, @Pia' })
    await phone.page.getByRole('button', { name: '1 unread mentions, open menu' }).tap()
    await phone.page.getByRole('link', { name: 'Channels 1 unread mentions' }).waitFor()

    // A link to a message leads to it.
    const [told] = (await shop.app.get<{ items: Message[] }>('/api/v1/messages?q=rang')).items
    await mia.page.goto(told?.permalink ?? '')
    await mia.page.locator(`article#${told?.id}[data-marked]`).waitFor()
    const [inThread] = (await shop.app.get<{ items: Message[] }>('/api/v1/messages?q=order')).items
    await goTo(mia.page, inThread?.permalink ?? '')
    await mia.page
      .getByRole('complementary', { name: 'Thread' })
      .locator(`article#${inThread?.id}[data-marked]`)
      .waitFor()
  },
)
