import assert from 'node:assert/strict'
import type { Message } from '../../src/chat/contract.ts'
import { allEmoji } from '../../src/shared/emoji.ts'
import { join, type Person } from '../accounts/visitor.ts'
import { sayAs } from '../support/say-as.ts'
import { startShop } from '../support/start-shop.ts'
import { startStubOpenai } from '../support/stub-openai.ts'
import { verifies } from '../support/verifies.ts'
import { readEvents } from './support/read-events.ts'

const react = ({ visitor }: Person, id: string | undefined, name: string, method = 'PUT') =>
  visitor.send<Message>(method, `/messages/${id}/reactions/${encodeURIComponent(name)}`)

/** `🎉 mia, pia`, as they stand below a message. */
const shown = ({ reactions }: Pick<Message, 'reactions'>, people: Person[]) =>
  reactions.map(({ emoji, people: by }) => [
    emoji,
    ...by.map((one) => people.findIndex(({ id }) => id === one.id)),
  ])

verifies(
  'chat:reactions',
  'people react to a message and take it back; everybody sees who did, at once; a deleted message loses them',
  async () => {
    await using shop = await startShop()
    const { app, channelId } = shop
    const people = [await join(app, 'member'), await join(app, 'member')]
    const [mia, pia] = people as [Person, Person]
    const path = `/api/v1/channels/${channelId}`
    await using stream = await readEvents(`${app.url}${path}/stream`, { cookie: pia.visitor.cookie })
    const id = await sayAs(shop, mia, 'Deployed')

    const first = await react(pia, id, 'tada')
    assert.equal(first.status, 200, first.text)
    assert.deepEqual(shown(first.body, people), [['🎉', 1]])
    assert.deepEqual(shown((await stream.nextNamed('message.updated')).body as unknown as Message, people), [
      ['🎉', 1],
    ])
    assert.deepEqual(shown((await react(mia, id, 'thumbsup')).body, people), [
      ['🎉', 1],
      ['👍', 0],
    ])
    // A second time, or by another name of the same emoji, changes nothing.
    const again = await react(mia, id, '+1')
    assert.deepEqual(again.body.reactions[1]?.name, '+1')
    assert.deepEqual(shown((await react(mia, id, 'tada')).body, people), [
      ['🎉', 1, 0],
      ['👍', 0],
    ])
    assert.deepEqual(shown((await react(pia, id, 'tada', 'DELETE')).body, people), [
      ['👍', 0],
      ['🎉', 0],
    ])
    assert.deepEqual(shown((await react(pia, id, 'tada', 'DELETE')).body, people), [
      ['👍', 0],
      ['🎉', 0],
    ])
    const listed = (await app.get<{ items: Message[] }>(`${path}/messages`)).items[0]
    assert.deepEqual(listed && shown(listed, people), [
      ['👍', 0],
      ['🎉', 0],
    ])

    // A reaction is no news: nobody has unread messages because of it, and nothing was edited.
    assert.equal(listed?.editedAt, null)
    const channels = await mia.visitor.send<{ items: { unread: number }[] }>('GET', '/channels')
    assert.equal(channels.body.items[0]?.unread, 0)

    assert.match(
      (await react(mia, id, 'no_such_emoji')).text,
      /There is no emoji with the name no_such_emoji/,
    )
    assert.equal((await react(mia, 'msg_00000000-0000-7000-8000-000000000009', 'tada')).status, 404)
    assert.equal((await mia.visitor.send('DELETE', `/messages/${id}`)).status, 204)
    assert.equal((await react(pia, id, 'tada')).status, 404)
  },
)

verifies(
  'chat:reactions',
  'a message has 20 different emoji at most, and a person changes 60 reactions a minute; both are said',
  async () => {
    await using shop = await startShop()
    const [mia, pia, ada] = [
      await join(shop.app, 'member'),
      await join(shop.app, 'member'),
      await join(shop.app, 'member'),
    ]
    const id = await sayAs(shop, mia, 'Deployed')
    const [twentyFirst, ...names] = allEmoji.slice(0, 21).map(({ name }) => name)
    // Also at once.
    const all = await Promise.all([...names, twentyFirst ?? ''].map((name) => react(mia, id, name)))
    assert.equal(all.filter(({ status }) => status === 200).length, 20)
    const refused = all.find(({ status }) => status !== 200)
    assert.equal(refused?.status, 400)
    assert.match(refused?.text ?? '', /20 different emoji/)
    const there = all.find(({ status }) => status === 200)?.body.reactions[0]?.name ?? ''
    assert.equal((await react(pia, id, there)).status, 200)

    for (let n = 0; n < 30; n += 1) {
      await react(ada, id, there)
      await react(ada, id, there, 'DELETE')
    }
    const tooMany = await react(ada, id, there)
    assert.equal(tooMany.status, 429)
    assert.equal(tooMany.headers.get('retry-after'), '60')
    assert.equal((await react(pia, id, there, 'DELETE')).status, 200)
  },
)

verifies(
  'chat:reactions',
  'a thumb on a reply of the agent rates it, once; another emoji on it is a reaction',
  async () => {
    await using model = await startStubOpenai(() => ({ text: 'It was paid.' }))
    await using shop = await startShop({ env: model.env })
    const mia = await join(shop.app, 'member')
    const { runId } = await shop.sendEvent(await shop.createWebhook())
    await shop.endedRun(runId)
    const reply = (await shop.messages()).find((one) => one.runId === runId)
    const rated = async () => (await shop.readRun(runId)).thumbs?.map(({ thumb }) => thumb)

    const thumb = await react(mia, reply?.id, 'thumbsup')
    assert.deepEqual([thumb.body.reactions, thumb.body.thumbs?.[0]?.person.id], [[], mia.id])
    assert.deepEqual(await rated(), ['up'])
    await react(mia, reply?.id, '-1')
    assert.deepEqual(await rated(), ['down'])
    await react(mia, reply?.id, '+1', 'DELETE')
    assert.deepEqual(await rated(), ['down'])
    const eyes = await react(mia, reply?.id, 'eyes')
    assert.deepEqual(shown(eyes.body, [mia]), [['👀', 0]])
    assert.deepEqual((await react(mia, reply?.id, '-1', 'DELETE')).body.thumbs, [])
    assert.deepEqual(await rated(), [])
  },
)
