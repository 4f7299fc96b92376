import assert from 'node:assert/strict'
import type { Channel } from '../../src/chat/contract.ts'
import type { EventShape } from '../../src/events/contract.ts'
import type { RunShape } from '../../src/runs/contract.ts'
import { join } from '../accounts/visitor.ts'
import { textsOf } from '../support/model-script.ts'
import { sayAs } from '../support/say-as.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startShopOn } from '../support/start-shop.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'
import { bot, discordConnection, startDiscord } from './support/start-discord.ts'
import { mattermostConnection, startMattermost } from './support/start-mattermost.ts'
import { startPlatformSceneOn } from './support/start-platform-scene.ts'
import { botUserId, slackMessage } from './support/start-slack.ts'
import { startSlackSceneOn } from './support/start-slack-scene.ts'
import { startTelegram, telegramToken } from './support/start-telegram.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

type App = Awaited<ReturnType<typeof sharedApp>>

const alert = {
  username: 'Alertmanager',
  attachments: [{ title: '[FIRING:1] DiskFull', text: 'Disk of db-1 is 97 % full.' }],
}

async function eventsIn(app: App, channelId: string): Promise<EventShape[]> {
  const { items } = await app.get<{ items: EventShape[] }>(`/api/v1/events?channelId=${channelId}`)
  return items
}

async function watch(app: App, channelId: string, fields: Record<string, unknown>): Promise<Channel> {
  const saved = await app.api<Channel>('PATCH', `/api/v1/channels/${channelId}`, { watch: fields })
  assert.equal(saved.status, 200, saved.text)
  return saved.body
}

/** As Slack sends what an app posted: without a person, and with a bot. */
function appPost(fields: Record<string, unknown>): string {
  const content = JSON.parse(slackMessage({ user: '', channel: '', text: '', ts: '' })) as {
    event: Record<string, unknown>
  }
  const event = { ...content.event, user: undefined, subtype: 'bot_message', bot_id: 'BAPP000001', ...fields }
  return JSON.stringify({ ...content, event })
}

verifies(
  'chat:watch',
  'Slack: what apps post in a watched channel becomes one event each, answered in its thread; not what people say, what is in threads, what does not match, and never our own',
  async () => {
    await using scene = await startSlackSceneOn(await sharedApp(), () => ({ text: 'Clean up /var/log.' }))
    const { app, slack, ops, kim, model, channel } = scene
    const saved = await watch(app, channel.id, {
      from: 'apps',
      when: 'event.text.contains("FIRING")',
      prompt: 'Say what to do about the alert.',
    })
    assert.deepEqual(saved.watch, {
      from: 'apps',
      when: 'event.text.contains("FIRING")',
      prompt: 'Say what to do about the alert.',
      ceiling: 'read',
      perHour: 30,
      paused: false,
      pauseReason: null,
    })
    const ts = await slack.postAsApp(ops, alert)
    const post = appPost({ channel: ops, ts, ...alert })
    const said = (text: string, more = {}) => ({ channel: ops, ts: String(Number(ts) + 1), text, ...more })
    await scene.deliver(slackMessage({ user: kim, ...said('FIRING, is it not?') }))
    await scene.deliver(appPost(said('All is well.')))
    await scene.deliver(appPost(said('FIRING in a thread', { thread_ts: ts })))
    await scene.deliver(appPost(said('FIRING, says the agent itself', { user: botUserId })))
    await scene.deliver(post)
    await scene.deliver(post)
    await until(async () => (await slack.replies(ops, ts)).length === 1)
    // Its platform has the reply before the run knows.
    await until(async () => (await eventsIn(app, channel.id)).every(({ status }) => status === 'done'))

    const [event, ...others] = await eventsIn(app, channel.id)
    assert.deepEqual(others, [])
    assert.deepEqual(
      [event?.status, event?.trigger, event?.watchedChannelId, event?.watchedChannelName],
      ['done', 'watch', channel.id, '#ops'],
    )
    assert.equal(event?.source.kind === 'watch' && event.source.channelId, channel.id)
    assert.match(event?.summary ?? '', /DiskFull/)
    const [asked, ...more] = model.requests
    assert.deepEqual(more, [])
    const told = textsOf(asked?.json.messages).join('\n')
    const system = JSON.stringify(asked?.json.system)
    assert.match(system, /messages in this channel, which you watch:\\nSay what to do about the alert\./)
    assert.doesNotMatch(system, /97 %/)
    const body = /<<body application\/json \d+ bytes (\S+)>>\n([\s\S]*?)\n<<end \1>>/.exec(told)?.[2] ?? told
    assert.deepEqual(JSON.parse(body), {
      type: 'message',
      text: '[FIRING:1] DiskFull\nDisk of db-1 is 97 % full.',
      author: { kind: 'app', name: 'Alertmanager', role: null },
      channel: 'ops',
    })
    assert.equal(told.match(/97 %/g)?.length, 1, 'the message is not told twice')
    const run = await app.get<RunShape>(`/api/v1/runs/${event?.runId}`)
    assert.deepEqual(
      [run.trigger, run.requestedBy?.kind, run.watchedChannelId],
      ['watch', 'watch', channel.id],
    )

    // A person asks about it in the thread: the alert is in context, and the watch's rights hold.
    const later = { user: kim, channel: ops, thread_ts: ts, text: `<@${botUserId}> since when?` }
    await scene.deliver(slackMessage({ ...later, ts: await slack.speak(later) }, 'app_mention'))
    await until(() => model.requests.length === 2)
    const turns = textsOf(model.requests[1]?.json.messages).join('\n')
    assert.equal(turns.match(/97 %/g)?.length, 1)
    assert.match(turns, /since when\?/)
  },
)

