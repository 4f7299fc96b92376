import assert from 'node:assert/strict'
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { mock } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import type { AuditRecord } from '../../src/accounts/contract.ts'
import type { Channel, Message } from '../../src/chat/contract.ts'
import { leasePart, listParts } from '../../src/chat/delivery/outbound/store.ts'
import { platformFetch } from '../../src/chat/platforms/platform-fetch.ts'
import { openEgress } from '../../src/platform/egress/open-egress.ts'
import type { ChannelId, MessageId } from '../../src/shared/ids.ts'
import { join } from '../accounts/visitor.ts'
import type { Script } from '../support/model-script.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startTarget } from '../support/start-target.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'
import { keyedEventSender } from './support/send-keyed-events.ts'
import { startPlatformSceneOn } from './support/start-platform-scene.ts'
import { startTelegram, telegramToken } from './support/start-telegram.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

const group = { id: -1001234567890, type: 'supergroup', title: 'Ops' }
const kim = { id: 7, is_bot: false, first_name: 'Kim' }
const max = { id: 8, is_bot: false, first_name: 'Max' }
const eva = { id: 9, is_bot: false, first_name: 'Eva' }
const ida = { id: 10, is_bot: false, first_name: 'Ida' }
const robot = { id: 11, is_bot: true, first_name: 'Robot' }
const us = { id: 42, is_bot: true, first_name: 'Bellhop' }

async function startTelegramScene(script: Script) {
  const scene = await startPlatformSceneOn(
    await sharedApp(),
    startTelegram,
    ({ origin }) => ({ platform: 'telegram', botToken: telegramToken, apiUrl: origin }),
    script,
  )
  const telegram = scene.platform
  const hook = telegram.callsOf('setWebhook')[0]?.body ?? {}
  assert.equal(hook.url, scene.workspace.eventsUrl)
  let updates = 0
  return {
    ...scene,
    telegram,
    deliver: (
      update: Record<string, unknown>,
      secret = String(hook.secret_token),
      to = scene.workspace,
    ): Promise<Response> =>
      scene.send(
        JSON.stringify({ update_id: ++updates, ...update }),
        { 'x-telegram-bot-api-secret-token': secret },
        to,
      ),
    opsChannel: (): Promise<Channel> => scene.channel(String(group.id)),
    sent: () => telegram.callsOf('sendMessage').map(({ body }) => body),
  }
}

verifies(
  ['chat:telegram', 'chat:inbound-verified'],
  'a mention in a group is answered as a reply, once; answers to the reply continue the conversation; only requests from Telegram are accepted',
  async () => {
    await using scene = await startTelegramScene(({ body }) => ({
      text: body.includes('and when') ? 'Tomorrow\\!' : 'To **Berlin**.',
    }))
    const { sent } = scene
    await scene.link('7', (await join(scene.app, 'member')).id)
    const mention = { message_id: 5, from: kim, chat: group, text: '@bellhop_bot where to?', date: 1 }

    assert.equal((await scene.deliver({ message: mention }, 'guessed')).status, 401)
    await scene.deliver({ message: { ...mention, message_id: 4, text: 'not for the bot \ud83d' } })
    await scene.deliver({ message: mention })
    await scene.deliver({ message: mention })
    await until(() => sent().length === 1)
    const channel = await scene.opsChannel()
    const kept = async () =>
      (await scene.app.get<{ items: Message[] }>(`/api/v1/channels/${channel.id}/messages`)).items
    const replied = async () =>
      (await kept()).filter(({ author, delivery }) => author.kind === 'agent' && delivery === 'sent')
    // The reply must have been posted before somebody answers it.
    await until(async () => (await replied()).length === 1)
    await scene.deliver({
      message: {
        message_id: 6,
        from: kim,
        chat: { ...group, title: 'Ops\0' },
        text: 'and when?\0',
        reply_to_message: { message_id: 1001, from: us, chat: group },
      },
    })
    await until(() => sent().length === 2)

    const [first, second] = sent()
    assert.deepEqual([first?.text, first?.parse_mode], ['To *Berlin*\\.', 'MarkdownV2'])
    assert.deepEqual(first?.reply_parameters, { message_id: 5, allow_sending_without_reply: true })
    assert.deepEqual(first?.link_preview_options, { is_disabled: true })
    assert.deepEqual(second?.reply_parameters, { message_id: 5, allow_sending_without_reply: true })
    await until(async () => (await replied()).length === 2)
    const items = await kept()
    assert.equal(items.length, 4)
    assert.equal(new Set(items.map(({ id, threadId }) => threadId ?? id)).size, 1, 'one conversation')
    assert.equal(items[0]?.permalink, 'https://t.me/c/1234567890/1002')
    const failed = sql`
      select from inbound_messages where workspace_id = ${scene.workspace.id} and error is not null`.execute(
      scene.app.app.ctx.db,
    )
    assert.deepEqual((await failed).rows, [], 'whatever is in a text, it is read at the first try')
  },
)

