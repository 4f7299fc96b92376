import assert from 'node:assert/strict'
import { sealedColumns } from '../../src/app/sealed-columns.ts'
import type { Message } from '../../src/chat/contract.ts'
import type { Workspace } from '../../src/chat/workspaces/contract.ts'
import { reseal } from '../../src/platform/crypto/reseal.ts'
import { createVault } from '../../src/platform/crypto/vault.ts'
import { Secret } from '../../src/platform/secret.ts'
import { join } from '../accounts/visitor.ts'
import type { Script } from '../support/model-script.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { loopback, startTestApp, testEncryptionKey } from '../support/start-test-app.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'
import { keyedEventSender } from './support/send-keyed-events.ts'
import { mattermostConnection, startMattermost } from './support/start-mattermost.ts'
import { startPlatformScene, startPlatformSceneOn } from './support/start-platform-scene.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

const ops = 'opsopsopsops'
const direct = 'dmdmdmdmdmdm'

async function startScene(script: Script = () => ({ text: 'Fine.' })) {
  return await opened(
    await startPlatformSceneOn(await sharedApp(), startMattermost, mattermostConnection, script),
  )
}

type Scene = Awaited<ReturnType<typeof startPlatformScene<Awaited<ReturnType<typeof startMattermost>>>>>

async function opened(scene: Scene) {
  const path = `/api/v1/workspaces/${scene.workspace.id}`
  const shown = () => scene.app.get<Workspace>(path)
  await until(async () => (await shown()).openSince !== null)
  const { runs } = scene
  return {
    ...scene,
    path,
    shown,
    async answered(count: number) {
      await until(() => scene.platform.ours().length >= count)
      await until(async () => (await runs()).every(({ status }) => status === 'succeeded'))
      assert.equal((await runs()).length, count)
      assert.equal(scene.platform.ours().length, count)
    },
  }
}

verifies(
  ['chat:mattermost', 'chat:mention-starts-run', 'chat:inbound-durable'],
  'Mattermost: mentions, follow-ups and direct messages are answered in their threads, across lost connections, once',
  async () => {
    await using scene = await startScene()
    const server = scene.platform
    assert.equal(server.visits[0], '/chat/api/v4/websocket')
    server.speak(ops, 'lunch at noon, a secret place')
    for (const made of [{ from_bot: 'true' }, { from_webhook: 'true' }])
      server.speak(ops, '@house.bot says a machine', '', false, made)
    const root = server.speak(ops, '@house.bot where to?')
    await scene.answered(1)
    server.speak(ops, 'and when?', root.id)
    await scene.answered(2)
    server.speak(direct, 'are you there?')
    await scene.answered(3)
    assert.deepEqual(
      server.ours().map(({ channel_id: at, root_id: under }) => [at, under]),
      [
        [ops, root.id],
        [ops, root.id],
        [direct, server.posts.find(({ message }) => message === 'are you there?')?.id],
      ],
    )

    // The server buffers events while nobody is connected.
    server.cut()
    server.speak(ops, '@house.bot four')
    await scene.answered(4)
    assert.match(server.visits.at(-1) ?? '', /connection_id=\w+&sequence_number=\d+$/)
    // A sequence number was skipped: what is missing is fetched.
    server.speak(ops, '@house.bot five', '', true)
    server.skipNumber()
    server.speak(ops, '@house.bot six')
    await scene.answered(6)
    // It was restarted and has no session.
    server.forget()
    server.cut()
    server.speak(ops, 'seven', root.id, true)
    server.speak(direct, 'eight', '', true)
    await scene.answered(8)

    const channel = await scene.channel(ops)
    assert.equal(channel.name, 'Ops')
    const { items } = await scene.app.get<{ items: Message[] }>(
      `/api/v1/channels/${channel.id}/messages?limit=100`,
    )
    assert.ok(items.every(({ text }) => !text.includes('secret place')))
    const question = items.find(({ text }) => text === '@bellhop where to?')
    assert.equal(question?.author.name, 'kim')
    const reply = items.find(({ author, threadId }) => author.kind === 'agent' && threadId === question?.id)
    assert.equal(reply?.permalink.startsWith(`${server.origin}/_redirect/pl/`), true)
  },
)

