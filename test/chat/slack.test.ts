import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { ApprovalShape } from '../../src/approvals/contract.ts'
import { type Channel, externalPlatforms, type Message } from '../../src/chat/contract.ts'
import type { Workspace } from '../../src/chat/workspaces/contract.ts'
import { join } from '../accounts/visitor.ts'
import { askDuring } from '../support/ask-during.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startTarget } from '../support/start-target.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'
import {
  botToken,
  botUserId,
  type SlackMessage,
  signingSecret,
  signSlack,
  slackClick,
  slackMessage,
  teamId,
} from './support/start-slack.ts'
import { connectSlack, startSlackSceneOn } from './support/start-slack-scene.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

type Page<T> = { items: T[] }
type Manifest = {
  display_information: { name: string; description: string }
  features: { bot_user: { display_name: string }; assistant_view?: object }
  oauth_config: { scopes: { bot: string[] } }
  settings: { event_subscriptions: { request_url: string; bot_events: string[] } }
}

const scopeOfEvent: Record<string, string> = {
  app_mention: 'app_mentions:read',
  'message.channels': 'channels:history',
  'message.groups': 'groups:history',
  'message.im': 'im:history',
  'message.mpim': 'mpim:history',
}

/** Slack's errors for a manifest. */
function faultsOf(given: unknown): string[] {
  const { display_information: about, features, oauth_config, settings } = given as Manifest // checked by Slack itself
  const { bot: scopes } = oauth_config.scopes
  const events = settings.event_subscriptions.bot_events
  return [
    ...events.filter((name) => name in scopeOfEvent && !scopes.includes(scopeOfEvent[name] ?? '')),
    ...(scopes.includes('assistant:write') && !features.assistant_view ? ['assistant_view'] : []),
    ...(about.name.length > 35 || about.description.length > 140 ? ['display_information'] : []),
    ...(/^[a-z0-9._-]{1,80}$/.test(features.bot_user.display_name) ? [] : ['display_name']),
    ...(new Set(scopes).size < scopes.length ? ['scopes'] : []),
  ]
}

verifies(
  ['chat:slack', 'chat:mention-starts-run', 'chat:inbound-durable'],
  'a mention starts one run whose reply is in the thread, however often and in whatever form Slack delivers it',
  async () => {
    await using scene = await startSlackSceneOn(await sharedApp(), () => ({ text: 'It was **paid**.' }))
    const said = {
      user: scene.kim,
      channel: scene.ops,
      text: `<@${botUserId}> what about A-1?`,
      ts: '1700000000.000100',
    }
    const mention = slackMessage(said, 'app_mention')

    for (const body of [mention, mention, slackMessage(said), slackMessage(said, 'app_mention')]) {
      assert.equal((await scene.deliver(body)).status, 200)
    }
    const kept = async () =>
      (await scene.app.get<Page<Message>>(`/api/v1/channels/${scene.channel.id}/messages`)).items
    const replied = async () =>
      (await kept()).filter(({ author, delivery }) => author.kind === 'agent' && delivery === 'sent')
    await until(async () => (await replied()).length === 1)

    const replies = await scene.slack.replies(scene.ops, said.ts)
    assert.equal(replies.length, 1)
    assert.deepEqual(replies[0]?.blocks?.[0], { type: 'markdown', text: 'It was **paid**.' })
    assert.equal((await scene.runs()).length, 1)
    const [answer, question] = await kept()
    assert.equal(question?.author.name, 'kim')
    assert.equal(question?.text, '@bellhop what about A-1?')
    assert.equal(answer?.threadId, question?.id)
  },
)

verifies(
  'chat:slack',
  'a follow-up in a thread of the agent needs no mention; talk elsewhere is not kept',
  async () => {
    await using scene = await startSlackSceneOn(await sharedApp(), ({ body }) => ({
      text: body.includes('and when?') ? 'Tomorrow.' : 'To Berlin.',
    }))
    const root = '1700000000.000100'
    const say = (text: string, ts: string, thread_ts?: string) =>
      scene.deliver(
        slackMessage({ user: scene.kim, channel: scene.ops, text, ts, ...(thread_ts ? { thread_ts } : {}) }),
      )
    await say('lunch at noon, a secret place', '1700000000.000050')
    await say(`<@${botUserId}> where to?`, root)
    await until(async () => (await scene.slack.replies(scene.ops, root)).length === 1)
    await say('and when?', '1700000000.000200', root)
    await until(async () => (await scene.slack.replies(scene.ops, root)).length === 2)

    const replies = await scene.slack.replies(scene.ops, root)
    assert.deepEqual(
      replies.map(({ text }) => text),
      ['To Berlin.', 'Tomorrow.'],
    )
    const kept = await scene.app.get<Page<Message>>(`/api/v1/channels/${scene.channel.id}/messages`)
    assert.ok(kept.items.every(({ text }) => !text.includes('secret place')))
  },
)