verifies(
  ['chat:telegram', 'chat:cards', 'chat:unlinked-click-refused'],
  'a group becomes a channel when the bot joins; an approval there is decided by a linked admin only',
  async () => {
    await using scene = await startTelegramScene((_request, index) =>
      index === 0 ? { calls: [{ name: 'shop__refund', input: { id: 'A-1' } }] } : { text: 'Done.' },
    )
    const { telegram } = scene
    const chat = { ...group, title: 'Ops\0' }
    await scene.deliver({ my_chat_member: { chat, new_chat_member: { status: 'member' } } })
    const channel = await scene.opsChannel()
    const { runId } = await scene.sendEvent(await scene.createWebhook({ channelId: channel.id }))
    await until(() => telegram.callsOf('sendMessage').length === 1)
    const [card] = telegram.callsOf('sendMessage')
    assert.match(card?.body.text ?? '', /POST .*\/orders\/A-1\/refund/)
    assert.doesNotMatch(card?.body.text ?? '', /planted-shop-token/)
    const keyboard = card?.body.reply_markup as { inline_keyboard: { callback_data: string }[][] } // as sent above
    const press = (id: string, chat = group, to = scene.workspace) => {
      const data = keyboard.inline_keyboard[0]?.[0]?.callback_data
      const query = { id, from: kim, message: { message_id: 1001, chat }, data }
      return scene.deliver({ callback_query: query }, undefined, to)
    }
    const told = () => telegram.callsOf('answerCallbackQuery').map(({ body }) => body)

    await press('q1')
    await until(() => told().length === 1)
    assert.match(told()[0]?.text ?? '', /does not know who you are/)
    const admin = await join(scene.app, 'admin')
    const { body: code } = await admin.visitor.send<{ text: string }>('POST', '/chat-accounts/code')
    const direct = { id: 7, type: 'private' }
    await scene.deliver({ message: { message_id: 9, from: kim, chat: direct, text: code.text } })
    await until(() =>
      telegram.callsOf('sendMessage').some(({ body }) => /linked to The admin/.test(body.text ?? '')),
    )
    await press('q2', { ...group, id: -1009999999999 })
    await until(() => told().length === 2)
    const other = await scene.connect()
    await scene.link('7', admin.id, other)
    await press('q3', group, other)
    await until(() => told().length === 3)
    assert.ok(
      told()
        .slice(1)
        .every(({ text }) => /another channel/.test(text ?? '')),
    )
    const denials = await scene.app.get<{ items: AuditRecord[] }>(
      `/api/v1/audit?action=access.denied&actorId=${admin.id}`,
    )
    assert.deepEqual(
      denials.items.map(({ actor }) => actor.id),
      [admin.id, admin.id],
    )
    // A disabled user cannot decide from the chat either.
    const { db } = scene.app.app.ctx
    await sql`update users set disabled_at = now() where id = ${admin.id}`.execute(db)
    await press('q4')
    await until(() => told().length === 4)
    assert.match(told()[3]?.text ?? '', /does not know who you are/)
    await sql`update users set disabled_at = null where id = ${admin.id}`.execute(db)
    assert.equal((await scene.readRun(runId)).status, 'waiting')
    await press('q5')
    await press('q5')
    const run = await scene.endedRun(runId)

    assert.equal(run.status, 'succeeded')
    await until(() => told().length === 5)
    assert.equal(told()[4]?.text, undefined)
    const edited = () => telegram.callsOf('editMessageText').map(({ body }) => body)
    await until(() => edited().some(({ text }) => /Approved/.test(text ?? '')))
    assert.deepEqual(edited().at(-1)?.reply_markup, { inline_keyboard: [] })
    const unread = () =>
      sql`select from inbound_messages where workspace_id = ${scene.workspace.id} and state = 'waiting'`.execute(
        db,
      )
    await until(async () => (await unread()).rows.length === 0)
    assert.equal(told().length, 5, 'a press that comes twice is one')
  },
)

