import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { Channel, Message } from '../../src/chat/contract.ts'
import type { Turn } from '../support/model-script.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startShopOn } from '../support/start-shop.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

verifies(
  ['chat:thread-order', 'chat:inbound-durable'],
  'messages that come while the agent is busy in the thread are answered after it, one by one, none dropped',
  async () => {
    await using model = await startStubAnthropic((_request, index) => ({ text: `Answer ${index + 1}.` }))
    await using shop = await startShopOn(await sharedApp(), { model })
    const say = async (text: string, threadId?: string) =>
      (
        await shop.app.api<Message>('POST', `/api/v1/channels/${shop.channelId}/messages`, {
          text,
          ...(threadId ? { threadId } : {}),
        })
      ).body
    const first = await say('@bellhop one')
    for (const text of ['two', 'three', 'four']) await say(text, first.id)
    await until(async () => (await shop.replies()).length === 4)

    assert.equal(model.requests.length, 4)
    for (const [index, { json }] of model.requests.entries()) {
      const told = JSON.stringify(json.messages)
      // Each turn has the previous answer, so none began before the previous one ended.
      if (index > 0) assert.ok(told.includes(`Answer ${index}.`), `turn ${index + 1} knows the one before`)
      assert.ok(!told.includes(`Answer ${index + 1}.`))
    }
  },
)

verifies('chat:thread-order', 'a busy thread delays no other thread', async () => {
  const over = Promise.withResolvers<Turn>()
  await using model = await startStubAnthropic(({ body }) =>
    body.includes('slow') ? over.promise : { text: 'Done.' },
  )
  await using shop = await startShopOn(await sharedApp(), { model })
  const say = (text: string, threadId?: string) =>
    shop.app.api<Message>('POST', `/api/v1/channels/${shop.channelId}/messages`, {
      text,
      ...(threadId ? { threadId } : {}),
    })
  const { body: slow } = await say('@bellhop slow')
  await until(() => model.requests.length === 1)
  await say('still there?', slow.id)
  const { body: quick } = await say('@bellhop quick')
  await until(async () => (await shop.replies()).some(({ threadId }) => threadId === quick.id))
  assert.ok((await shop.replies()).every(({ threadId }) => threadId === quick.id))

  assert.equal(model.requests.length, 2)

  // However many wait there.
  const { db } = shop.app.app.ctx
  await sql`
    insert into messages (id, channel_id, thread_id, author_kind, author_name, text, created_seq, seq, held)
    select 'msg_' || n, ${shop.channelId}, ${slow.id}, 'user', 'Kim', 'hello?', 1000 + n, 1000 + n, true
    from generate_series(1, 600) n`.execute(db)
  const { body: channel } = await shop.app.api<Channel>('POST', '/api/v1/channels', { name: 'other' })
  const path = `/api/v1/channels/${channel.id}/messages`
  const { body: held } = await shop.app.api<Message>('POST', path, { text: 'lunch?' })
  await sql`update messages set held = true where id = ${held.id}`.execute(db)
  const isTold = async () =>
    (await sql`select from messages where id = ${held.id} and not held`.execute(db)).rows.length > 0
  await until(isTold)
  over.resolve({ text: 'At last.' })
})
