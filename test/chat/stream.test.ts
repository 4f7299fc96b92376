import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { ChannelId } from '../../src/shared/ids.ts'
import { join } from '../accounts/visitor.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startTestApp, type TestApp, testApiKey } from '../support/start-test-app.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'
import { type EventReader, readEvents, type ServerEvent } from './support/read-events.ts'

const sharedApp = shareInFile(startTestApp)

async function newChannel(app: TestApp): Promise<ChannelId> {
  const made = await app.api<{ id: ChannelId }>('POST', '/api/v1/channels', { name: crypto.randomUUID() })
  assert.equal(made.status, 201, made.text)
  return made.body.id
}

/** The remaining events until the stream ends. */
async function readToEnd(events: EventReader): Promise<ServerEvent[]> {
  const all: ServerEvent[] = []
  for (;;) {
    const event = await events.next().catch(() => null)
    if (event === null) return all
    all.push(event)
  }
}

verifies(
  'chat:stream',
  'a reader that does not read is cut off; the others notice nothing, and it catches up where it was',
  async () => {
    const app = await sharedApp()
    const channelId = await newChannel(app)
    const { chat } = app.app.ctx
    const url = `${app.url}/api/v1/channels/${channelId}/stream`
    const key = { authorization: `Bearer ${testApiKey}` }
    await using slow = await readEvents(url, key)
    await using quick = await readEvents(url, key)
    const { messageId } = await chat.post({ channelId, threadId: null, text: 'begin', key: 'long' })
    await quick.next()
    // More than the buffers for one reader here (2 MiB) and in the network (some megabytes).
    const changes = 100
    for (let n = 1; n <= changes; n++) {
      await chat.update(messageId, { text: `${n} ${'x'.repeat(192_000)}` })
      const { body } = await quick.next()
      assert.ok(String(body.text).startsWith(`${n} `))
    }
    const seen = await readToEnd(slow)
    assert.ok(seen.length > 0 && seen.length < changes, `${seen.length} of ${changes} before the end`)

    await using again = await readEvents(url, { ...key, 'last-event-id': seen.at(-1)?.id ?? '' })
    const missed = await again.next()
    assert.equal(missed.name, 'message.updated')
    assert.ok(
      String(missed.body.text).startsWith(`${changes} `),
      'what changed often is told once, as it is now',
    )
    await chat.post({ channelId, threadId: null, text: 'live', key: 'live' })
    for (const events of [again, quick]) assert.equal((await events.next()).body.text, 'live')
  },
)

verifies('chat:stream', 'a reader that joins while the last one leaves receives events', async () => {
  const app = await sharedApp()
  const channelId = await newChannel(app)
  const { chat, live } = app.app.ctx
  const heard: string[] = []
  const leave = await live.channels.follow(channelId, null, () => undefined)
  const joining = live.channels.follow(channelId, null, (event) => heard.push(event.kind))
  leave()
  await joining
  await chat.post({ channelId, threadId: null, text: 'hello', key: 'hello' })
  await until(() => heard.includes('message'))
})

verifies(
  ['chat:stream', 'api:streams-bounded'],
  'a reader that disconnects during a long replay receives nothing more',
  async () => {
    const app = await sharedApp()
    const channelId = await newChannel(app)
    const { db, live } = app.app.ctx
    await sql`
      insert into messages (id, channel_id, author_kind, author_name, text, created_seq, seq)
      select 'msg_' || n, ${channelId}, 'user', 'Kim', 'x', n, n from generate_series(1, 1000) n`.execute(db)
    await sql`update channels set last_seq = 1000 where id = ${channelId}`.execute(db)
    const gone = new AbortController()
    let heard = 0
    const hear = () => {
      heard++
      gone.abort()
    }
    await live.channels.follow(channelId, 0, hear, gone.signal)
    assert.ok(heard < 1000, `${heard} messages were read for nobody`)
  },
)

verifies(
  'chat:stream',
  'the stream of a channel ends when its session is revoked or its user removed, and no other does',
  async () => {
    const app = await sharedApp()
    const channelId = await newChannel(app)
    const url = `${app.url}/api/v1/channels/${channelId}/stream`
    const people = await Promise.all([1, 2, 3, 4].map(() => join(app, 'member')))
    const streams = await Promise.all(
      people.map(({ visitor }) => readEvents(url, { cookie: visitor.cookie })),
    )
    const [ada, bea, cleo] = people
    assert.ok(ada && bea && cleo)
    const { body } = await ada.visitor.send<{ items: { id: string }[] }>('GET', '/sessions')
    assert.equal((await ada.visitor.send('DELETE', `/sessions/${body.items[0]?.id}`)).status, 204)
    assert.equal((await app.api('DELETE', `/api/v1/users/${bea.id}`)).status, 204)
    assert.equal((await app.api('PATCH', `/api/v1/users/${cleo.id}`, { disabled: true })).status, 200)
    for (const gone of streams.slice(0, 3)) assert.equal(await gone.ended(), true)

    await app.api('POST', `/api/v1/channels/${channelId}/messages`, { text: 'still here' })
    assert.equal((await streams[3]?.next())?.body.text, 'still here')
    await streams[3]?.[Symbol.asyncDispose]()
  },
)