verifies(
  ['chat:telegram', 'chat:outbound-idempotent', 'chat:outbound-rate-limits', 'runs:retry-post'],
  'if the platform offers no search, an uncertain post is reported to the operator and repeated only on request; a rate limit is obeyed',
  async () => {
    await using scene = await startTelegramScene(() => ({ text: 'Paid.' }))
    const { telegram } = scene
    const { db } = scene.app.app.ctx
    await scene.deliver({ my_chat_member: { chat: group, new_chat_member: { status: 'member' } } })
    const webhook = await scene.createWebhook({ channelId: (await scene.opsChannel()).id })
    const parameters = { retry_after: 1 }
    const wait = { status: 429, body: { ok: false, error_code: 429, description: 'wait', parameters } }
    let tries = 0
    telegram.fault = ({ method }) => (method === 'sendMessage' && tries++ === 0 ? wait : null)
    const waited = await scene.endedRun((await scene.sendEvent(webhook)).runId)
    assert.equal(waited.status, 'succeeded')
    assert.equal(tries, 2)

    telegram.fault = ({ method }) => (method === 'sendMessage' ? 'lose-answer' : null)
    const before = telegram.callsOf('sendMessage').length
    const lost = await scene.endedRun((await scene.sendEvent(webhook)).runId)
    assert.equal(lost.error?.code, 'reply_ambiguous')
    assert.match(lost.error?.message ?? '', /The message may be there or not/)
    assert.equal(telegram.callsOf('sendMessage').length, before + 1)

    // A person has checked the channel: the message is not there.
    telegram.fault = () => null
    const again = await scene.app.api('POST', `/api/v1/runs/${lost.id}/retry-post`)
    assert.equal(again.status, 200, again.text)
    const posted = await scene.runWhen(lost.id, ({ status }) => status === 'succeeded')
    assert.deepEqual([posted.reply?.state, posted.error], ['posted', null])
    assert.equal(telegram.callsOf('sendMessage').length, before + 2)

    // While one worker sends a part, no other does.
    const [part] = await listParts(db, posted.reply?.messageId as MessageId) // as the API gives it
    assert.ok(part)
    await sql`update message_parts set external_id = null where message_id = ${part.messageId}`.execute(db)
    const leases = [await leasePart(db, part, 60_000), await leasePart(db, part, 60_000)]
    assert.deepEqual(
      leases.map(({ held }) => held !== null),
      [true, false],
    )

    // A waiting time of days is not obeyed.
    telegram.fault = ({ method }) => (method === 'sendMessage' ? wait : null)
    const { runId } = await scene.sendEvent(webhook)
    const nearlyGivenUp = sql`update replies set tries = 29 where run_id = ${runId} and tries > 0 returning 1`
    await until(async () => (await nearlyGivenUp.execute(db)).rows.length > 0)
    const given = await scene.endedRunWithoutPauses(runId)
    assert.deepEqual([given.status, given.error?.code], ['failed', 'reply_refused'])
  },
)

