import assert from 'node:assert/strict'
import type { Channel, Message } from '../../src/chat/contract.ts'
import { join } from '../accounts/visitor.ts'
import { sayAs } from '../support/say-as.ts'
import { general, startShop } from '../support/start-shop.ts'
import { startTestApp } from '../support/start-test-app.ts'
import { startStubOpenai } from '../support/stub-openai.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'
import { readEvents } from './support/read-events.ts'

type Page<T> = { items: T[] }

verifies(
  ['chat:own-messages', 'chat:notify-levels'],
  'people change and delete their own messages, and nobody else’s; a thread keeps its place, and the agent reads what is left; a run that fails is news for whoever wants mentions and failures only',
  async () => {
    const refusal = { status: 400, message: 'not like this' }
    await using model = await startStubOpenai([{ text: 'Noon.' }, { text: 'Still noon.' }, refusal])
    await using shop = await startShop({ env: model.env })
    const { app, channelId } = shop
    const [mia, pia] = [await join(app, 'member'), await join(app, 'member')]
    const path = `/api/v1/channels/${channelId}`
    await using stream = await readEvents(`${app.url}${path}/stream`, { cookie: pia.visitor.cookie })
    const texts = async (query = '') =>
      (await app.get<Page<Message>>(`${path}/messages${query}`)).items.map(({ text }) => text)

    const first = await sayAs(shop, mia, 'Lunch is at one')
    const edited = await mia.visitor.send<Message>('PATCH', `/messages/${first}`, {
      text: 'Lunch is at noon',
    })
    assert.equal(edited.status, 200, edited.text)
    assert.ok(edited.body.editedAt)
    assert.equal((await stream.nextNamed('message.updated')).body.text, 'Lunch is at noon')
    assert.equal((await pia.visitor.send('PATCH', `/messages/${first}`, { text: 'No lunch' })).status, 403)
    assert.equal((await pia.visitor.send('DELETE', `/messages/${first}`)).status, 403)
    assert.equal((await mia.visitor.send('PATCH', `/messages/${first}`, { text: ' ' })).status, 422)
    assert.deepEqual(await texts(), ['Lunch is at noon'])

    // Without a thread nothing is left; with one, its place is.
    const gone = await sayAs(shop, mia, 'Never mind')
    assert.equal((await mia.visitor.send('DELETE', `/messages/${gone}`)).status, 204)
    const deleted = (await stream.nextNamed('message.updated')).body
    assert.ok(deleted.deletedAt)
    assert.doesNotMatch(String(deleted.text), /Never mind/)
    assert.deepEqual(await texts(), ['Lunch is at noon'])
    assert.equal((await mia.visitor.send('PATCH', `/messages/${gone}`, { text: 'Back' })).status, 404)

    await sayAs(shop, mia, '@bellhop when is lunch?', first)
    await until(async () => (await texts(`?threadId=${first}`)).includes('Noon.'))
    assert.match(model.requests[0]?.body ?? '', /Lunch is at noon/)
    assert.equal((await mia.visitor.send('DELETE', `/messages/${first}`)).status, 204)
    assert.deepEqual(await texts(`?threadId=${first}`), ['Noon.', '@bellhop when is lunch?', '(deleted)'])
    await sayAs(shop, pia, '@bellhop sure?', first)
    await until(async () => (await texts(`?threadId=${first}`)).includes('Still noon.'))
    assert.doesNotMatch(model.requests[1]?.body ?? '', /Lunch is at noon/)

    // The agent's own messages are nobody's to change.
    const reply = (await app.get<Page<Message>>(`${path}/messages`)).items.find(
      ({ text }) => text === 'Noon.',
    )
    assert.equal((await mia.visitor.send('DELETE', `/messages/${reply?.id}`)).status, 403)

    await mia.visitor.send('PUT', `/channels/${channelId}/read`, {})
    await mia.visitor.send('PUT', `/channels/${channelId}/star`, { notify: 'mentions' })
    const counted = async () => {
      const { body } = await mia.visitor.send<Page<Channel>>('GET', '/channels')
      const sums = await mia.visitor.send<{ channels: number }>('GET', '/channels/unread')
      return [body.items[0]?.unread, body.items[0]?.counted, sums.body.channels]
    }
    await sayAs(shop, pia, '@bellhop and tomorrow?')
    await until(async () => (await counted())[0] === 2)
    assert.deepEqual(await counted(), [2, 1, 1])
    assert.match((await texts('?limit=1'))[0] ?? '', /I could not finish this/)
    await mia.visitor.send('PUT', `/channels/${channelId}/star`, { notify: 'muted' })
    assert.deepEqual(await counted(), [2, 0, 0])
  },
)

