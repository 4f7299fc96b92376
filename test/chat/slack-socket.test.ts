import assert from 'node:assert/strict'
import { SocketModeClient } from '@slack/socket-mode'
import { sql } from 'kysely'
import type { Workspace } from '../../src/chat/workspaces/contract.ts'
import { join } from '../accounts/visitor.ts'
import { textsOf } from '../support/model-script.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'
import { cutEnvelope } from './support/cut-envelope.ts'
import { appToken } from './support/slack-lines.ts'
import {
  botToken,
  botUserId,
  signingSecret,
  slackCommand,
  slackMessage,
  slackShortcut,
  startSlack,
} from './support/start-slack.ts'
import { startSlackSceneOn } from './support/start-slack-scene.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

type Scene = Awaited<ReturnType<typeof startSlackSceneOn>>
type Problem = { type: string; errors?: { pointer: string; detail: string }[] }

let said = 100_000
const mention = ({ kim, ops }: Scene, text: string, more: { ts?: string; thread_ts?: string } = {}) =>
  JSON.parse(
    slackMessage(
      {
        user: kim,
        channel: ops,
        text: `<@${botUserId}> ${text}`,
        ts: `${Math.floor(Date.now() / 1000)}.${++said}`,
        ...more,
      },
      'app_mention',
    ),
  ) as Record<string, unknown>

async function startSocketScene(script?: Parameters<typeof startSlackSceneOn>[1]) {
  const scene = await startSlackSceneOn(await sharedApp(), script, 'socket')
  const shown = () => scene.app.get<Workspace>(`/api/v1/workspaces/${scene.workspace.id}`)
  await until(async () => (await shown()).openSince !== null)
  const ours = async () =>
    scene.slack.callsOf('chat.postMessage').filter(({ body }) => body.metadata !== undefined)
  return { ...scene, shown, ours }
}

verifies(
  'chat:slack-socket',
  'the socket server of these tests is one that Slack’s own client accepts',
  async () => {
    await using slack = await startSlack()
    const client = new SocketModeClient({ appToken, clientOptions: { slackApiUrl: `${slack.origin}/api/` } })
    const heard: unknown[] = []
    client.on('slack_event', async ({ ack, body }: { ack(): Promise<void>; body: unknown }) => {
      heard.push(body)
      await ack()
    })
    await client.start()
    const id = slack.lines.deliver('events_api', { type: 'event_callback', event: { type: 'app_mention' } })
    await until(() => slack.lines.acknowledged.has(id))
    assert.deepEqual(heard, [{ type: 'event_callback', event: { type: 'app_mention' } }])
    slack.lines.announceRefresh()
    await until(() => slack.lines.opened === 2)
    await client.disconnect()
  },
)

verifies(
  ['chat:slack-socket', 'chat:inbound-durable'],
  'Slack over a socket: an envelope is acknowledged only after it is stored; what was not is delivered again after a cut and makes one run',
  async () => {
    await using scene = await startSocketScene(() => ({ text: 'Yes.' }))
    const { lines } = scene.slack
    const { db } = scene.app.app.ctx
    let id = ''
    await db.transaction().execute(async (tx) => {
      await sql`lock table inbound_messages in exclusive mode`.execute(tx)
      id = lines.deliver('events_api', mention(scene, 'are you there?'))
      // The store of the envelope waits for the lock: the process may die here.
      await until(async () => {
        const { rows } = await sql`
          select from pg_locks where relation = 'inbound_messages'::regclass and not granted`.execute(tx)
        return rows.length > 0
      })
      assert.equal(lines.acknowledged.size, 0)
      lines.open[0]?.cut()
    })
    await until(() => lines.acknowledged.has(id))
    await until(async () => (await scene.ours()).length === 1)
    assert.equal(lines.opened, 2)
    assert.equal((await scene.runs()).length, 1)
  },
)

