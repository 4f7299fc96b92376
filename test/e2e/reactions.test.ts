import assert from 'node:assert/strict'
import type { Message } from '../../src/chat/contract.ts'
import { allEmoji } from '../../src/shared/emoji.ts'
import { becomes } from '../support/becomes.ts'
import { admin, createPerson, goTo, visit } from '../support/browser.ts'
import { general, startShop } from '../support/start-shop.ts'
import { startStubOpenai } from '../support/stub-openai.ts'
import { verifies } from '../support/verifies.ts'

verifies(
  'dashboard:reactions',
  'a reaction is picked by keyboard, appears for others at once with who it is from, and is joined and taken back with one click, also in a thread; a thumb rates a reply',
  async () => {
    await using model = await startStubOpenai(() => ({ text: 'The order was paid.' }))
    await using shop = await startShop({ admin, env: model.env })
    const { runId } = await shop.sendEvent(await shop.createWebhook())
    await shop.endedRun(runId)
    const path = `/api/v1/channels/${general}/messages`
    await shop.app.api('POST', path, { text: 'Deployed' })
    await using kim = await visit(shop.app)
    await using mia = await visit(shop.app, await createPerson(shop.app, 'Mia', 'member'))
    for (const { page } of [kim, mia]) {
      await goTo(page, `/channels/${general}`)
      await page.getByRole('article').filter({ hasText: 'Deployed' }).waitFor()
    }
    const deployed = (page: typeof kim.page) => page.getByRole('article').filter({ hasText: 'Deployed' })

    await deployed(mia.page).hover()
    await deployed(mia.page).getByRole('button', { name: 'Add reaction' }).click()
    const picker = mia.page.getByRole('dialog', { name: 'Add reaction' })
    const search = picker.getByRole('combobox', { name: 'Search emoji' })
    await becomes(() => search.evaluate((field) => field.matches(':focus')), true)
    // Escape closes it, and the keyboard is where it was.
    await mia.page.keyboard.press('Escape')
    await picker.waitFor({ state: 'detached' })
    await mia.page.keyboard.press('Enter')
    await search.pressSequentially('ta')
    await picker.getByRole('option', { name: 'tada', exact: true }).waitFor()
    await picker.getByRole('option', { name: 'star', exact: true }).waitFor()
    await mia.page.keyboard.press('ArrowLeft')
    // By keyword, too, whatever its name is.
    await search.fill('raccoon')
    await picker.getByRole('option', { name: 'raccoon' }).waitFor()
    await search.fill('party pop')
    await becomes(() => picker.getByRole('option').count(), 1)
    await mia.page.keyboard.press('Enter')
    await picker.waitFor({ state: 'detached' })
    await deployed(mia.page).getByRole('button', { name: '🎉 1, You', pressed: true }).waitFor()

    const pill = deployed(kim.page).getByRole('button', { name: /^🎉/ })
    await deployed(kim.page).getByRole('button', { name: '🎉 1, Mia', pressed: false }).waitFor()
    await pill.hover()
    await kim.page.getByRole('tooltip', { name: 'Mia reacted with :tada:' }).waitFor()
    // Beside its age, a message says when exactly it was written.
    await deployed(kim.page).locator('time').first().hover()
    await kim.page.getByRole('tooltip', { name: /20\d\d at \d/ }).waitFor()
    await pill.click()
    await deployed(kim.page).getByRole('button', { name: '🎉 2, You and Mia', pressed: true }).waitFor()
    await deployed(mia.page).getByRole('button', { name: '🎉 2, You and kim', pressed: true }).waitFor()
    await pill.click()
    await deployed(kim.page).getByRole('button', { name: '🎉 1, Mia', pressed: false }).waitFor()

    // In the thread it is the same message, and Escape leaves the thread open.
    await deployed(kim.page).hover()
    await deployed(kim.page).getByRole('button', { name: 'Reply' }).click()
    const thread = kim.page.getByRole('complementary', { name: 'Thread' })
    await thread.getByRole('button', { name: '🎉 1, Mia' }).click()
    await thread.getByRole('button', { name: '🎉 2, You and Mia' }).waitFor()
    await deployed(mia.page).getByRole('button', { name: '🎉 2, You and kim' }).waitFor()
    await thread.getByRole('button', { name: 'Add reaction' }).last().click()
    await kim.page.getByRole('combobox', { name: 'Search emoji' }).press('Escape')
    await kim.page.getByRole('dialog', { name: 'Add reaction' }).waitFor({ state: 'detached' })
    await thread.getByRole('button', { name: '🎉 2, You and Mia' }).click()
    await deployed(mia.page).getByRole('button', { name: '🎉 1, You' }).click()
    await becomes(() => deployed(kim.page).getByRole('button', { name: /^🎉/ }).count(), 0)

    // The reply has one kind of thumb.
    const reply = mia.page.getByRole('article').filter({ hasText: 'The order was paid.' })
    await reply.hover()
    await reply.getByRole('button', { name: 'Add reaction' }).click()
    await search.fill('thumbsup')
    await mia.page.keyboard.press('Enter')
    await reply.getByRole('button', { name: '👍 1, You', pressed: true }).waitFor()
    await reply.getByRole('button', { name: 'Good reply', pressed: true }).waitFor()
    const thumbs = async () => (await shop.readRun(runId)).thumbs?.map(({ thumb }) => thumb)
    assert.deepEqual(await thumbs(), ['up'])
    await reply.getByRole('button', { name: '👍 1, You' }).click()
    await becomes(thumbs, [])
    const { items } = await shop.app.get<{ items: Message[] }>(path)
    assert.ok(items.every(({ reactions }) => reactions.length === 0))

    // Many are folded, but for the reader's own; the names behind one are there for the keyboard, too.
    const { id } = items.find(({ text }) => text === 'Deployed') ?? {}
    for (const { name } of allEmoji.slice(0, 12))
      await shop.app.api('PUT', `/api/v1/messages/${id}/reactions/${encodeURIComponent(name)}`)
    const pills = deployed(mia.page).getByRole('button', { name: /API_KEY/ })
    const more = deployed(mia.page).getByRole('button', { name: 'Show 4 more reactions', expanded: false })
    await more.click()
    await becomes(() => pills.count(), 12)
    await pills.last().click()
    await deployed(mia.page).getByRole('button', { name: 'Show fewer reactions', expanded: true }).click()
    await deployed(mia.page).getByRole('button', { name: 'Show 3 more reactions' }).waitFor()
    await becomes(() => pills.count(), 9)
    await mia.page.mouse.move(0, 0)
    await mia.page.keyboard.press('Shift+Tab')
    await mia.page.getByRole('tooltip', { name: /^You and API_KEY reacted with/ }).waitFor()
  },
)