verifies(
  ['chat:stars', 'chat:mentions', 'chat:notify-levels'],
  'a star is its reader’s own and does not change what is unread; a mention counts for whom it names; a level says what counts',
  async () => {
    await using app = await startTestApp()
    const [mia, pia] = [await join(app, 'member'), await join(app, 'member')]
    await sayAs({ channelId: general }, mia, 'Hello')
    const seen = async ({ visitor }: typeof mia) =>
      (await visitor.send<Page<Channel>>('GET', '/channels')).body.items.map(({ starred, unread }) => ({
        starred,
        unread,
      }))
    const star = (starred: boolean) => pia.visitor.send('PUT', `/channels/${general}/star`, { starred })
    assert.equal((await star(true)).status, 204)
    assert.deepEqual(await seen(pia), [{ starred: true, unread: 1 }])
    assert.deepEqual(await seen(mia), [{ starred: false, unread: 0 }])
    assert.equal((await star(false)).status, 204)
    assert.deepEqual(await seen(pia), [{ starred: false, unread: 1 }])

    // Messages that name the reader, as the dashboard marks names: not a longer name, not in code, not the reader's own.
    for (const [person, name] of [
      [pia, 'Ann'],
      [mia, 'Ann Lee'],
    ] as const) {
      assert.equal((await person.visitor.send('PATCH', '/me', { name })).status, 200)
    }
    const unread = async ({ visitor }: typeof mia) => (await visitor.send('GET', '/channels/unread')).body
    const named = await sayAs({ channelId: general }, mia, 'Thanks, **@ann**.')
    for (const text of ['@Ann Lee', '@Anna', 'ann@ann.example.com', '`@Ann`', 'Ann']) {
      await sayAs({ channelId: general }, mia, text)
    }
    await sayAs({ channelId: general }, pia, '@Ann, @Ann Lee')
    assert.deepEqual(await unread(pia), { channels: 1, mentions: 1, latestMention: named })
    await app.app.ctx.chat.post({ channelId: general, threadId: null, text: 'Done, @Ann', key: 'done' })
    const { items } = (await pia.visitor.send<Page<Channel>>('GET', '/channels')).body
    assert.deepEqual([items[0]?.unread, items[0]?.mentions], [8, 2])

    // What counts as unread is its reader's own, too, and leaves the star.
    await star(true)
    const level = async (notify: string) => {
      const set = await pia.visitor.send('PUT', `/channels/${general}/star`, { notify })
      assert.equal(set.status, 204, set.text)
      const [one] = (await pia.visitor.send<Page<Channel>>('GET', '/channels')).body.items
      const sums = (await unread(pia)) as { channels: number; mentions: number; latestMention: string | null }
      return {
        channel: [one?.notify, one?.starred, one?.unread, one?.counted, one?.mentions],
        sums: [sums.channels, sums.mentions, sums.latestMention !== null],
      }
    }
    assert.deepEqual(await level('mentions'), {
      channel: ['mentions', true, 8, 2, 2],
      sums: [1, 2, true],
    })
    assert.deepEqual(await level('muted'), { channel: ['muted', true, 8, 0, 0], sums: [0, 0, false] })
    assert.deepEqual(await level('all'), { channel: ['all', true, 8, 8, 2], sums: [1, 2, true] })
    for (const wrong of [{ notify: 'loud' }, {}]) {
      const refused = await pia.visitor.send('PUT', `/channels/${general}/star`, wrong)
      assert.equal(refused.status, 422, refused.text)
    }
    await level('mentions')
    const alone = await pia.visitor.send<Channel>('GET', `/channels/${general}`)
    assert.deepEqual([alone.body.notify, alone.body.starred, alone.body.counted], ['mentions', true, 2])
    const own = (await mia.visitor.send<Page<Channel>>('GET', '/channels')).body.items[0]
    assert.equal(own?.notify, 'all')
    await pia.visitor.send('PUT', `/channels/${general}/read`, {})
    assert.deepEqual(await unread(pia), { channels: 0, mentions: 0, latestMention: null })
    assert.equal(((await unread(mia)) as { mentions: number }).mentions, 1)

    // Members see names, and nothing that would help to sign in.
    const people = await pia.visitor.send<Page<object>>('GET', '/people?q=ann')
    assert.deepEqual(Object.keys(people.body.items[0] ?? {}).toSorted(), ['id', 'name'])
    assert.deepEqual((await pia.visitor.send<Page<object>>('GET', '/people?q=example.com')).body.items, [])
  },
)
