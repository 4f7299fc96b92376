import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { Message } from '../../src/chat/contract.ts'
import type { Workspace } from '../../src/chat/workspaces/contract.ts'
import type { Script } from '../support/model-script.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startService } from '../support/start-service.ts'
import { loopback, startTestApp, testEncryptionKey } from '../support/start-test-app.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'
import { bot, discordConnection, discordToken, snowflake, startDiscord } from './support/start-discord.ts'
import { startPlatformSceneOn } from './support/start-platform-scene.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

const mention = `<@${bot.id}>`

async function startScene(script: Script = () => ({ text: 'Fine.' })) {
  const scene = await startPlatformSceneOn(await sharedApp(), startDiscord, discordConnection, script)
  await until(() => scene.platform.isOpen())
  const path = `/api/v1/workspaces/${scene.workspace.id}`
  return {
    ...scene,
    path,
    shown: () => scene.app.get<Workspace>(path),
    said: async (channelId: string) =>
      (await scene.app.get<{ items: Message[] }>(`/api/v1/channels/${channelId}/messages?limit=100`)).items,
    /** As many replies as this, and no more runs than replies. */
    async answered(count: number) {
      await until(() => scene.platform.messages.length >= count)
      await until(async () => {
        const runs = await scene.runs()
        return runs.every(({ status }) => status === 'succeeded')
      })
      assert.equal((await scene.runs()).length, count)
      assert.equal(scene.platform.messages.length, count)
    },
  }
}

verifies(
  ['chat:discord', 'chat:mention-starts-run', 'chat:inbound-durable'],
  'Discord: a mention is answered in a thread, follow-ups need no mention, direct messages neither; repeats start nothing',
  async () => {
    await using scene = await startScene()
    const discord = scene.platform
    const [visit] = discord.visits
    assert.equal(visit?.path, '/gateway/?v=10&encoding=json')
    const identify = visit?.frames.find(({ op }) => op === 2)?.d as Record<string, unknown> // an object
    assert.equal(identify.token, discordToken)
    assert.equal(identify.intents, 1 + 512 + 1024 + 4096 + 8192 + 32768)

    discord.speak('500', 'lunch at noon, a secret place')
    const root = discord.speak('500', `${mention} where to?`)
    await scene.answered(1)
    assert.equal(discord.messages[0]?.place, root.id, 'in the thread that begins with the question')
    discord.speak(root.id, 'and when?')
    await scene.answered(2)
    assert.equal(discord.messages[1]?.place, root.id)
    const asked = discord.speak('900', 'are you there?')
    await scene.answered(3)
    const direct = discord.calls.findLast(({ path }) => path === 'channels/900/messages')
    assert.deepEqual(direct?.body.message_reference, { message_id: asked.id, fail_if_not_exists: false })
    discord.speak('500', `${mention} I am a bot`, { author: { id: '8', username: 'other', bot: true } })

    discord.repeat()
    discord.repeat()
    discord.speak('500', `${mention} the last one`)
    await scene.answered(4)

    const channel = await scene.channel('500')
    const said = await scene.said(channel.id)
    assert.ok(said.every(({ text }) => !text.includes('secret place')))
    const question = said.find(({ text }) => text === '@bellhop where to?')
    assert.equal(question?.author.name, 'Kim')
    const thread = said.filter(({ threadId }) => threadId === question?.id).map(({ text }) => text)
    assert.deepEqual(thread, ['Fine.', 'and when?', 'Fine.'])
    const reply = said.find(({ threadId, author }) => threadId === question?.id && author.kind === 'agent')
    assert.match(reply?.permalink ?? '', new RegExp(`^https://discord.com/channels/1/${root.id}/\\d+$`))
    const shown = await scene.shown()
    assert.notEqual(shown.openSince, null)
    assert.notEqual(shown.lastEventAt, null)
  },
)