verifies('chat:inbound-durable', 'a follow-up that overtakes its mention is not lost', async () => {
  await using scene = await startSlackSceneOn(await sharedApp(), () => ({ text: 'Yes.' }))
  const root = '1700000000.000100'
  const follow = {
    user: scene.kim,
    channel: scene.ops,
    text: 'and hurry',
    ts: '1700000000.000200',
    thread_ts: root,
  }
  await scene.deliver(slackMessage(follow))
  await scene.deliver(
    slackMessage(
      { user: scene.kim, channel: scene.ops, text: `<@${botUserId}> go`, ts: root },
      'app_mention',
    ),
  )
  await until(async () => (await scene.slack.replies(scene.ops, root)).length === 2)
})

verifies(
  ['chat:slack', 'chat:inbound-durable'],
  'Slack: a mention that is added by an edit counts; files are named, even in a message without text',
  async () => {
    await using scene = await startSlackSceneOn(await sharedApp(), () => ({ text: 'Yes.' }))
    const said = { user: scene.kim, channel: scene.ops, text: 'paid?', ts: '1700000000.000100' }
    await scene.deliver(slackMessage(said))
    await scene.deliver(slackMessage({ ...said, text: `<@${botUserId}> paid?` }, 'app_mention'))
    await until(async () => (await scene.slack.replies(scene.ops, said.ts)).length === 1)
    const file = { text: '', ts: '1700000000.000200', thread_ts: said.ts, files: [{ name: 'invoice.pdf' }] }
    await scene.deliver(slackMessage({ ...said, ...file }))
    await until(async () => (await scene.slack.replies(scene.ops, said.ts)).length === 2)
    const { items } = await scene.app.get<Page<Message>>(`/api/v1/channels/${scene.channel.id}/messages`)
    assert.deepEqual(
      items.filter(({ author }) => author.kind === 'user').map(({ text }) => text),
      ['[Attached: invoice.pdf]', '@bellhop paid?'],
    )
  },
)

verifies(
  'chat:slack',
  'Slack: the agent reads what people wrote, not what its signs might mean',
  async () => {
    await using scene = await startSlackSceneOn(await sharedApp(), () => ({ text: 'Yes.' }))
    const texts: [written: string, read: string][] = [
      ['2 * 3 * 4 and a*b*c', '2 * 3 * 4 and a*b*c'],
      ['*Now* or ~never~, (*soon*)', '**Now** or ~~never~~, (**soon**)'],
      ['run `0 * * * *` and `*/5 ~ ~a~`', 'run `0 * * * *` and `*/5 ~ ~a~`'],
      ['```rm *.a *.b```', '\n```\nrm *.a *.b\n```'],
      ['<https://a.example/~kim/~b/*/*|the page>', '[the page](https://a.example/~kim/~b/*/*)'],
      ['<mailto:kim@a.example|kim@a.example> <tel:+4930123|030 123>', 'kim@a.example 030 123'],
      ['<!here> <!subteam^S1|@eng> <!date^1392734382^{date}|Tuesday>', '@here @eng Tuesday'],
      ['&lt;!here&gt; a &amp;amp; b', '<!here> a &amp; b'],
    ]
    for (const [n, [text]] of texts.entries()) {
      const said = { user: scene.kim, channel: scene.ops, ts: `1700000000.00010${n}` }
      await scene.deliver(slackMessage({ ...said, text: `<@${botUserId}> ${text}` }, 'app_mention'))
    }
    const read = async () => {
      const { items } = await scene.app.get<Page<Message>>(`/api/v1/channels/${scene.channel.id}/messages`)
      return items.filter(({ author }) => author.kind === 'user').map(({ text }) => text)
    }
    await until(async () => (await read()).length === texts.length)
    assert.deepEqual((await read()).toSorted(), texts.map(([, text]) => `@bellhop ${text}`).toSorted())
  },
)

