import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { Channel, Message } from '../../src/chat/contract.ts'
import { announce, findAuthorName } from '../../src/chat/store.ts'
import { type ChannelId, newId } from '../../src/shared/ids.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startTestApp, type TestApp, testApiKey } from '../support/start-test-app.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'
import { readEvents } from './support/read-events.ts'

const sharedApp = shareInFile(startTestApp)

type Page<T> = { items: T[]; nextCursor: string | null }
const key = { authorization: `Bearer ${testApiKey}` }

async function general(app: TestApp): Promise<Channel & { id: ChannelId }> {
  const { items } = await app.get<Page<Channel>>('/api/v1/channels')
  const found = items.find((channel) => channel.name === 'general')
  assert.ok(found)
  // Ids of channels begin like this.
  return found as Channel & { id: ChannelId }
}

async function newChannel(app: TestApp): Promise<Channel & { id: ChannelId }> {
  const made = await app.api<Channel>('POST', '/api/v1/channels', { name: crypto.randomUUID() })
  assert.equal(made.status, 201, made.text)
  // Ids of channels begin like this.
  return made.body as Channel & { id: ChannelId }
}

async function say(app: TestApp, channelId: string, text: string, threadId?: string): Promise<Message> {
  const answer = await app.api<Message>('POST', `/api/v1/channels/${channelId}/messages`, {
    text,
    ...(threadId ? { threadId } : {}),
  })
  assert.equal(answer.status, 201, answer.text)
  return answer.body
}

async function messages(app: TestApp, channelId: string, query = ''): Promise<Message[]> {
  return (await app.get<Page<Message>>(`/api/v1/channels/${channelId}/messages${query}`)).items
}

verifies(
  'chat:built-in-workspace',
  'a fresh install has a channel; messages and threads are kept, newest first',
  async () => {
    const app = await sharedApp()
    const channel = await general(app)
    assert.equal(channel.platform, 'built-in')

    const first = await say(app, channel.id, 'Lunch?')
    const answer = await say(app, channel.id, 'At noon', first.id)
    const deeper = await say(app, channel.id, 'Fine', answer.id)
    await say(app, channel.id, 'Something else')

    const all = await messages(app, channel.id)
    assert.deepEqual(
      all.map(({ text }) => text),
      ['Something else', 'Fine', 'At noon', 'Lunch?'],
    )
    assert.equal(deeper.threadId, first.id, 'an answer to an answer stays in the one thread')
    const thread = await messages(app, channel.id, `?threadId=${first.id}`)
    assert.deepEqual(
      thread.map(({ text }) => text),
      ['Fine', 'At noon', 'Lunch?'],
    )
    assert.equal(first.permalink, `${app.url}/channels/${channel.id}?message=${first.id}`)
  },
)

verifies('chat:built-in-workspace', 'lists continue where the previous page ended', async () => {
  const app = await sharedApp()
  const { id } = await newChannel(app)
  for (const text of ['one', 'two', 'three']) await say(app, id, text)

  const page = await app.get<Page<Message>>(`/api/v1/channels/${id}/messages?limit=2`)
  const rest = await app.get<Page<Message>>(
    `/api/v1/channels/${id}/messages?limit=2&cursor=${page.nextCursor}`,
  )

  assert.deepEqual(
    [...page.items, ...rest.items].map(({ text }) => text),
    ['three', 'two', 'one'],
  )
  assert.equal(rest.nextCursor, null)
})

verifies(
  'chat:built-in-workspace',
  'channels are created, renamed and deleted; names are unique',
  async () => {
    await using app = await startTestApp()

    const made = await app.api<Channel>('POST', '/api/v1/channels', { name: '#alerts' })
    const again = await app.api('POST', '/api/v1/channels', { name: 'Alerts' })
    const renamed = await app.api<Channel>('PATCH', `/api/v1/channels/${made.body.id}`, { name: 'pages' })
    const taken = await app.api('PATCH', `/api/v1/channels/${made.body.id}`, { name: 'General' })
    const deleted = await app.api('DELETE', `/api/v1/channels/${made.body.id}`)
    const gone = await app.api('GET', `/api/v1/channels/${made.body.id}/messages`)
    const last = await app.api('DELETE', `/api/v1/channels/${(await general(app)).id}`)

    assert.equal(made.status, 201)
    assert.equal(made.body.name, 'alerts')
    assert.equal(again.body.type, 'name-taken')
    assert.equal(renamed.body.name, 'pages')
    assert.equal(taken.body.type, 'name-taken')
    assert.equal(deleted.status, 204)
    assert.equal(gone.status, 404)
    assert.deepEqual([last.status, last.body.type], [409, 'in-use'], 'one is left')
  },
)