verifies(
  ['chat:telegram', 'chat:strangers'],
  'Telegram: anybody can find the bot, so it answers only linked people, and others in groups to which a linked person added it',
  async () => {
    await using scene = await startTelegramScene(() => ({ text: 'Paid.' }))
    const { sent } = scene
    let messages = 0
    const say = (from: object, chat: object, text: string) =>
      scene.deliver({ message: { message_id: ++messages, from, chat, text } })
    const runs = async () => (await scene.runs()).length
    const direct = { id: 8, type: 'private' }

    await say(max, direct, '/start')
    await until(() => sent().length === 1)
    await scene.deliver({ my_chat_member: { chat: group, new_chat_member: { status: 'member' } } })
    await say(max, group, '@bellhop_bot show me the customers')
    await say(max, group, '@bellhop_bot please')
    await until(() => sent().length === 2)
    assert.ok(sent().every(({ text }) => /only answer people with a linked account/.test(text ?? '')))
    assert.ok(sent().every(({ text }) => !text?.includes(scene.app.url)))
    assert.equal(await runs(), 0)
    const isConfirmed = async () => {
      const { id, unconfirmed } = await scene.opsChannel()
      assert.equal((await scene.app.get<Channel>(`/api/v1/channels/${id}`)).unconfirmed, unconfirmed)
      return !unconfirmed
    }
    assert.equal(await isConfirmed(), false, 'anybody may have made this group')

    const linked = await join(scene.app, 'member')
    await scene.link('7', linked.id)
    await say(kim, group, '@bellhop_bot has A-1 been paid?')
    await until(() => sent().length === 3)
    await say(robot, group, '@bellhop_bot and what do you say?')
    await say(max, group, '@bellhop_bot and A-2?')
    await until(() => sent().length === 4)
    assert.deepEqual(
      sent()
        .map(({ text }) => text)
        .slice(2),
      ['Paid\\.', 'Paid\\.'],
    )
    assert.equal(await isConfirmed(), true)
    await say(max, direct, 'and between us?')
    await until(() => sent().length === 5)
    assert.match(sent()[4]?.text ?? '', /only answer people with a linked account/)
    assert.equal(await runs(), 2)

    // First without any linked person; then with a webhook, until it is deleted.
    await sql`update users set disabled_at = now() where id = ${linked.id}`.execute(scene.app.app.ctx.db)
    await say(eva, group, '@bellhop_bot and A-3?')
    await until(() => sent().length === 6)
    assert.match(sent()[5]?.text ?? '', /only answer people with a linked account/)
    assert.equal(await isConfirmed(), false)
    const webhook = await scene.createWebhook({ channelId: (await scene.opsChannel()).id })
    assert.equal(await isConfirmed(), true)
    await say(eva, group, '@bellhop_bot and A-3 now?')
    await until(() => sent().length === 7)
    assert.equal(sent()[6]?.text, 'Paid\\.')
    await scene.app.api('DELETE', `/api/v1/webhooks/${webhook.id}`)
    await say(ida, group, '@bellhop_bot and A-4?')
    await until(() => sent().length === 8)
    assert.match(sent()[7]?.text ?? '', /only answer people with a linked account/)
    assert.equal(await runs(), 3)
  },
)

verifies(
  'chat:telegram',
  'Telegram: a group that becomes a supergroup stays the same channel; captions count as text',
  async () => {
    await using scene = await startTelegramScene(() => ({ text: 'Paid.' }))
    const { sent } = scene
    const small = { id: -555, type: 'group', title: 'Ops' }
    await scene.deliver({ my_chat_member: { chat: small, new_chat_member: { status: 'member' } } })
    const webhook = await scene.createWebhook({ channelId: (await scene.channel('-555')).id })
    // An update about the new id may arrive first.
    await scene.deliver({ my_chat_member: { chat: group, new_chat_member: { status: 'administrator' } } })
    await scene.deliver({ message: { message_id: 1, from: kim, chat: small, migrate_to_chat_id: group.id } })
    await scene.deliver({ message: { message_id: 1, from: kim, chat: group, migrate_from_chat_id: -555 } })

    const run = await scene.endedRun((await scene.sendEvent(webhook)).runId)
    assert.equal(run.status, 'succeeded', run.error?.message)
    assert.equal(sent()[0]?.chat_id, String(group.id))
    assert.equal((await scene.channels()).filter(({ name }) => name === 'Ops').length, 1)

    await scene.deliver({
      message: { message_id: 2, from: kim, chat: group, photo: [], caption: '@bellhop_bot what is this?' },
    })
    await until(() => sent().length === 2)
    const kept = await scene.app.get<{ items: Message[] }>(
      `/api/v1/channels/${(await scene.opsChannel()).id}/messages`,
    )
    const told = '@bellhop what is this?\n\n[Attached, and not readable here: photo]'
    assert.ok(kept.items.some(({ text }) => text === told))
  },
)