verifies(
  'chat:inbound-verified',
  'only requests that Slack signed recently over exactly these bytes are accepted',
  async () => {
    await using scene = await startSlackSceneOn(await sharedApp())
    const body = slackMessage({
      user: scene.kim,
      channel: scene.ops,
      text: `<@${botUserId}> hi`,
      ts: '1700000000.000100',
    })
    const now = Math.floor(Date.now() / 1000)
    const spoiled: [string, Record<string, string>][] = [
      [body, {}],
      [`${body} `, signSlack(body)],
      [body, signSlack(body, now, 'another secret')],
      [body, signSlack(body, now - 320)],
      [body, signSlack(body, now + 320)],
      [body, { ...signSlack(body), 'x-slack-signature': 'v0=' }],
      [body, { ...signSlack(body), 'x-slack-request-timestamp': 'soon' }],
    ]
    for (const [text, headers] of spoiled) {
      const answer = await scene.deliver(text, headers)
      assert.equal(answer.status, 401)
      assert.equal(((await answer.json()) as { type: string }).type, 'chat-signature-invalid')
    }
    const challenge = await scene.deliver('{"type":"url_verification","challenge":"abc"}')
    assert.deepEqual(await challenge.json(), { challenge: 'abc' })
    assert.deepEqual(await scene.runs(), [])
    const elsewhere = await fetch(`${scene.app.url}/chat/telegram/${scene.workspace.id}`, {
      method: 'POST',
      body,
    })
    assert.equal(elsewhere.status, 404)
  },
)

const refund = { calls: [{ name: 'shop__refund', input: { id: 'A-1' } }] }

verifies(
  [
    'chat:slack',
    'chat:cards',
    'chat:unlinked-click-refused',
    'accounts:linked-chat-identity',
    'chat:only-buttons-decide',
  ],
  'a write waits for an admin’s click on its card: unlinked people, members, other channels and workspaces are refused, a typed yes does nothing, and the card shows the outcome',
  async () => {
    await using scene = await startSlackSceneOn(await sharedApp(), (_request, index) =>
      index === 0 ? refund : { text: 'Refunded.' },
    )
    const { slack, ops, kim } = scene
    const webhook = await scene.createWebhook({ channelId: scene.channel.id })
    const { runId } = await scene.sendEvent(webhook)
    await scene.runWhen(runId, ({ status }) => status === 'waiting')
    await until(async () => (await slack.history(ops)).length === 1)
    const [card] = await slack.history(ops)
    const button = card?.blocks?.flatMap(({ elements = [] }) => elements).find(({ value }) => value)
    assert.match(JSON.stringify(card?.blocks), /POST .*\/orders\/A-1\/refund/)
    assert.doesNotMatch(JSON.stringify(card), /planted-shop-token/)
    assert.match(JSON.stringify(card?.blocks), /\/policies\/new\?approval=apr_/)
    const press = (action = 'bellhop_approve') =>
      scene.deliver(
        slackClick({ user: kim, channel: ops, ts: card?.ts ?? '', action, value: button?.value ?? '' }),
      )
    const hints = () => slack.callsOf('chat.postEphemeral').map(({ body }) => body.text ?? '')
    const state = async () =>
      (await scene.app.get<Page<ApprovalShape>>('/api/v1/approvals?limit=100')).items
        .filter((approval) => approval.runId === runId)
        .map(({ status }) => status)

    await press()
    await until(() => hints().length === 1)
    assert.match(hints()[0] ?? '', /link code/)
    const member = await join(scene.app, 'member')
    const link = (userId: string) =>
      scene.app.api('PUT', `/api/v1/workspaces/${scene.workspace.id}/identities/${kim}`, { userId })
    assert.equal((await link(member.id)).status, 204)
    await press()
    await until(() => hints().length === 2)
    assert.match(hints()[1] ?? '', /Only an admin/)
    await scene.deliver(
      slackMessage({ user: kim, channel: ops, text: 'yes', ts: '1700000009.1', thread_ts: card?.ts ?? '' }),
    )
    assert.deepEqual(await state(), ['pending'])
    assert.equal((await slack.history(ops))[0]?.text, card?.text, 'the card is as it was')

    const admin = await join(scene.app, 'admin')
    await link(admin.id)
    const click = {
      user: kim,
      channel: ops,
      ts: card?.ts ?? '',
      action: 'bellhop_approve',
      value: button?.value ?? '',
    }
    const general = await slack.channelId('general')
    await scene.deliver(slackClick({ ...click, team: 'T000000002' }))
    await scene.deliver(`${slackClick(click)}${'&x=1'.repeat(200_000)}`)
    await scene.deliver(slackClick({ ...click, channel: general }))
    await until(() => hints().length === 3)
    assert.match(hints()[2] ?? '', /another channel/)
    const other = await connectSlack(scene.app, slack)
    await scene.app.api('PUT', `/api/v1/workspaces/${other.id}/identities/${kim}`, { userId: admin.id })
    const signed = slackClick(click)
    const headers = { 'content-type': 'application/x-www-form-urlencoded', ...signSlack(signed) }
    await fetch(`${scene.app.url}/chat/slack/${other.id}`, { method: 'POST', headers, body: signed })
    await until(() => hints().length === 4)
    assert.match(hints()[3] ?? '', /another channel/)
    assert.equal((await scene.app.api('DELETE', `/api/v1/workspaces/${other.id}`)).status, 204)
    assert.deepEqual(await state(), ['pending'])

    await press()
    const run = await scene.endedRun(runId)

    assert.equal(run.status, 'succeeded')
    assert.equal(scene.target.seen.filter(({ method }) => method === 'POST').length, 1)
    await until(async () => JSON.stringify((await slack.history(ops))[0]?.blocks).includes('Approved'))
    const [shown] = await slack.history(ops)
    assert.match(JSON.stringify(shown?.blocks), /The admin/)
    assert.doesNotMatch(JSON.stringify(shown?.blocks), /bellhop_approve/)
    await press('bellhop_deny')
    await until(() => hints().length === 5)
    assert.match(hints()[4] ?? '', /already/)
  },
)