verifies(
  ['chat:mattermost', 'chat:cards', 'chat:unlinked-click-refused', 'chat:inbound-verified'],
  'Mattermost: a linked admin’s click decides, and nobody else’s; only what the server signed just now counts',
  async () => {
    await using scene = await startScene((_request, index) =>
      index === 0 ? { calls: [{ name: 'shop__refund', input: { id: 'A-1' } }] } : { text: 'Done.' },
    )
    const server = scene.platform
    const { id: channelId } = await scene.channel(ops)
    const { runId } = await scene.sendEvent(await scene.createWebhook({ channelId }))
    await until(() => server.ours().length === 1)
    const [card] = server.ours()
    assert.ok(card)
    const [shown] = card.props.attachments ?? []
    assert.match(shown?.text ?? '', /POST .*\/orders\/A-1\/refund/)
    assert.doesNotMatch(shown?.text ?? '', /planted-shop-token/)
    assert.equal(shown?.actions?.[0]?.integration.url, scene.workspace.eventsUrl)

    const admin = await join(scene.app, 'admin')
    await scene.link('kimkimkimkim', admin.id)
    const old = Date.now() - 320_000
    const other = { ...shown?.actions?.[0]?.integration.context, decision: 'deny' }
    for (const spoiled of [
      '{}',
      server.press(card, 'Approve', Date.now(), { channel_name: 'x'.repeat(70_000) }),
      server.press(card, 'Approve', old),
      server.press(card, 'Approve', Date.now(), { user_id: 'somebodyelse' }),
      server.press(card, 'Approve', Date.now(), { context: other }),
      server.press(card, 'Approve', Date.now(), {
        trigger_id: Buffer.from('a:kimkimkimkim:1:').toString('base64'),
      }),
      server.press(card, 'Approve', Date.now(), {
        trigger_id: Buffer.from(`a:kimkimkimkim:${Date.now()}:${btoa('forged')}`).toString('base64'),
      }),
    ]) {
      assert.equal((await scene.send(spoiled, {})).status, 401, spoiled)
    }
    await scene.app.api('DELETE', `/api/v1/workspaces/${scene.workspace.id}/identities/kimkimkimkim`)

    for (const allowsEphemeral of [true, false]) {
      server.allowsEphemeral = allowsEphemeral
      assert.equal((await scene.send(server.press(card, 'Approve'), {})).status, 200)
      const path = allowsEphemeral ? 'posts/ephemeral' : 'channels/direct'
      await until(() => server.calls.some((call) => call.path === path))
    }
    assert.equal((await scene.readRun(runId)).status, 'waiting')
    assert.equal(shown?.actions.length, 2)

    await scene.link('kimkimkimkim', admin.id)
    server.allowsEphemeral = true
    const refused = () =>
      server.calls.filter(
        ({ path, body }) => path === 'posts/ephemeral' && /another channel/.test(JSON.stringify(body)),
      )
    await scene.send(server.press(card, 'Approve', Date.now(), { channel_id: direct }), {})
    await until(() => refused().length === 1)
    const second = await scene.connect()
    await scene.link('kimkimkimkim', admin.id, second)
    await scene.send(server.press(card, 'Approve'), {}, second)
    await until(() => refused().length === 2)
    assert.equal((await scene.readRun(runId)).status, 'waiting')
    const yes = server.press(card, 'Approve')
    for (let n = 0; n < 3; n++) assert.equal((await scene.send(yes, {})).status, 200)
    assert.equal((await scene.endedRun(runId)).status, 'succeeded')
    assert.equal(scene.target.seen.length, 1)
    await until(() => /Approved\*\* by The admin/.test(card.props.attachments?.[0]?.text ?? ''))
    assert.deepEqual(card.props.attachments?.[0]?.actions, [])
  },
)

verifies(
  ['chat:mattermost', 'chat:outbound-idempotent', 'chat:outbound-rate-limits', 'chat:splitting'],
  'Mattermost: a long reply is split at 16383 characters, and posted once even if answers are lost or rate-limited',
  async () => {
    const long = Array.from({ length: 400 }, (_, n) => `Line ${n} ${'x'.repeat(80)}`).join('\n')
    await using scene = await startScene(() => ({ text: long }))
    const faults = [{ retryAfter: 1 }, 'lose-answer', { status: 500 }] as const
    let met = 0
    scene.platform.fault = ({ path }) => (path === 'posts' ? (faults[met++] ?? null) : null)
    const root = scene.platform.speak(ops, '@house.bot tell me everything')
    await until(async () => (await scene.runs())[0]?.status === 'succeeded')

    const parts = scene.platform.ours()
    assert.equal(parts.map(({ message }) => message).join('\n'), long)
    assert.equal(parts.length, 3)
    assert.ok(parts.every(({ message, root_id: under }) => message.length <= 16_383 && under === root.id))
    // The server fetches no link preview, and no client loads an image.
    assert.ok(parts.every(({ props }) => props.unsafe_links === 'true'))
  },
)

verifies(
  ['chat:mattermost', 'chat:workspace-health', 'chat:tokens-sealed'],
  'Mattermost: a revoked token is shown, and a new one connects again',
  async () => {
    await using scene = await startScene()
    scene.platform.token = 'another-token'
    scene.platform.cut()
    await until(async () => (await scene.shown()).status === 'revoked')
    assert.match((await scene.shown()).lastError ?? '', /does not accept the bot token/)
    const patched = await scene.app.api<Workspace>('PATCH', scene.path, { botToken: 'another-token' })
    assert.equal(patched.body.status, 'connected', patched.text)
    assert.deepEqual(patched.body.credentials, { botToken: { set: true } })
    assert.ok(!patched.text.includes('another-token'))
    await until(async () => (await scene.shown()).openSince !== null)
  },
)