verifies(
  'chat:discord',
  'Discord: a forwarded message is read, and a message without any words starts nothing',
  async () => {
    await using scene = await startScene()
    const discord = scene.platform
    const root = discord.speak('500', `${mention} hi`)
    await scene.answered(1)
    discord.speak(root.id, '', { sticker_items: [{ id: '1', name: 'Wave' }] })
    const order = { content: 'Order 7 is late.', attachments: [{ filename: 'order.pdf' }] }
    discord.speak(root.id, '', { message_snapshots: [{ message: order }] })
    await scene.answered(2)
    const { id } = await scene.channel('500')
    const said = (await scene.said(id)).filter(({ author }) => author.kind === 'user')
    assert.deepEqual(
      said.map(({ text }) => text),
      ['[Forwarded]\nOrder 7 is late.\n\n[Attached: order.pdf]', '@bellhop hi'],
    )
  },
)

verifies(
  ['chat:discord', 'chat:inbound-durable'],
  'Discord: however the connection ends, the session is resumed, and no message meanwhile is lost or answered twice',
  async () => {
    await using scene = await startScene()
    const discord = scene.platform
    discord.speak('500', `${mention} one`)
    await scene.answered(1)
    const endings = [
      () => discord.socket().send({ op: 7, d: null }),
      () => discord.socket().cut(),
      () => discord.socket().close(4000),
      () => discord.socket().send({ op: 9, d: true }),
    ]
    for (const [index, end] of endings.entries()) {
      const before = discord.visits.length
      end()
      await until(() => discord.visits.length > before || !discord.isOpen())
      // In the session's queue while nobody listens, or just after.
      discord.speak('500', `${mention} again ${index}`)
      await scene.answered(index + 2)
      assert.deepEqual(discord.sentOpcodes(), [6])
      assert.match(discord.visits.at(-1)?.path ?? '', /^\/resume\//)
      assert.notEqual(discord.visits.at(-2)?.closedWith, 1000, '1000 would end the session')
    }
    assert.equal(discord.calls.filter(({ path }) => path === 'gateway/bot').length, 1)
  },
)

verifies(
  'chat:discord',
  'Discord: a heartbeat that is not answered ends the connection, and the next one resumes',
  async () => {
    await using discord = await startDiscord()
    discord.heartbeatMs = 2000
    await using scene = await startPlatformSceneOn(
      await sharedApp(),
      async () => discord,
      discordConnection,
      () => ({ text: 'Fine.' }),
    )
    const beatsOf = ({ frames }: (typeof discord.visits)[number]) => frames.filter(({ op }) => op === 1)
    // While they are answered, the connection stays open. A machine that stalls for two seconds answers none.
    await until(() => discord.visits.some((visit) => beatsOf(visit).length > 1))
    const [visit] = discord.visits.filter((one) => beatsOf(one).length > 1)
    assert.ok(visit && Number(beatsOf(visit).at(-1)?.d) >= 1, 'the last number that was heard')
    discord.acknowledges = false
    const before = discord.visits.length
    await until(() => discord.visits.length > before)
    discord.acknowledges = true
    await until(() => discord.isOpen())
    discord.socket().send({ op: 1, d: null })
    discord.speak('500', `${mention} still there?`)
    await until(() => discord.messages.length === 1)
    assert.deepEqual(discord.sentOpcodes(), [6])
    assert.equal(scene.workspace.platform, 'discord')
  },
)

verifies(
  ['chat:discord', 'chat:inbound-durable'],
  'Discord: when the session is gone, what was missed is fetched from channels, threads and direct conversations, once',
  async () => {
    await using scene = await startScene()
    const discord = scene.platform
    const root = discord.speak('500', `${mention} one`)
    discord.speak('900', 'two')
    await scene.answered(2)
    // The first attempt to fetch fails half-way: the gap must not count as filled.
    let faults = 0
    discord.fault = ({ path }) => (path.includes('after=') && ++faults === 2 ? { status: 500 } : null)
    discord.forgetSessions()
    discord.speak('500', `${mention} three`, {}, true)
    discord.speak(root.id, 'four', {}, true)
    discord.speak('900', 'five', {}, true)
    discord.speak('500', `${mention} long before`, { id: snowflake(Date.now() - 3_600_000) }, true)
    discord.socket().cut()
    await scene.answered(5)
    assert.ok(faults > 2)
    assert.deepEqual(discord.sentOpcodes(), [2])
    const read = discord.calls
      .filter(({ path }) => path.includes('after='))
      .map(({ path }) => path.split('/')[1])
    assert.ok(!read.includes('502'), 'nothing is new there')
  },
)

verifies(
  ['chat:discord', 'chat:inbound-durable'],
  'Discord: a message that could not be read because of a Discord failure is delivered again',
  async () => {
    await using scene = await startScene()
    const discord = scene.platform
    let faults = 0
    discord.fault = ({ path }) => (path === 'channels/500' && ++faults < 3 ? { status: 502 } : null)
    discord.speak('500', `${mention} hello`)
    await scene.answered(1)
    assert.equal(faults >= 3, true)
  },
)

verifies(
  ['chat:discord', 'chat:workspace-health'],
  'Discord: a revoked token is shown at once and not tried again; a new one connects',
  async () => {
    await using scene = await startScene()
    const discord = scene.platform
    discord.token = 'another-token'
    discord.socket().close(4004, 'Authentication failed.')
    await until(async () => (await scene.shown()).status === 'revoked')
    const shown = await scene.shown()
    assert.match(shown.lastError ?? '', /does not accept the bot token/)
    assert.equal(shown.openSince, null)
    const { length } = discord.visits
    const patched = await scene.app.api<Workspace>('PATCH', scene.path, { botToken: 'another-token' })
    assert.equal(patched.body.status, 'connected', patched.text)
    await until(() => discord.isOpen())
    assert.equal(discord.visits.length, length + 1)
    assert.deepEqual(discord.sentOpcodes(), [2], 'the session of the old token is not used')

    discord.closesWith = 4014
    discord.socket().close(4014)
    await until(async () => /Message Content Intent/.test((await scene.shown()).lastError ?? ''))
  },
)

verifies(
  ['chat:discord', 'chat:inbound-durable'],
  'Discord: one of all processes is connected; when it stops or is killed, another one resumes its session',
  async () => {
    await using discord = await startDiscord()
    await using database = await createTestDatabase()
    const env = { EGRESS_PRIVATE_EXCEPTIONS: discord.pair }
    const replica = { databaseUrl: database.url, env }
    await using service = await startService({
      DATABASE_URL: database.url,
      ENCRYPTION_KEY: testEncryptionKey,
      ...env,
    })
    {
      // Without workers, so that the other process has the connection.
      await using web = await startTestApp({ ...replica, env: { ...env, ROLE: 'web' } })
      const made = await web.api<Workspace>('POST', '/api/v1/workspaces', discordConnection(discord))
      assert.equal(made.status, 201, made.text)
      await until(() => discord.isOpen())
      discord.speak('500', `${mention} one`)
      await until(() => discord.messages.length === 1)
    }
    service.child.kill('SIGKILL')
    await until(() => !discord.isOpen())
    discord.speak('500', `${mention} two`)
    await using next = await startTestApp(replica)
    await using last = await startTestApp(replica)
    await until(() => discord.messages.length === 2)
    assert.equal(discord.visits.length, 2)
    assert.deepEqual(discord.sentOpcodes(), [6])

    await next[Symbol.asyncDispose]()
    discord.speak('500', `${mention} three`)
    await until(() => discord.messages.length === 3)
    assert.deepEqual(discord.sentOpcodes(), [6])
    const { items } = await last.get<{ items: unknown[] }>('/api/v1/runs')
    assert.equal(items.length, 3)
  },
)

verifies(
  ['chat:discord', 'chat:inbound-durable'],
  'Discord: a process that has lost the connection to another one writes nothing for it any more',
  async () => {
    await using scene = await startScene()
    const { db } = scene.app.app.ctx
    scene.platform.speak('500', `${mention} one`)
    await scene.answered(1)
    const session = async () => {
      const { rows } = await sql<{ session: unknown }>`
        select session from standing_connections where workspace_id = ${scene.workspace.id}`.execute(db)
      return rows[0]?.session
    }
    await sql`
      update standing_connections set holder = 'another', held_until = now() + interval '1 hour'
      where workspace_id = ${scene.workspace.id}`.execute(db)
    const before = await session()
    scene.platform.speak('500', `${mention} two`)
    await until(() => !scene.platform.isOpen())
    assert.ok(before)
    assert.deepEqual(await session(), before, 'the other one goes on from here')
    assert.equal((await scene.runs()).length, 1)
  },
)
