import assert from 'node:assert/strict'
import type { Locator } from 'playwright-core'
import { becomes } from '../support/becomes.ts'
import { admin, goTo, visit } from '../support/browser.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startTestApp, type TestApp } from '../support/start-test-app.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp({ admin }))

async function createChannel(app: TestApp) {
  const { body } = await app.api<{ id: string }>('POST', '/api/v1/channels', { name: crypto.randomUUID() })
  const path = `/api/v1/channels/${body.id}/messages`
  return {
    id: body.id,
    say: async (text: string, threadId?: string) =>
      (await app.api<{ id: string }>('POST', path, { text, ...(threadId ? { threadId } : {}) })).body,
  }
}

const topOf = async (place: Locator) => Math.round((await place.boundingBox())?.y ?? -1)

verifies('dashboard:channels', 'older messages and new replies do not move what is being read', async () => {
  const app = await sharedApp()
  const channel = await createChannel(app)
  for (let n = 1; n <= 60; n++) await channel.say(`Message ${n}.`)
  await using visitor = await visit(app)
  const { page } = visitor
  const listening = page.waitForResponse(/\/channels\/[^/]+\/stream/)
  await goTo(page, `/channels/${channel.id}`)
  await listening
  const list = page.getByRole('region', { name: 'Conversation' })
  const read = list.getByText('Message 11.', { exact: true })
  await read.waitFor()
  for (const offset of [0, 30]) {
    await list.evaluate((element, top) => element.scrollTo({ top }), offset)
    const before = await topOf(read)
    await page.getByRole('button', { name: 'Show older messages' }).click()
    await list.getByText('Message 1.', { exact: true }).waitFor({ state: 'attached' })
    // The button is gone with the last page, so the text moves by no more than its height.
    assert.ok(Math.abs((await topOf(read)) - before) < 50, `${before} became ${await topOf(read)}`)
    await page.reload()
    await read.waitFor()
  }

  await goTo(page, '/runs')
  const { id } = await channel.say('Who counts the replies?')
  for (let n = 1; n <= 30; n++) await channel.say(`Reply ${n}.`, id)
  await goTo(page, `/channels/${channel.id}?thread=${id}`)
  const thread = page.getByRole('region', { name: 'Thread messages' })
  const atEnd = () =>
    thread.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight < 5 && box.scrollTop > 0)
  await thread.getByText('Reply 30.').waitFor()
  await becomes(atEnd, true)
  await channel.say('Followed at the end.', id)
  await thread.getByText('Followed at the end.').waitFor()
  await becomes(atEnd, true)
  await thread.evaluate((box) => box.scrollTo({ top: 0 }))
  const root = thread.getByText('Who counts the replies?')
  const before = await topOf(root)
  await channel.say('Comes while reading.', id)
  await thread.getByText('Comes while reading.').waitFor()
  assert.equal(await topOf(root), before)
})

verifies(
  'dashboard:channels',
  'a message that comes after the list was loaded and before the stream is open is shown',
  async () => {
    const app = await sharedApp()
    const channel = await createChannel(app)
    await channel.say('Loaded.')
    await using visitor = await visit(app)
    const { page } = visitor
    const held = Promise.withResolvers<void>()
    await page.route(/\/channels\/[^/]+\/stream/, async (route) => {
      await held.promise
      await route.continue()
    })
    await goTo(page, `/channels/${channel.id}`)
    await page.getByText('Loaded.').waitFor()
    await channel.say('In between.')
    held.resolve()
    await page.getByText('In between.').waitFor()
  },
)

verifies(
  ['dashboard:search', 'dashboard:channels'],
  'the search of a channel is in its URL: it is still there after another page and after a reload',
  async () => {
    const app = await sharedApp()
    const channel = await createChannel(app)
    await channel.say('The parcel is lost.')
    await channel.say('Good morning.')
    await using visitor = await visit(app)
    const { page } = visitor
    await goTo(page, `/channels/${channel.id}`)
    await page.getByText('Good morning.').waitFor()
    await page.getByLabel('Search this channel').fill('parcel')
    const found = page.getByRole('region', { name: 'Search results' })
    await found.getByText('The parcel is lost.').waitFor()
    await page.getByRole('link', { name: 'Runs', exact: true }).click()
    await page.getByRole('heading', { name: 'Runs' }).waitFor()
    await page.goBack()
    await found.getByText('The parcel is lost.').waitFor()
    await page.reload()
    await found.getByText('The parcel is lost.').waitFor()
    await page.getByLabel('Search this channel').fill('')
    await page.getByText('Good morning.').waitFor()
  },
)