verifies(
  'chat:watch',
  'after perHour runs the watch is paused, and the channel is told; what is written is kept and answered once somebody resumes it',
  async () => {
    const app = await sharedApp()
    await using model = await startStubAnthropic(() => ({ text: 'Seen.' }))
    await using shop = await startShopOn(app, { model })
    const { channelId } = shop
    await watch(app, channelId, { from: 'all', prompt: 'Look at it.', perHour: 1 })
    const say = (text: string) =>
      app.api<{ id: string }>('POST', `/api/v1/channels/${channelId}/messages`, { text })
    const texts = async () => {
      const { items } = await app.get<{ items: { text: string; threadId: string | null }[] }>(
        `/api/v1/channels/${channelId}/messages`,
      )
      return items
    }
    const first = await say('The first one')
    const answered = async (id: string) => (await texts()).some(({ threadId }) => threadId === id)
    await until(() => answered(first.body.id))
    const second = await say('The second one')
    await until(async () => (await texts()).some(({ text }) => text.startsWith('⏸️ Watching this channel')))
    const { watch: paused } = await app.get<Channel>(`/api/v1/channels/${channelId}`)
    assert.equal(paused?.paused, true)
    assert.match(paused?.pauseReason ?? '', /it had 1 run within an hour, and its limit is 1/)
    assert.equal((await eventsIn(app, channelId))[0]?.status, 'accepted')

    const { paused: _, pauseReason: __, ...fields } = paused ?? {}
    await watch(app, channelId, { ...fields, perHour: 30, paused: false })
    await until(() => answered(second.body.id))
    assert.equal((await eventsIn(app, channelId)).length, 2, 'the notice is our own message')

    await app.api('PATCH', `/api/v1/channels/${channelId}`, {
      watch: { ...fields, perHour: 30, paused: true },
    })
    const third = await say('The third one')
    assert.equal((await eventsIn(app, channelId))[0]?.status, 'accepted')
    assert.equal(
      (await app.get<Channel>(`/api/v1/channels/${channelId}`)).watch?.pauseReason?.endsWith('paused it.'),
      true,
    )
    await app.api('PATCH', `/api/v1/channels/${channelId}`, { watch: null })
    assert.equal((await app.get<Channel>(`/api/v1/channels/${channelId}`)).watch, null)
    await until(async () => (await eventsIn(app, channelId))[0]?.status === 'ignored')
    assert.equal(await answered(third.body.id), false)
  },
)

verifies(
  'chat:watch',
  'half a character in a message, quoted by a fault of the condition, holds up nothing',
  async () => {
    const app = await sharedApp()
    await using model = await startStubAnthropic(() => ({ text: 'Seen.' }))
    await using shop = await startShopOn(app, { model })
    await watch(app, shop.channelId, { from: 'all', when: 'int(event.text) > 3', prompt: 'Look at it.' })
    const sent = await app.api('POST', `/api/v1/channels/${shop.channelId}/messages`, { text: 'A\ud83dB' })
    assert.equal(sent.status, 201, sent.text)
    await until(async () => (await eventsIn(app, shop.channelId))[0]?.status === 'done')
    const [event] = await eventsIn(app, shop.channelId)
    assert.match(event?.ruleFaults[0]?.detail ?? '', /Cannot convert A\ufffdB/)
  },
)

verifies(
  'chat:watch',
  'built-in: people and programs are told apart, a mention is answered as a mention, a condition that fails loses nothing, and erasing the event erases what was written',
  async () => {
    const app = await sharedApp()
    await using model = await startStubAnthropic(() => ({ text: 'Seen.' }))
    await using shop = await startShopOn(app, { model })
    const { channelId } = shop
    await watch(app, channelId, { from: 'people', when: 'event.author.level > 3', prompt: 'Look at it.' })
    const program = await app.api<{ id: string }>('POST', `/api/v1/channels/${channelId}/messages`, {
      text: 'From a program',
    })
    assert.equal(program.status, 201, program.text)
    const person = await join(app, 'member')
    const kim = await sayAs(shop, person, 'My number is 555')
    await until(async () => (await eventsIn(app, channelId))[0]?.status === 'done')
    const events = await eventsIn(app, channelId)
    assert.equal(events.length, 1)
    const [event] = events
    assert.match(event?.ruleFaults[0]?.detail ?? '', /level/)
    await sayAs(shop, person, '@bellhop hello')
    await until(() => model.requests.length === 2)
    assert.equal((await eventsIn(app, channelId)).length, 1)

    const replay = await app.api('POST', `/api/v1/events/${event?.id}/replay`, { dryRun: true })
    assert.equal(replay.status, 201, replay.text)
    await until(() => model.requests.length === 3)
    assert.match(textsOf(model.requests[2]?.json.messages).join(), /555/)
    assert.equal((await app.api('DELETE', `/api/v1/events/${event?.id}`)).status, 204)
    const message = await app.get<{ text: string }>(`/api/v1/messages/${kim}`)
    assert.equal(message.text, '(erased)')
  },
)