verifies(
  'chat:channel-stays-deleted',
  'a deleted channel stays deleted whatever is written there; who calls the agent is told so, and a refresh brings it back with its connectors',
  async () => {
    await using scene = await startSlackSceneOn(await sharedApp(), () => ({ text: 'Paid.' }))
    const { app, slack, ops, kim, channel } = scene
    const path = `/api/v1/channels/${channel.id}`
    const mention = (ts: string) =>
      scene.deliver(
        slackMessage({ user: kim, channel: ops, text: `<@${botUserId}> paid?`, ts }, 'app_mention'),
      )
    const hints = () => slack.callsOf('chat.postEphemeral')
    assert.equal((await app.api('PATCH', path, { connectorIds: [] })).status, 200)
    assert.equal((await app.api('DELETE', path)).status, 204)

    await scene.deliver(slackMessage({ user: kim, channel: ops, text: 'lunch?', ts: '1700000001.1' }))
    await mention('1700000002.1')
    await until(() => hints().length === 1)
    assert.match(hints()[0]?.body.text ?? '', /was removed from Bellhop.*Refresh channels/)
    assert.equal((await app.api('GET', path)).status, 404)
    assert.equal((await scene.runs()).length, 0)

    assert.equal((await app.api('POST', `/api/v1/workspaces/${scene.workspace.id}/refresh`)).status, 200)
    assert.deepEqual((await app.get<Channel>(path)).connectorIds, [])
    await mention('1700000003.1')
    await until(async () => (await slack.replies(ops, '1700000003.1')).length === 1)
    assert.equal(hints().length, 1)
  },
)

verifies(
  ['chat:slack', 'chat:strangers'],
  'Slack: in a channel shared with another organisation, its people are told that they are not known; ours are answered, whoever owns the channel',
  async () => {
    await using scene = await startSlackSceneOn(await sharedApp(), () => ({ text: 'Paid.' }))
    const { slack, ops, kim } = scene
    const say = (ts: string, shared: { owner: string; team: string }, type?: 'app_mention') =>
      scene.deliver(
        slackMessage({ user: kim, channel: ops, text: `<@${botUserId}> paid?`, ts, shared }, type),
      )
    const hints = () => slack.callsOf('chat.postEphemeral')
    // A mention does not contain the team, and may arrive first.
    for (const type of ['app_mention', undefined] as const) {
      await say('1700000001.1', { owner: teamId, team: 'T000000009' }, type)
      await say('1700000003.1', { owner: 'T000000009', team: teamId }, type)
    }
    await until(() => hints().length === 1)
    assert.match(hints()[0]?.body.text ?? '', /only answer people with a linked account/)
    await until(async () => (await slack.replies(ops, '1700000003.1')).length === 1)
    assert.equal((await scene.runs()).length, 1)
  },
)

verifies(
  ['chat:slack', 'chat:outbound-idempotent'],
  'Slack: the app joins the channel it posts to, if allowed; a post that cannot be searched for counts as uncertain',
  async () => {
    await using scene = await startSlackSceneOn(await sharedApp(), () => ({ text: 'Paid.' }))
    const { slack, ops } = scene
    const webhook = await scene.createWebhook({ channelId: scene.channel.id })
    slack.fault = ({ method }) => {
      if (method === 'conversations.join') return { error: 'missing_scope' }
      return method === 'chat.postMessage' ? 'lose-answer' : null
    }
    const lost = await scene.endedRun((await scene.sendEvent(webhook)).runId)
    assert.equal(lost.error?.code, 'reply_ambiguous', lost.error?.message)
    assert.equal(slack.callsOf('chat.postMessage').length, 1)
    assert.ok(!slack.joined.has(ops))

    slack.fault = () => null
    const other = await slack.channelId('general')
    const { items } = await scene.app.get<Page<{ id: string; externalId: string }>>(
      `/api/v1/channels?workspaceId=${scene.workspace.id}&limit=100`,
    )
    const channelId = items.find(({ externalId }) => externalId === other)?.id
    let lostOnce = false
    slack.fault = ({ method }) => {
      if (method !== 'chat.postMessage' || lostOnce) return null
      lostOnce = true
      return 'lose-answer'
    }
    const found = await scene.endedRun(
      (await scene.sendEvent(await scene.createWebhook({ channelId }))).runId,
    )
    assert.equal(found.status, 'succeeded', found.error?.message)
    assert.ok(slack.joined.has(other))
    assert.equal((await slack.history(other)).length, 1)
  },
)

