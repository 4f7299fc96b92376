import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { suggestions } from '../../src/webhooks/suggestions/contract.ts'
import { textsOf } from '../support/model-script.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startShopOn } from '../support/start-shop.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

type Shop = Awaited<ReturnType<typeof startShopOn>>
type Event = {
  status: string
  threadKey: string | null
  threadKeyFault: string | null
  joinedTo: string | null
}

const readEvent = (shop: Shop, id: string) => shop.app.get<Event>(`/api/v1/events/${id}`)

async function settled(shop: Shop, eventId: string): Promise<Event> {
  await until(async () => !['accepted', 'dispatched'].includes((await readEvent(shop, eventId)).status))
  return await readEvent(shop, eventId)
}

const resolved = [{ when: "event.status == 'resolved'", then: 'run', closes: true }]

verifies(
  ['rules:one-thread-per-key', 'rules:closes'],
  'events with one key are answered in one thread, with the earlier turns in context; one that closes marks the first message',
  async () => {
    let said = 0
    await using model = await startStubAnthropic(() => ({ text: `Reply ${++said}` }))
    await using shop = await startShopOn(await sharedApp(), { model })
    const webhook = await shop.createWebhook({ threadKey: '{/group}#{/n}', rules: resolved })
    const sendEvent = async (body: object) => {
      const { eventId } = await shop.sendEvent(webhook, body)
      return await settled(shop, eventId)
    }
    assert.equal(
      (await sendEvent({ group: 'disk', n: 1, status: 'firing', word: 'first-body' })).threadKey,
      'disk#1',
    )
    await sendEvent({ group: 'disk', n: 1, status: 'firing', word: 'second-body' })
    await sendEvent({ group: 'disk', n: 2, status: 'firing' })
    await sendEvent({ group: 'disk', n: 1, status: 'resolved' })
    const without = await sendEvent({ group: 'disk' })
    assert.equal(without.threadKeyFault, 'The body has nothing at /n.')

    const replies = (await shop.replies()).map(({ text, threadId }) => ({ text, isTop: threadId === null }))
    const find = (end: string) => replies.find(({ text }) => text.endsWith(end))
    assert.deepEqual(find('Reply 1'), { text: '✅ **Resolved**\n\nReply 1', isTop: true })
    assert.deepEqual([find('Reply 2')?.isTop, find('Reply 4')?.isTop], [false, false])
    assert.deepEqual([find('Reply 3')?.isTop, find('Reply 5')?.isTop], [true, true])

    const second = textsOf(model.requests[1]?.json.messages).join('\n')
    assert.ok(second.includes('first-body') && second.includes('Reply 1') && second.includes('second-body'))
    const [first, again] = [model.requests[0], model.requests[1]].map((one) => textsOf(one?.json.messages))
    assert.equal(first?.[0], again?.[0], 'the first turn is repeated word for word')

    await sendEvent({ group: 'disk', n: 1, status: 'firing' })
    const root = (await shop.replies()).find(({ text }) => text.endsWith('Reply 1'))
    assert.equal(root?.text, 'Reply 1', 'what fires again is not resolved')
  },
)

verifies(
  'rules:one-thread-per-key',
  'one run at a time for each key, in the order of arrival; other keys do not wait',
  async () => {
    const finish: (() => void)[] = []
    const begun: string[] = []
    await using model = await startStubAnthropic(async ({ json }) => {
      const word = /word-\w+/.exec(textsOf(json.messages).at(-1) ?? '')?.[0] ?? ''
      begun.push(word)
      if (word.startsWith('word-slow')) await new Promise<void>((resolve) => finish.push(resolve))
      return { text: `About ${word}` }
    })
    await using shop = await startShopOn(await sharedApp(), { model })
    const webhook = await shop.createWebhook({ threadKey: '/k' })
    await shop.sendEvent(webhook, { k: 'a', w: 'word-slow1' })
    await until(() => begun.length === 1)
    const second = await shop.sendEvent(webhook, { k: 'a', w: 'word-slow2' })
    const third = await shop.sendEvent(webhook, { k: 'a', w: 'word-three' })
    const other = await shop.sendEvent(webhook, { k: 'b', w: 'word-other' })
    await settled(shop, other.eventId)
    assert.deepEqual(begun, ['word-slow1', 'word-other'])
    assert.equal((await readEvent(shop, second.eventId)).status, 'accepted')
    finish.shift()?.()
    await until(() => begun.length === 3)
    assert.equal(begun[2], 'word-slow2')
    assert.equal((await readEvent(shop, third.eventId)).status, 'accepted')
    finish.shift()?.()
    await settled(shop, third.eventId)
    assert.deepEqual(begun, ['word-slow1', 'word-other', 'word-slow2', 'word-three'])
  },
)