verifies('chat:built-in-workspace', 'our own channels come before those of other workspaces', async () => {
  await using app = await startTestApp()
  const made = await app.api<{ id: string }>('POST', '/api/v1/workspaces', {
    platform: 'slack',
    name: 'Acme',
  })
  for (const name of ['a', 'b', 'c']) {
    await sql`insert into channels (id, workspace_id, name, external_id)
      values (${newId('channel')}, ${made.body.id}, ${name}, ${name})`.execute(app.app.ctx.db)
  }
  const names: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Page<Channel> = await app.get(`/api/v1/channels?limit=2${cursor && `&cursor=${cursor}`}`)
    names.push(...page.items.map(({ name }) => name))
    cursor = page.nextCursor
  }
  assert.equal(names[0], 'general')
  assert.deepEqual(names.toSorted(), ['a', 'b', 'c', 'general'])
  const found = await app.get<Page<Channel>>(`/api/v1/channels?workspaceId=${made.body.id}&q=B`)
  assert.deepEqual(
    found.items.map(({ name }) => name),
    ['b'],
  )
})

verifies('chat:built-in-workspace', 'messages are found by the beginnings of words', async () => {
  const app = await sharedApp()
  const { id } = await newChannel(app)
  await say(app, id, 'The Großbestellung of Ada was refunded')
  await say(app, id, 'Nothing here')

  const found = await messages(app, id, `?q=${encodeURIComponent('großbest refund')}`)
  const everywhere = await app.get<Page<Message>>('/api/v1/messages?q=REFUNDED')
  const odd = await app.get<Page<Message>>(`/api/v1/messages?q=${encodeURIComponent("'&|!:* \\")}`)

  assert.equal(found.length, 1)
  assert.equal(everywhere.items.length, 1)
  assert.deepEqual(odd.items, [])
})

verifies('chat:built-in-workspace', 'messages of others are unread until the mark is moved', async () => {
  const app = await sharedApp()
  const { id } = await newChannel(app)
  const unread = async () => {
    const { items } = await app.get<Page<Channel>>('/api/v1/channels?limit=100')
    return items.find((channel) => channel.id === id)?.unread
  }

  await say(app, id, 'my own')
  const posted = await app.app.ctx.chat.post({
    channelId: id,
    threadId: null,
    text: 'one',
    key: `${id} a`,
  })
  await app.app.ctx.chat.post({ channelId: id, threadId: null, text: 'two', key: `${id} b` })
  assert.equal(await unread(), 2)

  await app.api('PUT', `/api/v1/channels/${id}/read`, { messageId: posted.messageId })
  assert.equal(await unread(), 1)
  await app.api('PUT', `/api/v1/channels/${id}/read`, {})
  assert.equal(await unread(), 0)
})

verifies('chat:port', 'a second post with the same key returns the first message', async () => {
  const app = await sharedApp()
  const channel = await newChannel(app)
  const { chat } = app.app.ctx
  const post = { channelId: channel.id, threadId: null, text: 'Done.', key: `${channel.id} run_1` }

  const posted = await Promise.all([chat.post(post), chat.post(post), chat.post({ ...post, text: 'Other' })])

  assert.equal(new Set(posted.map(({ messageId }) => messageId)).size, 1)
  assert.equal((await messages(app, channel.id)).length, 1)
  assert.deepEqual(posted[1], posted[0])
})

verifies('chat:stream', 'messages, changes and working notes arrive live, across replicas', async () => {
  const app = await sharedApp()
  await using replica = await startTestApp({ databaseUrl: app.databaseUrl })
  const channel = await newChannel(app)
  const { chat } = replica.app.ctx
  await using events = await readEvents(`${app.url}/api/v1/channels/${channel.id}/stream`, key)

  await chat.showWorking(channel.id, null, 'calling get_order…')
  const working = await events.next()
  const posted = await chat.post({
    channelId: channel.id,
    threadId: null,
    text: 'Hello',
    key: `${channel.id} k`,
  })
  const created = await events.next()
  await chat.update(posted.messageId, { text: 'Hello!' })
  const updated = await events.next()

  assert.deepEqual(working, {
    name: 'agent.working',
    id: null,
    body: { channelId: channel.id, threadId: null, note: 'calling get_order…', runId: null },
  })
  assert.equal(created.name, 'message.created')
  assert.equal(created.body.text, 'Hello')
  assert.equal(updated.name, 'message.updated')
  assert.equal(updated.body.text, 'Hello!')
})

