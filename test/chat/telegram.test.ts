import assert from 'node:assert/strict'
import type { Channel, Message } from '../../src/chat/contract.ts'
import type { Workspace } from '../../src/chat/workspaces/contract.ts'
import { join } from '../accounts/visitor.ts'
import type { Script } from '../support/model-script.ts'
import { startShop } from '../support/start-shop.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'
import { startTelegram, telegramToken } from './support/start-telegram.ts'

const group = { id: -1001234567890, type: 'supergroup', title: 'Ops' }
const kim = { id: 7, is_bot: false, first_name: 'Kim' }
const us = { id: 42, is_bot: true, first_name: 'Bellhop' }

async function startTelegramScene(script: Script) {
  await using stack = new AsyncDisposableStack()
  const telegram = stack.use(await startTelegram())
  const model = stack.use(await startStubAnthropic(script))
  const shop = stack.use(await startShop({ env: { ...model.env, EGRESS_PRIVATE_EXCEPTIONS: telegram.pair } }))
  const made = await shop.app.api<Workspace>('POST', '/api/v1/workspaces', {
    platform: 'telegram',
    botToken: telegramToken,
    apiUrl: telegram.origin,
  })
  assert.equal(made.status, 201, made.text)
  const hook = telegram.callsOf('setWebhook')[0]?.body ?? {}
  let updates = 0
  const opened = stack.move()
  return {
    ...shop,
    telegram,
    workspace: made.body,
    hook,
    async deliver(update: Record<string, unknown>, secret = String(hook.secret_token)): Promise<Response> {
      return fetch(String(hook.url), {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': secret },
        body: JSON.stringify({ update_id: ++updates, ...update }),
      })
    },
    async opsChannel(): Promise<Channel> {
      const { items } = await shop.app.get<{ items: Channel[] }>('/api/v1/channels')
      const found = items.find(({ externalId }) => externalId === String(group.id))
      assert.ok(found)
      return found
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

verifies(
  ['chat:telegram', 'chat:inbound-verified'],
  'a mention in a group is answered as a reply, once; answers to the reply go on; only Telegram is heard',
  async () => {
    await using scene = await startTelegramScene(({ body }) => ({
      text: body.includes('and when') ? 'Tomorrow\\!' : 'To **Berlin**.',
    }))
    const { telegram } = scene
    const mention = { message_id: 5, from: kim, chat: group, text: '@bellhop_bot where to?', date: 1 }
    const sent = () => telegram.callsOf('sendMessage').map(({ body }) => body)

    assert.equal((await scene.deliver({ message: mention }, 'guessed')).status, 401)
    await scene.deliver({ message: { ...mention, message_id: 4, text: 'not for the bot' } })
    await scene.deliver({ message: mention })
    await scene.deliver({ message: mention })
    await until(() => sent().length === 1)
    await scene.deliver({
      message: {
        message_id: 6,
        from: kim,
        chat: group,
        text: 'and when?',
        reply_to_message: { message_id: 1001, from: us, chat: group },
      },
    })
    await until(() => sent().length === 2)

    const [first, second] = sent()
    assert.deepEqual([first?.text, first?.parse_mode], ['To *Berlin*\\.', 'MarkdownV2'])
    assert.deepEqual(first?.reply_parameters, { message_id: 5, allow_sending_without_reply: true })
    assert.deepEqual(first?.link_preview_options, { is_disabled: true })
    assert.deepEqual(second?.reply_parameters, { message_id: 5, allow_sending_without_reply: true })
    const channel = await scene.opsChannel()
    const { items } = await scene.app.get<{ items: Message[] }>(`/api/v1/channels/${channel.id}/messages`)
    assert.equal(items.length, 4)
    assert.equal(new Set(items.map(({ id, threadId }) => threadId ?? id)).size, 1, 'one conversation')
    assert.equal(items[0]?.permalink, 'https://t.me/c/1234567890/1002')
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
    await scene.deliver({ my_chat_member: { chat: group, new_chat_member: { status: 'member' } } })
    const channel = await scene.opsChannel()
    const { runId } = await scene.ring(await scene.createWebhook({ channelId: channel.id }))
    await until(() => telegram.callsOf('sendMessage').length === 1)
    const [card] = telegram.callsOf('sendMessage')
    assert.match(card?.body.text ?? '', /POST .*\/orders\/A-1\/refund/)
    assert.doesNotMatch(card?.body.text ?? '', /planted-shop-token/)
    const keyboard = card?.body.reply_markup as { inline_keyboard: { callback_data: string }[][] } // as sent above
    const press = (id: string) =>
      scene.deliver({
        callback_query: {
          id,
          from: kim,
          message: { message_id: 1001, chat: group },
          data: keyboard.inline_keyboard[0]?.[0]?.callback_data,
        },
      })
    const told = () => telegram.callsOf('answerCallbackQuery').map(({ body }) => body)

    await press('q1')
    await until(() => told().length === 1)
    assert.match(told()[0]?.text ?? '', /does not know who you are/)
    const admin = await join(scene.app, 'admin')
    const { body: code } = await admin.visitor.send<{ text: string }>('POST', '/chat-accounts/code')
    const direct = { id: 7, type: 'private' }
    await scene.deliver({ message: { message_id: 9, from: kim, chat: direct, text: code.text } })
    await until(() =>
      telegram.callsOf('sendMessage').some(({ body }) => /you are The admin/.test(body.text ?? '')),
    )
    await press('q2')
    const run = await scene.endedRun(runId)

    assert.equal(run.status, 'succeeded')
    await until(() => told().length === 2)
    assert.equal(told()[1]?.text, undefined)
    await until(() =>
      telegram.callsOf('editMessageText').some(({ body }) => /Approved/.test(body.text ?? '')),
    )
  },
)

verifies(
  ['chat:telegram', 'chat:outbound-idempotent', 'chat:outbound-rate-limits', 'runs:retry-post'],
  'where the platform gives no way to look, an uncertain post is told to the operator and repeated only on request; a wait is kept',
  async () => {
    await using scene = await startTelegramScene(() => ({ text: 'Paid.' }))
    const { telegram } = scene
    await scene.deliver({ my_chat_member: { chat: group, new_chat_member: { status: 'member' } } })
    const webhook = await scene.createWebhook({ channelId: (await scene.opsChannel()).id })
    let tries = 0
    telegram.fault = ({ method }) =>
      method === 'sendMessage' && tries++ === 0
        ? {
            status: 429,
            body: { ok: false, error_code: 429, description: 'wait', parameters: { retry_after: 1 } },
          }
        : null
    const waited = await scene.endedRun((await scene.ring(webhook)).runId)
    assert.equal(waited.status, 'succeeded')
    assert.equal(tries, 2)

    telegram.fault = ({ method }) => (method === 'sendMessage' ? 'lose-answer' : null)
    const before = telegram.callsOf('sendMessage').length
    const lost = await scene.endedRun((await scene.ring(webhook)).runId)
    assert.equal(lost.error?.code, 'reply_ambiguous')
    assert.equal(telegram.callsOf('sendMessage').length, before + 1)

    // Somebody has looked into the channel: it is not there.
    telegram.fault = () => null
    const again = await scene.app.api('POST', `/api/v1/runs/${lost.id}/retry-post`)
    assert.equal(again.status, 200, again.text)
    const posted = await scene.runWhen(lost.id, ({ status }) => status === 'succeeded')
    assert.deepEqual([posted.reply?.state, posted.error], ['posted', null])
    assert.equal(telegram.callsOf('sendMessage').length, before + 2)
  },
)

verifies('chat:telegram', 'marks that Telegram cannot read do not stop a reply', async () => {
  await using scene = await startTelegramScene(() => ({ text: 'All *good*' }))
  const { telegram } = scene
  telegram.fault = ({ body }) =>
    body.parse_mode === 'MarkdownV2'
      ? { status: 400, body: { ok: false, description: "Bad Request: can't parse entities" } }
      : null
  const direct = { id: 7, type: 'private' }
  await scene.deliver({ message: { message_id: 9, from: kim, chat: direct, text: 'hello' } })
  await until(() => telegram.callsOf('sendMessage').length === 2)
  assert.equal(telegram.callsOf('sendMessage')[1]?.body.text, 'All *good*')
  const { items } = await scene.app.get<{ items: Channel[] }>('/api/v1/channels')
  assert.ok(
    items.every(({ kind }) => kind === 'channel'),
    'direct conversations are nobody else’s business',
  )
})