verifies(
  ['rules:one-thread-per-key', 'rules:closes'],
  'texts of rules go into the thread too; a thread whose first message is gone, or that is too old, is opened anew',
  async () => {
    await using shop = await startShopOn(await sharedApp())
    const long = 'k'.repeat(10_000)
    const webhook = await shop.createWebhook({
      threadKey: '/k',
      threadDays: 2,
      rules: [
        { when: "event.status == 'closed'", then: 'skip', closes: true },
        { when: 'true', then: 'notify', text: '{/t}' },
      ],
    })
    const sendEvent = async (body: object) =>
      await settled(shop, (await shop.sendEvent(webhook, body)).eventId)
    const { db } = shop.app.app.ctx
    assert.ok(((await sendEvent({ k: long, t: 'one' })).threadKey ?? '').length < 200)
    await sendEvent({ k: `${long}x`, t: 'other' })
    await sendEvent({ k: long, t: 'two' })
    assert.equal((await sendEvent({ k: long, status: 'closed' })).status, 'skipped')
    const list = async () =>
      (
        await shop.app.get<{ items: { text: string; threadId: string | null; id: string }[] }>(
          `/api/v1/channels/${shop.channelId}/messages`,
        )
      ).items
    const byText = async (text: string) => (await list()).find((message) => message.text === text)
    const one = await byText('✅ **Resolved**\n\none')
    assert.ok(one && one.threadId === null)
    assert.deepEqual([(await byText('two'))?.threadId, (await byText('other'))?.threadId], [one.id, null])

    await sql`update messages set thread_id = null where thread_id = ${one.id}`.execute(db)
    await sql`delete from messages where id = ${one.id}`.execute(db)
    await sendEvent({ k: long, t: 'three' })
    await sendEvent({ k: long, t: 'four' })
    const three = await byText('three')
    assert.ok(three && three.threadId === null)
    assert.equal((await byText('four'))?.threadId, three.id)

    await sql`update event_threads set opened_at = now() - interval '3 days' where message_id = ${three.id}`.execute(
      db,
    )
    await sendEvent({ k: long, t: 'five' })
    assert.equal((await byText('five'))?.threadId, null)
  },
)

verifies(
  ['rules:one-thread-per-key', 'rules:closes', 'rules:suggestions'],
  'what Alertmanager sends when a group fires, grows, repeats and is resolved is one message, replies in its thread, and a mark',
  async () => {
    await using shop = await startShopOn(await sharedApp())
    const suggested = suggestions.find(({ sender }) => sender === 'Alertmanager')
    assert.ok(suggested)
    const { threadKey, rules } = suggested
    const webhook = await shop.createWebhook({ threadKey, rules: rules.map(({ rule }) => rule) })
    // Recorded from Alertmanager 0.25.0: one body in each line.
    const recorded = await readFile(join(import.meta.dirname, '../fixtures/alertmanager.ndjson'), 'utf8')
    const states: string[] = []
    for (const body of recorded.trim().split('\n')) {
      const sent = await fetch(webhook.endpointUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'user-agent': 'Alertmanager/0.25.0' },
        body,
      })
      const { eventId } = (await sent.json()) as { eventId: string } // the receipt of an accepted event
      states.push((await settled(shop, eventId)).status)
    }
    assert.deepEqual(states, ['done', 'done', 'done', 'notified'])
    const messages = (await shop.messages()).toReversed()
    const top = messages.filter(({ threadId }) => threadId === null)
    assert.equal(top.length, 1)
    assert.match(top[0]?.text ?? '', /^✅ \*\*Resolved\*\*\n\n[\s\S]*TargetDown/)
    const replies = messages.filter(({ threadId }) => threadId === top[0]?.id)
    assert.equal(replies.length, 3)
    assert.equal(replies.at(-1)?.text, '✅ TargetDown is resolved.')
  },
)