verifies(
  'chat:watch',
  'Mattermost and Discord: the posts of webhooks, with their attachments and embeds',
  async () => {
    const app = await sharedApp()
    await using mattermost = await startPlatformSceneOn(app, startMattermost, mattermostConnection, () => ({
      text: 'On it.',
    }))
    const server = mattermost.platform
    await until(() => server.isOpen())
    const { items } = await app.get<{ items: Channel[] }>('/api/v1/channels?limit=100')
    const place = items.find(
      ({ externalId, platform }) => externalId === 'opsopsopsops' && platform === 'mattermost',
    )
    assert.ok(place)
    await watch(app, place.id, { from: 'apps', prompt: 'Look at it.' })
    const props = {
      from_webhook: 'true',
      override_username: 'Grafana',
      attachments: [{ title: 'CPU high', text: 'db-1' }],
    }
    server.speak('opsopsopsops', 'Good morning.', '')
    const post = server.speak('opsopsopsops', '', '', false, props)
    await until(() => server.ours().some(({ root_id }) => root_id === post.id))
    const [event] = await eventsIn(app, place.id)
    assert.match(event?.summary ?? '', /CPU high/)
    assert.equal(server.ours().length, 1)

    await using discordScene = await startPlatformSceneOn(app, startDiscord, discordConnection, () => ({
      text: 'Noted.',
    }))
    const discord = discordScene.platform
    await until(() => discord.isOpen())
    const all = await app.get<{ items: Channel[] }>('/api/v1/channels?limit=100')
    const channel = all.items.find(
      ({ externalId, platform }) => externalId === '500' && platform === 'discord',
    )
    assert.ok(channel)
    await watch(app, channel.id, { from: 'all', prompt: 'Look at it.' })
    discord.speak('500', 'I am the agent.', { author: bot })
    discord.speak('500', '', {
      author: { id: '9', username: 'Sentry', bot: true },
      webhook_id: '9',
      embeds: [{ title: 'Checkout fails', url: 'https://sentry.example/1' }],
    })
    await until(() => discord.messages.length === 1)
    const events = await eventsIn(app, channel.id)
    assert.deepEqual(
      events.map(({ summary }) => /Checkout fails/.test(summary ?? '')),
      [true],
    )
  },
)

verifies(
  'chat:watch',
  'a condition that cannot be read, a platform that sends mentions only, and a ceiling above the role are refused',
  async () => {
    const app = await sharedApp()
    await using shop = await startShopOn(app)
    const path = `/api/v1/channels/${shop.channelId}`
    const refused = async (of: string, fields: Record<string, unknown>) =>
      await app.api<{ errors: { pointer: string; detail: string }[] }>('PATCH', of, { watch: fields })
    const wrong = await refused(path, { from: 'all', prompt: 'Look.', when: 'event.text ==' })
    assert.equal(wrong.status, 422, wrong.text)
    assert.equal(wrong.body.errors[0]?.pointer, '/watch/when')
    assert.match(wrong.body.errors[0]?.detail ?? '', /^Character 1\d: /)
    assert.equal((await refused(path, { from: 'robots', prompt: 'Look.' })).status, 422)
    assert.equal((await refused(path, { from: 'all', prompt: ' ' })).status, 422)

    await using scene = await startPlatformSceneOn(
      app,
      startTelegram,
      ({ origin }) => ({ platform: 'telegram', botToken: telegramToken, apiUrl: origin }),
      () => ({ text: 'Noted.' }),
    )
    const chat = { id: -1001234567890, type: 'supergroup', title: 'Watched' }
    const message = {
      message_id: 5,
      from: { id: 7, is_bot: false, first_name: 'Kim' },
      chat,
      text: 'hi',
      date: 1_700_000_000,
    }
    const secret = String(scene.platform.callsOf('setWebhook')[0]?.body.secret_token)
    await scene.send(
      JSON.stringify({
        update_id: 1,
        my_chat_member: {
          ...message,
          new_chat_member: { status: 'member', user: { id: 1, is_bot: true, first_name: 'b' } },
        },
      }),
      { 'x-telegram-bot-api-secret-token': secret },
    )
    await until(
      async () => (await app.get<{ items: Channel[] }>('/api/v1/channels?q=Watched')).items.length === 1,
    )
    const [group] = (await app.get<{ items: Channel[] }>('/api/v1/channels?q=Watched')).items
    const mute = await refused(`/api/v1/channels/${group?.id}`, { from: 'all', prompt: 'Look.' })
    assert.equal(mute.status, 422, mute.text)
    assert.match(mute.body.errors[0]?.detail ?? '', /only those that mention the agent/)
  },
)
