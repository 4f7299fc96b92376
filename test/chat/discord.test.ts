import assert from 'node:assert/strict'
import { join } from '../accounts/visitor.ts'
import type { Script } from '../support/model-script.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'
import { bot, botRole, discordConnection, kim, startDiscord } from './support/start-discord.ts'
import { startPlatformSceneOn } from './support/start-platform-scene.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

const startScene = async (script: Script) =>
  startPlatformSceneOn(await sharedApp(), startDiscord, discordConnection, script)

verifies(
  ['chat:inbound-verified', 'chat:outbound-idempotent', 'chat:outbound-rate-limits'],
  'Discord: a command is answered once, even if answers are lost or rate-limited; only requests signed by Discord are accepted',
  async () => {
    await using scene = await startScene(() => ({
      text: 'To **Berlin**.\n\n| a | b |\n|---|---|\n| 1 | 2 |',
    }))
    const discord = scene.platform
    const asked = JSON.stringify({
      id: 'i1',
      type: 2,
      token: 't1',
      channel_id: '500',
      channel: { type: 0, name: 'ops' },
      member: { user: kim },
      data: { name: 'bellhop', options: [{ name: 'text', type: 3, value: 'where to?' }] },
    })
    const now = Math.floor(Date.now() / 1000)
    for (const headers of [{}, discord.sign(`${asked} `), discord.sign(asked, String(now - 320))]) {
      assert.equal((await scene.send(asked, headers)).status, 401)
    }
    const pong = await scene.send('{"id":"0","type":1}', discord.sign('{"id":"0","type":1}'))
    assert.deepEqual(await pong.json(), { type: 1 })
    const faults = [{ retryAfter: 0.5 }, 'lose-answer'] as const
    let met = 0
    discord.fault = ({ method, path }) =>
      method === 'POST' && path === 'channels/500/messages' ? (faults[met++] ?? null) : null

    for (let n = 0; n < 2; n++) {
      const answer = (await (await scene.send(asked, discord.sign(asked))).json()) as { type: number }
      assert.equal(answer.type, 4)
    }
    const { runs } = scene
    await until(async () => (await runs())[0]?.status === 'succeeded')

    assert.equal((await runs()).length, 1)
    assert.deepEqual(
      discord.messages.map(({ place, content }) => [place, content]),
      [['500', 'To **Berlin**.\n\n```\n| a | b |\n|---|---|\n| 1 | 2 |\n```']],
    )
    const [post] = discord.calls.filter(({ path }) => path === 'channels/500/messages')
    assert.deepEqual(post?.body.allowed_mentions, { parse: [] })
    assert.ok(discord.calls.some(({ path }) => path === 'applications/99/commands'))
    assert.equal((await scene.channel('500')).name, 'Acme / ops')
  },
)

verifies(
  ['chat:discord', 'chat:private-channels'],
  'Discord: a command is answered where it was given: in a thread, and in a channel that counts as private until Discord says otherwise',
  async () => {
    await using scene = await startScene(() => ({ text: 'Fine.' }))
    const discord = scene.platform
    await until(() => discord.isOpen())
    const root = discord.speak('500', `<@${bot.id}> begin`)
    await until(() => discord.messages.length === 1)
    let commands = 0
    const ask = (channel: { id: string } & Record<string, unknown>) => {
      const body = JSON.stringify({
        id: `i${++commands}`,
        type: 2,
        token: 't',
        channel_id: channel.id,
        channel,
        member: { user: kim },
        data: {
          name: 'bellhop',
          options: [{ name: 'text', type: 3, value: `where\nto? ${'😀'.repeat(2000)}` }],
        },
      })
      return scene.send(body, discord.sign(body))
    }
    const answer = (await (await ask({ id: root.id, type: 11, parent_id: '500', name: 'begin' })).json()) as {
      data: { content: string }
    } // the quote of the question
    assert.ok(answer.data.content.length <= 2000 && answer.data.content.isWellFormed())
    assert.ok(!answer.data.content.includes('\n'))
    await until(() => discord.messages.length === 2)
    assert.equal(discord.messages[1]?.place, root.id)
    await ask({ id: '950', type: 0, name: 'new-and-secret' })
    await until(() => discord.messages.length === 3)
    assert.equal((await scene.channel('950')).isPrivate, true)
    assert.equal((await scene.channel('500')).isPrivate, false)
  },
)

verifies(
  'chat:discord',
  'Discord: people who pick the role of the bot instead of the bot are answered, in posts of a forum and in voice channels too; no character is cut in two',
  async () => {
    const text = `${'x'.repeat(59)}😀 and so on. ${'| a | b |\n|---|---|\n| 1 | 2 |\n\nthen\n\n'.repeat(49)}`
    await using scene = await startScene(() => ({ text }))
    const discord = scene.platform
    await until(() => discord.isOpen())
    discord.speak('500', `<@&${botRole}> where to?`, { mention_roles: [botRole] })
    const { runs } = scene
    await until(async () => (await runs())[0]?.status === 'succeeded')
    const channel = await scene.channel('500')
    assert.equal(channel.name, 'Acme / ops', 'the name by which it was known before')
    const { items } = await scene.app.get<{ items: { text: string }[] }>(
      `/api/v1/channels/${channel.id}/messages`,
    )
    assert.ok(items.some((message) => message.text === '@bellhop where to?'))

    // A post of a forum is a thread that no message of the forum began.
    discord.openPost('600', '601')
    discord.speak('601', `<@${bot.id}> and here?`)
    await until(() => discord.messages.some(({ place }) => place === '601'))
    await until(async () => (await runs()).every(({ status }) => status === 'succeeded'))

    // The text chat of a voice channel has no threads.
    const asked = discord.speak('501', `<@${bot.id}> can you hear me?`)
    await until(() => discord.messages.some(({ place }) => place === '501'))
    const reply = discord.calls.findLast(({ path }) => path === 'channels/501/messages')
    assert.partialDeepStrictEqual(reply?.body, { message_reference: { message_id: asked.id } })
    await until(async () => (await runs()).every(({ status }) => status === 'succeeded'))
  },
)