verifies('chat:stream', 'a working note that comes while somebody joins is sent to them once', async () => {
  const app = await sharedApp()
  const { id } = await newChannel(app)
  const { db, live } = app.app.ctx
  const notes: unknown[] = []
  const note = (event: { kind: string; note?: unknown }) => void notes.push(event.note)
  const join = await db.transaction().execute(async (tx) => {
    await sql`lock table channels in access exclusive mode`.execute(tx)
    const joined = live.channels.follow(id, null, note)
    await announce(db, { channelId: id, working: { threadId: null, note: 'calling get_order…' } })
    await until(() => notes.length > 0)
    return { joined }
  })
  await join.joined
  assert.deepEqual(notes, ['calling get_order…'])
  // Who joins later is told what is going on.
  await live.channels.follow(id, null, note)
  assert.deepEqual(notes, ['calling get_order…', 'calling get_order…'])
})

verifies('chat:stream', 'a reader that reconnects gets what it missed, once and in order', async () => {
  const app = await sharedApp()
  const { id } = await newChannel(app)
  const url = `${app.url}/api/v1/channels/${id}/stream`
  let seen: string | null
  {
    await using events = await readEvents(url, key)
    await say(app, id, 'seen')
    seen = (await events.next()).id
  }
  for (let n = 1; n <= 5; n++) await say(app, id, `missed ${n}`)
  await using events = await readEvents(url, { ...key, 'last-event-id': seen ?? '' })
  await say(app, id, 'live')

  const texts: unknown[] = []
  while (texts.at(-1) !== 'live') texts.push((await events.next()).body.text)
  assert.deepEqual(texts, ['missed 1', 'missed 2', 'missed 3', 'missed 4', 'missed 5', 'live'])
})

verifies(
  'chat:stream',
  'many writers at once: every reader sees every message once, in one order',
  async () => {
    const app = await sharedApp()
    const { id } = await newChannel(app)
    const url = `${app.url}/api/v1/channels/${id}/stream`
    await using one = await readEvents(url, key)
    await using two = await readEvents(url, { ...key, 'last-event-id': '0' })

    await Promise.all(Array.from({ length: 40 }, (_, n) => say(app, id, `message ${n}`)))
    const read = async (events: typeof one) => {
      const texts: unknown[] = []
      while (texts.length < 40) texts.push((await events.next()).body.text)
      return texts
    }
    const [first, second] = await Promise.all([read(one), read(two)])

    assert.deepEqual(first, second)
    assert.equal(new Set(first).size, 40)
  },
)

verifies('chat:stream', 'the stream of all channels says which one changed', async () => {
  const app = await sharedApp()
  const { id } = await newChannel(app)
  await using events = await readEvents(`${app.url}/api/v1/stream`, key)
  await say(app, id, 'news')
  assert.deepEqual(await events.next(), { name: 'channel.changed', id: null, body: { channelId: id } })
})

verifies(
  'chat:stream',
  'a stopping service ends its streams at once instead of waiting for the readers',
  async () => {
    let ended: Promise<boolean>
    {
      await using app = await startTestApp()
      const { id } = await general(app)
      const events = await readEvents(`${app.url}/api/v1/channels/${id}/stream`, key)
      ended = events.ended()
    }
    assert.equal(await ended, true)
  },
)

verifies(
  'chat:port',
  'somebody who goes by another name now is known by the name of their last message',
  async () => {
    const app = await sharedApp()
    const channel = await newChannel(app)
    const { db } = app.app.ctx
    for (const name of ['Kim', 'Kim Lee']) {
      const { id } = await say(app, channel.id, 'Hello')
      await sql`update messages set author_id = 'space:kim', author_name = ${name} where id = ${id}`.execute(
        db,
      )
    }
    assert.equal(await findAuthorName(db, 'space:kim'), 'Kim Lee')
  },
)