verifies(
  ['chat:slack-socket', 'chat:inbound-durable'],
  'Slack over a socket: wherever in an envelope the cable is cut, also just before its acknowledgement, it makes one run',
  async () => {
    await using scene = await startSocketScene(() => ({ text: 'Yes.' }))
    await cutEnvelope(scene, mention(scene, 'are you there?'), 97)
    await until(async () => (await scene.ours()).length === 1)
    assert.equal((await scene.runs()).length, 1)
  },
)

verifies(
  'chat:slack-socket',
  'Slack over a socket: when Slack replaces a connection, both are read until it closes the first',
  async () => {
    await using scene = await startSocketScene(() => ({ text: 'Yes.' }))
    const { lines } = scene.slack
    lines.announceRefresh()
    await until(() => lines.open.length === 2)
    const ids = lines.open.map((line, n) => lines.deliver('events_api', mention(scene, `over ${n}`), line))
    await until(() => ids.every((id) => lines.acknowledged.has(id)))
    lines.open[0]?.close(1000)
    await until(() => lines.open.length === 1)
    ids.push(lines.deliver('events_api', mention(scene, 'over the new one')))
    await until(() => ids.every((id) => lines.acknowledged.has(id)))
    await until(async () => (await scene.ours()).length === 3)
    assert.equal(lines.opened, 2)
    assert.notEqual((await scene.shown()).openSince, null)
  },
)

verifies(
  ['chat:slack-socket', 'chat:inbound-durable'],
  'Slack over a socket: what was said while no connection was open is read from the history, in channels and threads',
  async () => {
    await using scene = await startSocketScene(() => ({ text: 'Yes.' }))
    const { slack, ops } = scene
    const root = await slack.speak({ channel: ops, text: `<@${botUserId}> first` })
    slack.lines.deliver('events_api', mention(scene, 'first', { ts: root }))
    await until(async () => (await scene.ours()).length === 1)
    await slack.ask('conversations.join', { channel: ops })
    slack.joined.add(ops)
    slack.fault = ({ method }) => (method === 'apps.connections.open' ? { error: 'internal_error' } : null)
    slack.lines.open[0]?.cut()
    await slack.speak({ channel: ops, text: `<@${botUserId}> second` })
    await slack.speak({ channel: ops, text: 'lunch?' })
    await slack.speak({ channel: ops, thread_ts: root, text: 'and third, in the thread' })
    slack.fault = () => null
    await until(async () => (await scene.ours()).length === 3)
    await until(async () => (await scene.shown()).openSince !== null)
    assert.equal((await scene.runs()).length, 3)
  },
)