verifies('chat:slack', 'Slack: a reply that does not fit into blocks is posted as plain text', async () => {
  // Slack counts each of these characters as two.
  const text = '"\n'.repeat(5400)
  await using scene = await startSlackSceneOn(await sharedApp(), () => ({ text: `Look: ${text}` }))
  const webhook = await scene.createWebhook({ channelId: scene.channel.id })
  const run = await scene.endedRun((await scene.sendEvent(webhook)).runId)
  assert.equal(run.status, 'succeeded', run.error?.message)
  const [shown] = await scene.slack.history(scene.ops)
  assert.match(shown?.text ?? '', /^Look: "\n"/)
  assert.equal(shown?.blocks, undefined)
})

verifies(
  'accounts:linked-chat-identity',
  'a person links their account with a one-time code in a direct message; an old one, a second use and guesses are refused',
  async () => {
    await using scene = await startSlackSceneOn(await sharedApp(), () => ({
      text: 'That is for a direct message.',
    }))
    const { slack, kim, ops } = scene
    const admin = await join(scene.app, 'admin')
    const newCode = async () =>
      (await admin.visitor.send<{ text: string }>('POST', '/chat-accounts/code')).body.text
    const { channel } = await slack.ask<{ channel: { id: string } }>('conversations.open', { users: kim })
    let n = 0
    const tell = (text: string) =>
      scene.deliver(slackMessage({ user: kim, channel: channel.id, text, ts: `170000000${++n}.1`, im: true }))
    const told = () =>
      slack
        .callsOf('chat.postMessage')
        .filter(({ body }) => body.channel === channel.id)
        .map(({ body }) => body.text)

    const old = await newCode()
    await sql`update chat_link_codes set expires_at = now()`.execute(scene.app.app.ctx.db)
    await tell(old)
    await until(() => told().length === 1)
    const code = await newCode()
    // In a channel it is not a code but an ordinary message.
    const inChannel = { user: kim, channel: ops, text: `<@${botUserId}> ${code}`, ts: '1700000000.000100' }
    await scene.deliver(slackMessage(inChannel, 'app_mention'))
    await until(async () => (await slack.replies(ops, inChannel.ts)).length === 1)
    await tell(code)
    await until(() => told().length === 2)
    await tell(code)
    await until(() => told().length === 3)
    for (let guess = 0; guess < 4; guess++) await tell('link AAAAAAAA')
    await until(() => told().length === 7)

    assert.match(told()[0] ?? '', /no longer valid/)
    assert.match(told()[1] ?? '', /linked to The admin \(admin\)/)
    assert.match(told()[2] ?? '', /no longer valid/)
    assert.ok(told().some((text) => /Too many/.test(text ?? '')))

    // It expires after ten minutes.
    const { db } = scene.app.app.ctx
    await sql`
      insert into chat_link_attempts (workspace_id, external_id, attempts, since)
      values (${scene.workspace.id}, 'U0OTHER', 9, now())`.execute(db)
    await sql`update chat_link_attempts set since = since - interval '10 minutes'`.execute(db)
    await tell('link AAAAAAAA')
    await until(() => told().length === 8)
    assert.match(told()[7] ?? '', /no longer valid/)
    const { rows: attempts } = await sql`
      select external_id, attempts from chat_link_attempts where workspace_id = ${scene.workspace.id}`.execute(
      db,
    )
    assert.deepEqual(attempts, [{ externalId: kim, attempts: 1 }])
    const mine = async () =>
      (await admin.visitor.send<Page<{ externalId: string }>>('GET', '/chat-accounts')).body.items.map(
        ({ externalId }) => externalId,
      )
    assert.deepEqual(await mine(), [kim])
    const audit = await scene.app.get<Page<{ actor: { id: string }; subject: string; detail: unknown }>>(
      `/api/v1/audit?action=chat_account.linked&actorId=${admin.id}`,
    )
    assert.partialDeepStrictEqual(audit.items, [
      { actor: { id: admin.id }, subject: admin.id, detail: { externalId: kim } },
    ])

    const leaving = await join(scene.app, 'member')
    const path = `/workspaces/${scene.workspace.id}/identities/${kim}`
    assert.equal((await leaving.visitor.send('DELETE', path)).status, 404, 'it is somebody else’s')
    assert.deepEqual(await mine(), [kim])
    const late = await askDuring(
      scene.app.app.ctx.db,
      (tx) => sql`delete from users where id = ${leaving.id}`.execute(tx),
      () =>
        scene.app.api('PUT', `/api/v1/workspaces/${scene.workspace.id}/identities/U0LATE`, {
          userId: leaving.id,
        }),
    )
    assert.equal(late.status, 422, 'a user who is being deleted is linked to nothing')

    // A workspace that webhooks post to cannot be deleted; deleting one removes its linked accounts.
    const drop = async () =>
      (await scene.app.api('DELETE', `/api/v1/workspaces/${scene.workspace.id}`)).status
    const webhook = await scene.createWebhook({ channelId: scene.channel.id })
    assert.equal(await drop(), 409)
    await scene.app.api('DELETE', `/api/v1/webhooks/${webhook.id}`)
    assert.deepEqual([await drop(), await drop()], [204, 404])
    assert.deepEqual(await mine(), [])
  },
)