verifies(
  ['chat:telegram', 'rules:one-thread-per-key', 'rules:closes'],
  'Telegram: events with one key answer the first message, which is marked; if people deleted it, the next event opens another',
  async () => {
    await using scene = await startTelegramScene([])
    const { telegram, sent } = scene
    await scene.deliver({ my_chat_member: { chat: group, new_chat_member: { status: 'member' } } })
    const channel = await scene.opsChannel()
    const sendEvent = await keyedEventSender(scene, channel.id)
    await sendEvent({ k: 'a', t: 'one' })
    await sendEvent({ k: 'a', t: 'two' })
    await sendEvent({ k: 'a', s: 'closed' })
    telegram.deleted.add(1001)
    await sendEvent({ k: 'a', t: 'three' })
    await sendEvent({ k: 'a', t: 'four' })
    const replied = (id: number) => ({ message_id: id, allow_sending_without_reply: true })
    assert.deepEqual(
      sent().map(({ text, reply_parameters }) => [text, reply_parameters]),
      [
        ['one', undefined],
        ['two', replied(1001)],
        ['Closed\\.', replied(1001)],
        ['three', undefined],
        ['four', replied(1004)],
      ],
    )
    const [mark] = telegram.callsOf('editMessageText')
    assert.deepEqual([mark?.body.message_id, mark?.body.text], [1001, '✅ *Resolved*\n\none'])
  },
)

verifies(
  'chat:telegram',
  'Telegram: the agent reads the addresses behind links, and code as code',
  async () => {
    await using scene = await startTelegramScene(() => ({ text: 'Paid.' }))
    await scene.link('7', (await join(scene.app, 'member')).id)
    const text = '@bellhop_bot 😀 see this order, then run a_b'
    const at = (type: string, part: string, more = {}) => ({
      type,
      offset: text.indexOf(part),
      length: part.length,
      ...more,
    })
    const entities = [
      at('mention', '@bellhop_bot'),
      at('bold', 'see this order'),
      at('text_link', 'this order', { url: 'https://shop.example/orders/7' }),
      at('code', 'a_b'),
    ]
    await scene.deliver({ message: { message_id: 1, from: kim, chat: group, text, entities } })
    await until(() => scene.sent().length === 1)
    const kept = await scene.app.get<{ items: Message[] }>(
      `/api/v1/channels/${(await scene.opsChannel()).id}/messages`,
    )
    const told = '@bellhop 😀 see [this order](https://shop.example/orders/7), then run `a_b`'
    assert.deepEqual(
      kept.items.filter(({ author }) => author.kind === 'user').map((message) => message.text),
      [told],
    )
  },
)

const wide = `| what | who |\n|---|---|\n| ${'long '.repeat(100)} | a |\n${'| b | c |\n'.repeat(60)}`
const markup = [
  '# Head (1)',
  '- one_two: *3* + 4 = 7!\n- **bold** and `a.b`\n  1. [link](https://example.com/a_b?c=d)',
  '> quote - with a dash',
  '```js\nconst a = `x` // \\n\n```',
  '| a | b |\n|---|---|\n| 1. | 2 |',
  'snake_case_name, 100%, #1, a|b, {x}, ~3~, https://example.com/x-y.z',
].join('\n\n')