verifies(
  ['chat:slack-socket', 'chat:slack-commands'],
  'Slack: the shortcut of a message and /bellhop work over a socket and over HTTP; answers are for the person alone',
  async () => {
    for (const kind of ['socket', 'http'] as const) {
      await using scene =
        kind === 'socket'
          ? await startSocketScene(() => ({ text: 'The disk is full.' }))
          : await startSlackSceneOn(await sharedApp(), () => ({ text: 'The disk is full.' }))
      const { slack, ops, kim, model } = scene
      const respond = `${slack.origin}/respond`
      /** Returns what Slack shows to the person at once. */
      const send = async (type: 'interactive' | 'slash_commands', payload: Record<string, unknown>) => {
        if (kind === 'socket') {
          const id = slack.lines.deliver(type, payload)
          await until(() => slack.lines.acknowledged.has(id))
          const { payload: answer } = slack.lines.acknowledged.get(id) ?? {}
          return String((answer as { text?: string } | undefined)?.text ?? '')
        }
        const fields = type === 'interactive' ? { payload: JSON.stringify(payload) } : payload
        const answer = await scene.deliver(new URLSearchParams(fields as Record<string, string>).toString())
        assert.equal(answer.status, 200)
        const text = await answer.text()
        return text ? String((JSON.parse(text) as { text: string }).text) : ''
      }
      const type = (text: string) =>
        send('slash_commands', slackCommand(text, { user: kim, channel: ops, respond }))
      assert.match(await type('status'), /linked account/)
      assert.match(await type(''), /`\/bellhop ask/)
      const admin = await join(scene.app, 'admin')
      const code = await admin.visitor.send<{ code: string }>('POST', '/chat-accounts/code')
      assert.equal(await type(`link ${code.body.code}`), '')
      await until(async () => /linked to The admin/.test(await type('link')))
      assert.ok(slack.calls.some(({ method, body }) => method === '/respond' && /Done/.test(body.text ?? '')))
      assert.match(await type('status'), /is active\.\nRuns at work: 0\. Waiting for a decision: 0\./)
      assert.match(await type('approvals'), /Nothing waits/)

      const root = await slack.postAsApp(ops, { text: 'Disk of db-1 is 97 % full.' })
      await send('interactive', slackShortcut({ user: kim, channel: ops, ts: root, respond }))
      await until(async () => (await slack.replies(ops, root)).length === 1)
      assert.match(textsOf(model.requests[0]?.json.messages).join(), /<<post of .*\n.*97 % full/)

      assert.equal(await type('ask is it *still* full?'), '')
      const asked = async () => (await slack.history(ops)).find(({ text }) => /asks:/.test(text))
      await until(async () => (await asked()) !== undefined)
      const question = await asked()
      assert.match(question?.text ?? '', /> is it \*still\* full\?/)
      await until(async () => (await slack.replies(ops, question?.ts ?? '')).length === 1)
    }
  },
)

verifies(
  'chat:slack-socket',
  'Slack over a socket needs an app-level token, which is checked; the manifest fits the connection, which is proposed where Slack could not call',
  async () => {
    const app = await sharedApp()
    await using slack = await startSlack()
    const draft = await app.api<Workspace>('POST', '/api/v1/workspaces', { platform: 'slack' })
    assert.equal(draft.body.connection, 'socket')
    const path = `/api/v1/workspaces/${draft.body.id}`
    type Manifest = {
      features: { slash_commands: { url?: string }[]; shortcuts: { name: string }[] }
      settings: { socket_mode_enabled: boolean; event_subscriptions: { request_url?: string } }
    }
    const manifest = async () => {
      const { settings, features } = await app.get<Manifest>(`${path}/manifest`)
      assert.equal(features.shortcuts[0]?.name, 'Ask Bellhop about this')
      const urls = [settings.event_subscriptions.request_url, features.slash_commands[0]?.url]
      return [settings.socket_mode_enabled, ...urls]
    }
    assert.deepEqual(await manifest(), [true, undefined, undefined])
    const change = (body: object) => app.api<Workspace & Problem>('PATCH', path, body)
    await change({ connection: 'http' })
    const { eventsUrl } = draft.body
    assert.deepEqual(await manifest(), [false, eventsUrl, eventsUrl])

    const known = { connection: 'socket', botToken, apiUrl: `${slack.origin}/api/` }
    assert.equal((await change({ ...known, appToken: 'xoxb-wrong' })).body.errors?.[0]?.pointer, '/appToken')
    const refused = await change({ ...known, appToken: 'xapp-wrong' })
    assert.equal(refused.body.type, 'workspace-unreachable', refused.text)
    assert.equal(refused.body.errors?.[0]?.pointer, '/appToken')
    const incomplete = await change({ ...known, signingSecret })
    assert.equal(incomplete.body.status, 'draft', 'a signing secret does not open a socket')
    slack.scopes = slack.scopes.replace(',commands', '')
    const connected = await change({ ...known, appToken })
    assert.equal(connected.body.status, 'connected', connected.text)
    assert.deepEqual(connected.body.missingScopes, ['commands'])
    const called = await fetch(eventsUrl ?? '', { method: 'POST', body: '{}' })
    assert.equal(called.status, 404)
    await until(() => slack.lines.open.length === 1)
    await app.api('DELETE', path)
    await until(() => slack.lines.open.length === 0)
  },
)