verifies('chat:splitting', 'a reply longer than a message is continued in its thread', async () => {
  const text = Array.from({ length: 40 }, (_, n) => `## Part ${n}\n\n${'word '.repeat(150)}`).join('\n\n')
  await using scene = await startSlackSceneOn(await sharedApp(), () => ({ text }))
  const webhook = await scene.createWebhook({ channelId: scene.channel.id })
  const run = await scene.endedRun((await scene.sendEvent(webhook)).runId)

  const [first, ...others] = await scene.slack.history(scene.ops)
  const rest = await scene.slack.replies(scene.ops, first?.ts ?? '')
  assert.equal(run.status, 'succeeded')
  assert.deepEqual(others, [])
  assert.ok(rest.length >= 2)
  const whole = [first, ...rest].map((message) => String(message?.blocks?.[0]?.text)).join('\n\n')
  assert.equal(whole.replaceAll(/\s+/g, ' '), text.replaceAll(/\s+/g, ' ').trim())
  assert.ok(scene.slack.callsOf('chat.postMessage').every(({ body }) => body.unfurl_links === 'false'))
  assert.match(run.reply?.permalink ?? '', /^http/)
})

verifies(
  ['chat:splitting', 'chat:slack', 'chat:outbound-idempotent'],
  'Slack: a table of more than 100 rows comes as its beginning and a CSV file, once; without files:write in messages',
  async () => {
    const rows = Array.from({ length: 150 }, (_, n) => `| ${n + 1} | =cmd(${n}) | a \\| b, "c" |`)
    const text = [
      'Here they are:',
      '',
      '| id | name | note |',
      '| --- | --- | --- |',
      ...rows,
      '',
      'That is all.',
    ].join('\n')
    await using scene = await startSlackSceneOn(await sharedApp(), () => ({ text }))
    const { slack, ops, kim } = scene
    let lost = 0
    // The answer to the upload is lost: Slack has the file, and it is found there.
    slack.fault = ({ method }) =>
      method === 'files.completeUploadExternal' && lost++ === 0 ? 'lose-answer' : null
    const ask = (ts: string) =>
      scene.deliver(
        slackMessage({ user: kim, channel: ops, text: `<@${botUserId}> all orders?`, ts }, 'app_mention'),
      )
    const root = '1700000000.000100'
    slack.joined.add(ops)
    await ask(root)
    await until(async () => (await scene.runs())[0]?.status === 'succeeded')
    const posted = (await slack.replies(ops, root)) as (SlackMessage & {
      files?: { name: string; url_private: string }[]
    })[]
    assert.equal(posted.length, 2)
    const shown = JSON.stringify(posted[0]?.blocks)
    assert.match(
      shown,
      /Here they are.*\| 10 \|.*The first 10 of 150 rows\. All of them are in table-1-\w{8}\.csv\..*That is all/,
    )
    assert.doesNotMatch(shown, /\| 11 \|/)
    const [file] = posted[1]?.files ?? []
    assert.match(file?.name ?? '', /^table-1-\w{8}\.csv$/)
    const uploads = slack.calls.filter(({ method }) => method.startsWith('/upload/'))
    assert.equal(uploads.length, 1)

    slack.fault = ({ method }) =>
      method === 'files.getUploadURLExternal' ? { error: 'missing_scope', needed: 'files:write' } : null
    const second = '1700000000.000200'
    await ask(second)
    await until(async () => (await scene.runs()).filter(({ status }) => status === 'succeeded').length === 2)
    const instead = (await slack.replies(ops, second)).map(({ blocks }) => JSON.stringify(blocks))
    assert.ok(instead.length >= 2)
    assert.match(instead.join(), /1,'=cmd\(0\),\\"a \| b, \\"\\"c\\"\\"\\"/)
    assert.match(instead.join(), /150,/)
  },
)

verifies(
  ['chat:tokens-sealed', 'chat:workspace-health', 'chat:slack'],
  'secrets of a workspace never come back; its health, a test message and its manifest are there',
  async () => {
    await using scene = await startSlackSceneOn(await sharedApp())
    const { workspace, app } = scene
    assert.equal(workspace.name, 'Acme')
    const credentials = { botToken: { set: true }, signingSecret: { set: true }, appToken: { set: false } }
    assert.deepEqual(workspace.credentials, credentials)

    const sent = await app.api('POST', `/api/v1/workspaces/${workspace.id}/test`, {
      channelId: scene.channel.id,
    })
    await scene.deliver('{"type":"event_callback","event":{"type":"reaction_added"}}')
    const shown = await app.api<Workspace>('GET', `/api/v1/workspaces/${workspace.id}`)
    const manifest = await app.api('GET', `/api/v1/workspaces/${workspace.id}/manifest`)

    assert.equal(sent.status, 200, sent.text)
    assert.match((await scene.slack.history(scene.ops))[0]?.text ?? '', /test message/)
    assert.equal(shown.body.status, 'connected')
    assert.ok(shown.body.lastPostAt && shown.body.lastEventAt)
    assert.ok(!shown.text.includes(botToken) && !shown.text.includes(signingSecret))
    assert.match(manifest.text, new RegExp(`/chat/slack/${workspace.id}`))
    assert.deepEqual(faultsOf(manifest.body), [])
    const moved = await app.api('PATCH', `/api/v1/workspaces/${workspace.id}`, {
      apiUrl: 'https://other.example/',
    })
    assert.equal(
      ((await app.get<Workspace>(`/api/v1/workspaces/${workspace.id}`)) as Workspace).status,
      'draft',
      moved.text,
    )
  },
)

verifies(
  'chat:workspace-health',
  'nothing is read from or sent to a workspace that is a draft again, and the answer says what is missing',
  async () => {
    await using scene = await startSlackSceneOn(await sharedApp())
    const { app, workspace } = scene
    type Refused = { type: string; detail: string }
    const ask = (path: string, body?: object) =>
      app.api<Refused>('POST', `/api/v1/workspaces/${workspace.id}${path}`, body)
    await app.api('PATCH', `/api/v1/workspaces/${workspace.id}`, { botToken: null })
    const calls = scene.slack.calls.length
    for (const refused of [await ask('/refresh'), await ask('/test', { channelId: scene.channel.id })]) {
      assert.deepEqual([refused.status, refused.body.type], [422, 'workspace-unreachable'], refused.text)
      assert.match(refused.body.detail, /draft/)
    }
    assert.equal(scene.slack.calls.length, calls)
    for (const platform of externalPlatforms) {
      const draft = await app.api<Workspace>('POST', '/api/v1/workspaces', { platform, name: platform })
      const refused = await app.api<Refused>('POST', `/api/v1/workspaces/${draft.body.id}/refresh`)
      assert.deepEqual([refused.status, refused.body.type], [422, 'workspace-unreachable'], platform)
    }
  },
)

verifies(
  'chat:workspace-health',
  'concurrent changes of a workspace by two admins are both kept; an address that is not Slack is reported',
  async () => {
    const together = Promise.withResolvers<void>()
    const asked: string[] = []
    await using target = await startTarget(async ({ url, headers }, response) => {
      const say = (answer: unknown) =>
        response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
      if (url !== '/api/auth.test') return void say({ ok: true, channels: [] })
      asked.push(headers.authorization ?? '')
      // The first lookup creates the workspace; the next two updates have both read the same state.
      if (asked.length === 3) together.resolve()
      if (asked.length > 1) await together.promise
      say({ ok: true, team: 'Acme', team_id: 'T1', user_id: 'U1' })
    })
    await using app = await startTestApp({ env: { EGRESS_PRIVATE_EXCEPTIONS: target.pair } })
    const slack = { platform: 'slack', botToken, signingSecret }
    const made = await app.api<Workspace>('POST', '/api/v1/workspaces', {
      ...slack,
      apiUrl: `${target.origin}/api/`,
    })
    const path = `/api/v1/workspaces/${made.body.id}`
    const both = [{ botToken: 'xoxb-new' }, { signingSecret: 'new secret' }].map((change) =>
      app.api('PATCH', path, change),
    )
    assert.deepEqual(
      (await Promise.all(both)).map(({ status }) => status),
      [200, 200],
    )
    await app.api('POST', `${path}/refresh`)
    assert.equal(target.seen.at(-1)?.headers.authorization, 'Bearer xoxb-new')
    const body = '{"type":"url_verification","challenge":"abc"}'
    const events = `${app.url}/chat/slack/${made.body.id}`
    const deliver = (secret: string) =>
      fetch(events, { method: 'POST', headers: signSlack(body, undefined, secret), body })
    assert.equal((await deliver('new secret')).status, 200)
    assert.equal((await deliver(signingSecret)).status, 401)

    const odd = await app.api('POST', '/api/v1/workspaces', { ...slack, apiUrl: `${target.origin}/odd/` })
    assert.equal(odd.status, 422, odd.text)
    assert.match(odd.text, /does not behave like the platform/)
  },
)

verifies('chat:workspace-health', 'a revoked token is shown at once, and a new one reconnects', async () => {
  await using scene = await startSlackSceneOn(await sharedApp())
  const { app, workspace } = scene
  const body = JSON.stringify({
    type: 'event_callback',
    team_id: 'T000000001',
    event: { type: 'tokens_revoked' },
  })
  await scene.deliver(body)
  const status = async () => (await app.get<Workspace>(`/api/v1/workspaces/${workspace.id}`)).status
  assert.equal(await status(), 'revoked')
  scene.slack.fault = () => ({ error: 'invalid_auth' })
  const refused = await app.api('PATCH', `/api/v1/workspaces/${workspace.id}`, { botToken: 'xoxb-wrong' })
  scene.slack.fault = () => null
  assert.equal(refused.body.type, 'workspace-unreachable')
  // Slack may install an app with less than its manifest asks for.
  const { scopes } = scene.slack
  scene.slack.scopes = scopes.replace('channels:history,', '').replace('channels:join,', '')
  const partial = await app.api('PATCH', `/api/v1/workspaces/${workspace.id}`, { botToken })
  scene.slack.scopes = scopes
  assert.match(partial.text, /is missing the permissions channels:history\. Update it with the manifest/)
  await app.api('PATCH', `/api/v1/workspaces/${workspace.id}`, { botToken })
  assert.equal(await status(), 'connected')
})

verifies(
  ['rules:one-thread-per-key', 'rules:closes', 'chat:slack'],
  'Slack: events with one key are in one thread, whose first message is edited or gets a check mark; one that people deleted is opened anew',
  async () => {
    await using scene = await startSlackSceneOn(await sharedApp())
    const { slack, ops } = scene
    const webhook = await scene.createWebhook({
      channelId: scene.channel.id,
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
    const top = async () =>
      (await slack.history(ops)).filter(({ ts, thread_ts: thread }) => !thread || thread === ts)
    await sendEvent({ k: 1, t: 'one' })
    await sendEvent({ k: 1, t: 'two' })
    const [first] = await top()
    assert.ok(first)
    assert.equal((await top()).length, 1)
    assert.equal((await slack.replies(ops, first.ts)).length, 1)

    await sendEvent({ k: 1, s: 'closed' })
    const edited = slack.callsOf('chat.update').at(-1)
    assert.equal(edited?.body.ts, first.ts)
    assert.match(JSON.stringify(edited?.body), /✅ \*\*Resolved\*\*/)
    assert.equal(slack.callsOf('reactions.add').length, 0)

    await sendEvent({ k: 2, t: 'three' })
    slack.fault = ({ method }) => (method === 'chat.update' ? { error: 'edit_window_closed' } : null)
    await sendEvent({ k: 2, s: 'closed' })
    const [, third] = await top()
    assert.deepEqual(
      slack.callsOf('reactions.add').map(({ body }) => [body.timestamp, body.name]),
      [[third?.ts, 'white_check_mark']],
    )

    slack.fault = ({ method }) => (method === 'conversations.replies' ? { error: 'thread_not_found' } : null)
    await sendEvent({ k: 1, t: 'four' })
    slack.fault = () => null
    await sendEvent({ k: 1, t: 'five' })
    const all = await top()
    assert.equal(all.length, 3, JSON.stringify(all))
    assert.equal((await slack.replies(ops, all[2]?.ts ?? '')).length, 1)

    slack.fault = ({ method }) => (method === 'chat.postMessage' ? { error: 'restricted_action' } : null)
    const refused = await scene.sendEvent(webhook, { k: 3, t: 'six' })
    const read = () => scene.app.get<{ status: string }>(`/api/v1/events/${refused.eventId}`)
    await until(async () => (await read()).status === 'failed')
    const gone = await scene.app.api<{ detail: string }>('GET', `/api/v1/runs/${refused.runId}`)
    assert.equal(gone.status, 410, gone.text)
    assert.match(gone.body.detail, /was to be told by rule 2 \(true\), which could not be posted/)
  },
)