verifies('chat:telegram', 'Telegram accepts a reply with any content', async () => {
  const deep = '>'.repeat(3000)
  const texts = [markup, wide, deep, 'All *good*']
  await using scene = await startTelegramScene((_request, index) => ({ text: texts[index] ?? '' }))
  const { telegram, sent } = scene
  await scene.link('7', (await join(scene.app, 'member')).id)
  const direct = { id: 7, type: 'private' }
  const say = (id: number) =>
    scene.deliver({ message: { message_id: id, from: kim, chat: direct, text: 'hi' } })
  await say(1)
  await until(() => sent().length === 1)
  assert.equal(sent()[0]?.parse_mode, 'MarkdownV2')
  // A table that is too large when rendered is sent as written.
  await say(2)
  await until(() => sent().length === 3)
  assert.equal(sent()[2]?.text, wide.trim())
  await say(3)
  // How deep it goes before it is sent as written depends on the stack. Telegram accepts it in either case.
  await until(async () => {
    const runs = await scene.runs()
    return runs.length === 3 && runs.every(({ status }) => status === 'succeeded')
  })
  const { text, parse_mode: mode } = sent().at(-1) ?? {}
  assert.ok(mode === 'MarkdownV2' || text === deep, `${mode}: ${text}`)
  const before = sent().length
  telegram.fault = ({ body }) =>
    body.parse_mode === 'MarkdownV2'
      ? { status: 400, body: { ok: false, description: "Bad Request: can't parse entities" } }
      : null
  await say(4)
  await until(() => sent().length === before + 2)
  assert.equal(sent().at(-1)?.text, 'All *good*')
  await until(async () => (await scene.runs()).every(({ status }) => status === 'succeeded'))
  assert.ok(
    (await scene.channels()).every(({ kind }) => kind === 'channel'),
    'direct conversations are nobody else’s business',
  )

  const description = 'Bad Request: bad webhook: An HTTPS URL must be provided for webhook'
  telegram.fault = ({ method }) =>
    method === 'setWebhook' ? { status: 400, body: { ok: false, error_code: 400, description } } : null
  const local = await scene.app.api<{ type: string; errors?: unknown }>('POST', '/api/v1/workspaces', {
    platform: 'telegram',
    botToken: telegramToken,
    apiUrl: telegram.origin,
  })
  assert.equal(local.body.type, 'workspace-unreachable')
  assert.match(local.text, /HTTPS URL must be provided.*PUBLIC_URL/)
  assert.equal(local.body.errors, undefined, 'the token is not to blame')
})

verifies(
  'chat:outbound-rate-limits',
  'the waiting time is read from the header, else from the body, up to a quarter of an hour',
  async () => {
    let answer: { header?: string; body: string } = { body: '' }
    await using target = await startTarget((_request, response) => {
      if (answer.header) response.setHeader('retry-after', answer.header)
      response.writeHead(429).end(answer.body)
    })
    await using egress = openEgress({
      allowedHosts: [],
      privateExceptions: [target.pair],
      ownOrigins: () => [],
    })
    const fetch = platformFetch({ egress }, 'a test')
    for (const [told, retryAfterMs] of [
      [{ header: '3', body: '{"retry_after":9}' }, 3000],
      [{ body: '{"ok":false,"parameters":{"retry_after":7}}' }, 7000],
      [{ body: '{"message":"wait","retry_after":0.5}' }, 500],
      [{ header: '86400', body: '' }, 900_000],
      [{ body: 'slow down' }, 1000],
    ] as const) {
      answer = told
      await assert.rejects(fetch(target.origin), { kind: 'rate-limited', retryAfterMs })
    }
  },
)

verifies(
  'chat:telegram',
  'notes that the agent is at work open the workspace once, not each of them',
  async () => {
    await using scene = await startTelegramScene(() => ({ text: 'Hi.' }))
    await scene.link('7', (await join(scene.app, 'member')).id)
    await scene.deliver({
      message: { message_id: 5, from: kim, chat: group, text: '@bellhop_bot hi', date: 1 },
    })
    await until(async () => Boolean((await scene.runs())[0]?.endedAt))
    const { id } = await scene.opsChannel()
    const { chat } = scene.app.app.ctx
    const unsealed = mock.method(crypto, 'createDecipheriv').mock
    const asked = mock.method(pg.Client.prototype, 'query').mock
    syncBuiltinESMExports()
    for (let n = 0; n < 10; n++) await chat.showWorking(id as ChannelId, null, 'thinking…') // as the API gives it
    const unsealings = unsealed.callCount()
    const reads = asked.calls
      .map((call) => JSON.stringify(call.arguments))
      .filter((text) => /from (workspaces|channels)\b/.test(text))
    mock.restoreAll()
    syncBuiltinESMExports()
    assert.ok(scene.telegram.callsOf('sendChatAction').length >= 10)
    assert.ok(unsealings <= 1, `${unsealings} unsealings`)
    // What ends the run may still be reading, too.
    assert.ok(reads.length < 10, reads.join('\n'))
  },
)