verifies(
  'rules:collect',
  'events with one key that arrive shortly after each other become one run that sees them all',
  async () => {
    await using model = await startStubAnthropic(() => ({ text: 'Seen.' }))
    await using shop = await startShopOn(await sharedApp(), { model })
    const webhook = await shop.createWebhook({
      threadKey: '/k',
      collect: { quietSeconds: 2, maxSeconds: 60 },
    })
    const first = await shop.sendEvent(webhook, { k: 'a', w: 'word-1' })
    const others = []
    for (const w of ['word-2', 'word-3']) others.push(await shop.sendEvent(webhook, { k: 'a', w }))
    const apart = await shop.sendEvent(webhook, { k: 'b', w: 'word-b' })
    await settled(shop, first.eventId)
    await settled(shop, apart.eventId)
    for (const { eventId, runId } of others) {
      const event = await readEvent(shop, eventId)
      assert.deepEqual([event.status, event.joinedTo], ['joined', first.eventId])
      const gone = await shop.app.api<{ detail: string }>('GET', `/api/v1/runs/${runId}`)
      assert.equal(gone.status, 410)
      assert.ok(gone.body.detail.includes(first.eventId), gone.body.detail)
    }
    assert.equal(model.requests.length, 2)
    const shown = model.requests.map(({ json }) => textsOf(json.messages).join('\n'))
    const together = shown.find((text) => text.includes('word-1')) ?? ''
    assert.match(together, /^3 events came in .* that belong together, the oldest first\./)
    const places = ['word-1', 'word-2', 'word-3'].map((word) => together.indexOf(word))
    assert.deepEqual(
      places.toSorted((a, b) => a - b),
      places,
    )
    assert.equal(together.match(/<<body application\/json/g)?.length, 3)

    assert.equal((await shop.app.api('DELETE', `/api/v1/events/${others[0]?.eventId}`)).status, 204)
    const run = await shop.readRun(first.runId)
    assert.equal(run.erased, true, 'what the run read of the erased event is erased too')
  },
)

verifies(
  ['rules:collect', 'runs:big-bodies'],
  'of collected events the short ones are shown whole and a long one as a page, which read_more continues',
  async () => {
    const long = Array.from({ length: 30_000 }, (_, n) => `line-${n}`)
    await using model = await startStubAnthropic((_request, index) =>
      index === 0
        ? { calls: [{ name: 'read_more', input: { source: 'event', pointer: '/1/long', from: -3 } }] }
        : { text: 'Read.' },
    )
    await using shop = await startShopOn(await sharedApp(), { model })
    const webhook = await shop.createWebhook({ collect: { quietSeconds: 2, maxSeconds: 60 } })
    const first = await shop.sendEvent(webhook, { w: 'word-first' })
    await shop.sendEvent(webhook, { long })
    await shop.sendEvent(webhook, { w: 'word-last' })
    await settled(shop, first.eventId)
    const [shown = '', more = ''] = model.requests.map(({ json }) => textsOf(json.messages).at(-1))
    assert.ok(shown.includes('word-first') && shown.includes('line-0"') && shown.includes('word-last'))
    assert.ok(!shown.includes('line-29999'))
    assert.match(shown, /read_more/)
    assert.match(more, /line-29997",\s*"line-29998",\s*"line-29999"/)
  },
)

verifies(
  ['rules:one-thread-per-key', 'runs:cancel'],
  'a run of a thread that an operator cancels says so in the thread, and the next event of the key goes on there',
  async () => {
    const asked: number[] = []
    const late = Promise.withResolvers<void>()
    await using model = await startStubAnthropic(async () => {
      const turn = asked.push(asked.length)
      if (turn === 2) await late.promise
      return { text: `Reply ${turn}` }
    })
    await using shop = await startShopOn(await sharedApp(), { model })
    const webhook = await shop.createWebhook({ threadKey: '/k' })
    await settled(shop, (await shop.sendEvent(webhook, { k: 'a' })).eventId)
    const second = await shop.sendEvent(webhook, { k: 'a' })
    await until(() => asked.length === 2)
    const { status } = await shop.app.api('POST', `/api/v1/runs/${second.runId}/cancel`)
    assert.equal(status, 200)
    await until(async () =>
      (await shop.messages()).some(({ text }) => text.includes('This was cancelled by')),
    )
    late.resolve()
    await settled(shop, (await shop.sendEvent(webhook, { k: 'a' })).eventId)
    const messages = await shop.messages()
    const root = messages.find(({ text }) => text.endsWith('Reply 1'))
    assert.deepEqual(
      messages.filter(({ runId }) => runId !== null).map(({ threadId }) => threadId),
      [root?.id, root?.id, null],
    )
  },
)