verifies(
  ['chat:cards', 'chat:unlinked-click-refused'],
  'Discord: a linked admin’s click decides, and nobody else’s',
  async () => {
    await using scene = await startScene((_request, index) =>
      index === 0 ? { calls: [{ name: 'shop__refund', input: { id: 'A-1' } }] } : { text: 'Done.' },
    )
    const discord = scene.platform
    const { id: channelId } = await scene.channel('500')
    const { runId } = await scene.sendEvent(await scene.createWebhook({ channelId }))
    await until(() => discord.messages.length === 1)
    const [card] = discord.messages
    assert.match(card?.content ?? '', /POST .*\/orders\/A-1\/refund/)
    assert.doesNotMatch(card?.content ?? '', /planted-shop-token/)
    const press = (id: string) => {
      const body = JSON.stringify({
        id,
        type: 3,
        token: `token-${id}`,
        // The card may hang in a thread, which has an id of its own.
        channel_id: '501',
        channel: { id: '501', type: 11, parent_id: '500' },
        member: { user: kim },
        message: { id: card?.id },
        data: { custom_id: card?.components?.[0]?.components[0]?.custom_id },
      })
      return scene.send(body, discord.sign(body))
    }
    await press('c1')
    await until(() =>
      discord.calls.some(({ path, body }) => path === 'webhooks/99/token-c1' && body.flags === 64),
    )
    const admin = await join(scene.app, 'admin')
    await scene.app.api('PUT', `/api/v1/workspaces/${scene.workspace.id}/identities/7`, { userId: admin.id })
    await press('c2')
    assert.equal((await scene.endedRun(runId)).status, 'succeeded')
    await until(() =>
      discord.calls.some(
        ({ method, body }) => method === 'PATCH' && /Approved\*\* by The admin/.test(String(body.content)),
      ),
    )
  },
)

verifies(
  'chat:splitting',
  'Discord: a reply of more than four messages comes as its beginning and a file with all of it; where files are refused, in messages',
  async () => {
    const line = 'The order was late again, and nobody knows why it was.'
    const reply = Array.from({ length: 160 }, (_, n) => `${n + 1}. ${line}`).join('\n')
    await using scene = await startScene(() => ({ text: reply }))
    const discord = scene.platform
    const ask = async (count: number) => {
      const root = discord.speak('500', `<@${bot.id}> what happened?`)
      await until(async () => {
        const runs = await scene.runs()
        return runs.length === count && runs.every(({ status }) => status === 'succeeded')
      })
      return discord.messages.filter(({ place }) => place === root.id)
    }
    await until(() => discord.isOpen())
    const [beginning, file, ...more] = await ask(1)
    assert.ok(beginning?.content.startsWith(`1. ${line}`) && beginning.content.length <= 1900)
    assert.equal(file?.content, 'The whole reply is in this file:')
    assert.ok(file?.file === reply)
    assert.deepEqual(more, [])

    discord.fault = ({ body }) => ('file' in body ? { status: 403 } : null)
    const parts = await ask(2)
    assert.ok(parts.length > 4, `${parts.length} messages`)
    assert.ok(parts.map(({ content }) => content).join('\n') === reply)
  },
)

verifies(
  ['rules:one-thread-per-key', 'rules:closes'],
  'Discord: events with one key are in the thread of the first message, which is edited when one closes; one that people deleted is opened anew',
  async () => {
    await using scene = await startScene(() => ({ text: 'unused' }))
    const discord = scene.platform
    const channelId = (await scene.channels()).find(({ externalId }) => externalId === '500')?.id
    const webhook = await scene.createWebhook({
      channelId,
      threadKey: '/k',
      rules: [
        { when: "event.s == 'closed'", then: 'notify', text: 'Closed.', closes: true },
        { when: 'true', then: 'notify', text: '{/t}' },
      ],
    })
    const sendEvent = async (body: object) => {
      const { eventId } = await scene.sendEvent(webhook, body)
      const read = () => scene.app.get<{ status: string }>(`/api/v1/events/${eventId}`)
      await until(async () => (await read()).status === 'notified')
    }
    await sendEvent({ k: 1, t: 'one' })
    await sendEvent({ k: 1, t: 'two' })
    await sendEvent({ k: 1, s: 'closed' })
    const placed = () => discord.messages.map(({ place, content }) => [place, content])
    const first = discord.messages[0]?.id ?? ''
    assert.deepEqual(placed(), [
      ['500', 'one'],
      [first, 'two'],
      [first, 'Closed.'],
    ])
    const edited = discord.calls.filter(({ method }) => method === 'PATCH').at(-1)
    assert.equal(edited?.path, `channels/500/messages/${first}`)
    assert.equal(edited?.body.content, '✅ **Resolved**\n\none')

    discord.messages.shift()
    await sendEvent({ k: 1, t: 'three' })
    await sendEvent({ k: 1, t: 'four' })
    assert.deepEqual(placed().slice(-2), [
      ['500', 'three'],
      [discord.messages.at(-2)?.id, 'four'],
    ])
  },
)