verifies(
  ['chat:mattermost', 'vault:rotation-online'],
  'a connection stays open while its credentials are sealed with another key',
  async () => {
    const other = Buffer.alloc(32, 8).toString('base64')
    const env = { ENCRYPTION_KEY: `${testEncryptionKey},${other}` }
    const script: Script = () => ({ text: 'Fine.' })
    await using scene = await opened(
      await startPlatformScene(startMattermost, mattermostConnection, script, env),
    )
    const { openSince } = await scene.shown()
    const vault = createVault([other, testEncryptionKey].map((key) => new Secret(key)))
    assert.ok((await reseal(scene.app.app.ctx.db, vault, sealedColumns)).count > 0)
    // Each is opened in a later turn, in which the first would have been opened again.
    for (let more = 0; more < 2; more++) {
      const { id } = await scene.connect()
      await until(async () => (await scene.app.get<Workspace>(`/api/v1/workspaces/${id}`)).openSince !== null)
    }
    assert.equal((await scene.shown()).openSince, openSince)
    assert.equal(scene.platform.visits.length, 3)
  },
)

verifies(
  'chat:workspace-health',
  'a test message to a workspace whose address was removed says that it is a draft',
  async () => {
    await using scene = await startScene()
    const { id: channelId } = await scene.channel(ops)
    assert.equal((await scene.app.api('PATCH', scene.path, { apiUrl: null })).status, 200)
    const refused = await scene.app.api<{ detail: string }>('POST', `${scene.path}/test`, { channelId })
    assert.equal(refused.status, 422, refused.text)
    assert.match(refused.body.detail, /draft/)
  },
)

verifies(
  ['rules:one-thread-per-key', 'rules:closes', 'chat:mattermost'],
  'Mattermost: events with one key are in one thread, whose first message is edited or gets a check mark; one that people deleted is opened anew',
  async () => {
    await using scene = await startScene()
    const { platform: server } = scene
    const sendEvent = await keyedEventSender(scene, (await scene.channel('opsopsopsops')).id)
    await sendEvent({ k: 1, t: 'one' })
    await sendEvent({ k: 1, t: 'two' })
    const [first, second] = server.ours()
    assert.deepEqual([first?.root_id, second?.root_id], ['', first?.id])
    await sendEvent({ k: 1, s: 'closed' })
    assert.match(first?.message ?? '', /✅ \*\*Resolved\*\*/)

    const reactions = () => server.calls.filter(({ path }) => path === 'reactions')
    await sendEvent({ k: 2, t: 'three' })
    const third = server.ours().at(-1)
    server.fault = ({ path }) => (path.endsWith('/patch') ? { status: 403 } : null)
    await sendEvent({ k: 2, s: 'closed' })
    assert.deepEqual(
      reactions().map(({ body }) => [body.post_id, body.emoji_name]),
      [[third?.id, 'white_check_mark']],
    )

    // The root of the thread is gone.
    server.fault = ({ path, body }) =>
      path === 'posts' && body.root_id === first?.id ? { status: 400 } : null
    await sendEvent({ k: 1, t: 'four' })
    await sendEvent({ k: 1, t: 'five' })
    const [anew, five] = server.ours().slice(-2)
    assert.deepEqual([anew?.root_id, five?.root_id], ['', anew?.id])
  },
)

verifies(
  'chat:splitting',
  'Mattermost: a reply of more than four posts comes as its beginning and a file with all of it; where files are refused, in posts',
  async () => {
    const line = 'The order was late again, and nobody knows why it was.'
    const reply = Array.from({ length: 400 }, (_, n) => `${n + 1}. ${line}`).join('\n')
    await using scene = await startPlatformSceneOn(
      await sharedApp(),
      // An old database.
      async () => Object.assign(await startMattermost(), { maxPostSize: '4000' }),
      mattermostConnection,
      () => ({ text: reply }),
    )
    const server = scene.platform
    await until(() => server.isOpen())
    server.speak('opsopsopsops', '@house.bot what happened?')
    await until(() => server.ours().length === 2)
    const [beginning, file] = server.ours()
    assert.ok(beginning?.message.startsWith(`1. ${line}`))
    assert.equal(file?.message, 'The whole reply is in this file:')
    assert.equal(server.files.get(file?.file_ids?.[0] ?? '')?.toString(), reply)

    server.allowsFiles = false
    const asked = server.speak('opsopsopsops', '@house.bot and now?')
    const there = () => server.ours().filter(({ root_id: root }) => root === asked.id)
    await until(
      () =>
        there().length > 4 &&
        there()
          .map(({ message }) => message)
          .join('\n') === reply,
    )
  },
)
