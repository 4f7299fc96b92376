import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { upsertExternalChannel } from '../../src/chat/channels/store.ts'
import type { Message } from '../../src/chat/contract.ts'
import { storeEvents } from '../../src/chat/delivery/inbound/store-events.ts'
import { insertParts, leasePart, savePart } from '../../src/chat/delivery/outbound/store.ts'
import { insertMessage } from '../../src/chat/store.ts'
import type { RunShape, RunSummary } from '../../src/runs/contract.ts'
import { newId } from '../../src/shared/ids.ts'
import { join } from '../accounts/visitor.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startShopOn } from '../support/start-shop.ts'
import { startTarget } from '../support/start-target.ts'
import { loopback, startTestApp, type TestApp } from '../support/start-test-app.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'
import { bot, discordConnection, startDiscord } from './support/start-discord.ts'
import { mattermostConnection, startMattermost } from './support/start-mattermost.ts'
import { startPlatformSceneOn } from './support/start-platform-scene.ts'
import { botUserId, slackClick, slackMessage } from './support/start-slack.ts'
import { startSlackSceneOn } from './support/start-slack-scene.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

type Page<T> = { items: T[] }

const startAnswering = () => startStubAnthropic(() => ({ text: 'It was paid.' }))

/** Whether all thumbs of one person to one message have been read. */
async function hasReadThumbs({ app }: TestApp, ofOne: string, count: number): Promise<boolean> {
  const { rows } = await sql`
    select from inbound_messages where thread_key = ${`thumb ${ofOne}`} and state = 'done'`.execute(
    app.ctx.db,
  )
  return rows.length === count
}

const kinds = ({ thumbs }: { thumbs: RunShape['thumbs'] }) => thumbs?.map(({ thumb }) => thumb)

verifies(
  ['thumbs:one', 'thumbs:shown'],
  'each person rates a reply once; a thumb can be changed and withdrawn, says why, and is shown wherever the reply is',
  async () => {
    await using model = await startAnswering()
    await using shop = await startShopOn(await sharedApp(), { model })
    const { app } = shop
    const webhook = await shop.createWebhook()
    const { runId } = await shop.sendEvent(webhook)
    const other = await shop.sendEvent(webhook)
    assert.deepEqual((await shop.endedRun(runId)).thumbs, [])
    await shop.endedRun(other.runId)
    const path = `/runs/${runId}/thumb`
    const [kim, ada] = [await join(app, 'member'), await join(app, 'member')]

    assert.equal((await kim.visitor.send('PUT', path, { thumb: 'up' })).status, 200)
    const down = { thumb: 'down', reason: 'incorrect', note: 'The order was refunded.' }
    assert.equal((await ada.visitor.send('PUT', path, down)).status, 200)
    const changed = await kim.visitor.send<RunShape>('PUT', path, { thumb: 'down' })
    const shown = changed.body.thumbs?.map(({ person, thumb, reason, note }) => ({
      id: person.id,
      thumb,
      reason,
      note,
    }))
    const expected = [
      { id: kim.id, thumb: 'down', reason: null, note: null },
      { id: ada.id, ...down },
    ]
    assert.deepEqual(
      shown?.toSorted((a, b) => a.id.localeCompare(b.id)),
      expected.toSorted((a, b) => a.id.localeCompare(b.id)),
    )

    const message = (await shop.messages()).find((one) => one.runId === runId)
    const { thumbs } = await app.get<Message>(`/api/v1/messages/${message?.id}`)
    assert.deepEqual(thumbs, changed.body.thumbs)
    const found = async (thumb: string) =>
      (await app.get<Page<RunSummary>>(`/api/v1/runs?webhookId=${webhook.id}&thumb=${thumb}`)).items
    assert.deepEqual(
      (await found('down')).map((run) => [run.id, run.thumbs]),
      [[runId, thumbs]],
    )
    assert.deepEqual(await found('up'), [])

    assert.equal((await ada.visitor.send('DELETE', path)).status, 200)
    const withdrawn = await ada.visitor.send<RunShape>('DELETE', path)
    assert.deepEqual(
      withdrawn.body.thumbs?.map(({ person }) => person.id),
      [kim.id],
    )
    assert.equal((await ada.visitor.send('PUT', path, { thumb: 'up', reason: 'incorrect' })).status, 422)
    assert.equal((await ada.visitor.send('PUT', path, { thumb: 'sideways' })).status, 422)
    const dry = await app.api<RunShape>('POST', `/api/v1/events/${other.eventId}/replay`, { dryRun: true })
    assert.equal((await shop.endedRun(dry.body.id)).thumbs, null)
    const none = await ada.visitor.send('PUT', `/runs/${dry.body.id}/thumb`, { thumb: 'up' })
    assert.equal(none.status, 404)
  },
)

verifies('thumbs:erased', 'erasing an event erases the thumbs of its reply with their reasons', async () => {
  await using model = await startAnswering()
  await using shop = await startShopOn(await sharedApp(), { model })
  const { eventId, runId } = await shop.sendEvent(await shop.createWebhook())
  await shop.endedRun(runId)
  const note = `a secret note ${crypto.randomUUID()}`
  const rated = await shop.app.api('PUT', `/api/v1/runs/${runId}/thumb`, { thumb: 'down', note })
  assert.equal(rated.status, 200, rated.text)
  assert.equal((await shop.app.api('DELETE', `/api/v1/events/${eventId}`)).status, 204)
  assert.equal((await shop.readRun(runId)).thumbs, null)
  const everything = JSON.stringify([await shop.messages(), await shop.readRun(runId)])
  assert.ok(!everything.includes(note))
  assert.equal((await shop.app.api('PUT', `/api/v1/runs/${runId}/thumb`, { thumb: 'up' })).status, 404)
})

verifies(
  'thumbs:slack',
  'Slack: the buttons below a reply rate it, a thumb down asks that person why, and the answer is kept',
  async () => {
    const scene = await startSlackSceneOn(await sharedApp(), () => ({ text: 'It was **paid**.' }))
    await using _ = scene
    const { slack, ops, kim } = scene
    await using hooks = await startTarget((_request, response) => void response.end('ok'))
    const ts = '1700000000.000100'
    await scene.deliver(
      slackMessage({ user: kim, channel: ops, text: `<@${botUserId}> A-1?`, ts }, 'app_mention'),
    )
    await until(async () => (await slack.replies(ops, ts)).length === 1)
    const [reply] = await slack.replies(ops, ts)
    const buttons = reply?.blocks?.find(({ type }) => type === 'context_actions')?.elements?.[0] as {
      action_id: string
      positive_button: { value: string }
      negative_button: { value: string }
    }
    const runs = await scene.app.get<Page<RunSummary>>(`/api/v1/runs?channelId=${scene.channel.id}`)
    const run = runs.items[0]
    assert.ok(run && reply)
    const rated = async () => (await scene.readRun(run.id)).thumbs
    const press = (action: string, value: string, at = reply.ts) =>
      scene.deliver(slackClick({ user: kim, channel: ops, ts: at, action, value, respond: hooks.origin }))

    await press(buttons.action_id, buttons.positive_button.value)
    await until(async () => (await rated())?.[0]?.thumb === 'up')
    assert.equal((await rated())?.[0]?.person.name, 'kim')
    assert.equal(slack.callsOf('chat.postEphemeral').length, 0)

    await press(buttons.action_id, buttons.negative_button.value)
    await until(() => slack.callsOf('chat.postEphemeral').length === 1)
    assert.deepEqual(kinds({ thumbs: await rated() }), ['down'])
    const [asked] = slack.callsOf('chat.postEphemeral')
    assert.deepEqual([asked?.body.user, asked?.body.channel], [kim, ops])
    const reasons = (JSON.parse(asked?.body.blocks ?? '[]') as SlackBlocks).flatMap(
      ({ elements = [] }) => elements,
    )
    const incorrect = reasons.find(({ text }) => text.text === 'Incorrect')
    assert.ok(incorrect?.action_id && incorrect.value)
    // Somebody without an account could not open a page.
    assert.ok(reasons.every(({ url }) => url === undefined))

    // The question itself has a number of its own.
    await press(incorrect.action_id, incorrect.value, '1700000055.000100')
    await until(async () => (await rated())?.[0]?.reason === 'incorrect')
    await until(() => hooks.seen.length === 1)
    assert.match(hooks.seen[0]?.body ?? '', /Thanks.*replace_original/)
    // A member of another organization is not answered in a shared channel, and rates nothing.
    await scene.deliver(
      slackClick({
        user: 'U0FOREIGN',
        userTeam: 'T0FOREIGN',
        channel: ops,
        ts: reply.ts,
        action: buttons.action_id,
        value: buttons.positive_button.value,
      }),
    )
    await until(() => hasReadThumbs(scene.app, `${ops}:${reply.ts}:U0FOREIGN`, 1))
    await press(buttons.action_id, 'sideways')
    await press('bellhop_why_incorrect', 'no message')
    await press(buttons.action_id, buttons.positive_button.value, '1700000099.000100')
    assert.deepEqual(kinds({ thumbs: await rated() }), ['down'])

    const admin = await join(scene.app, 'admin')
    await scene.app.api('PUT', `/api/v1/workspaces/${scene.workspace.id}/identities/${kim}`, {
      userId: admin.id,
    })
    await press(buttons.action_id, buttons.negative_button.value)
    await until(() => slack.callsOf('chat.postEphemeral').length === 2)
    assert.ok(slack.callsOf('chat.postEphemeral')[1]?.body.blocks?.includes(`/runs/${run.id}?rate=down`))
  },
)

type SlackBlocks = {
  elements?: { action_id: string; value?: string; url?: string; text: { text: string } }[]
}[]

verifies(
  'thumbs:reactions',
  'Mattermost: a reaction is a thumb until it is taken back, and the latest one counts; other reactions and other posts do not',
  async () => {
    const scene = await startPlatformSceneOn(
      await sharedApp(),
      startMattermost,
      mattermostConnection,
      () => ({ text: 'Fine.' }),
    )
    await using _ = scene
    const server = scene.platform
    await until(() => server.isOpen())
    const question = server.speak('opsopsopsops', '@house.bot where to?')
    await until(() => server.ours().length === 1)
    const [reply] = server.ours()
    assert.ok(reply)
    await until(async () => (await scene.runs())[0]?.status === 'succeeded')
    const runId = (await scene.runs())[0]?.id ?? ''
    const rated = async () => kinds(await scene.readRun(runId))

    server.react(question, '+1')
    server.react(reply, 'tada')
    server.react(reply, '+1_dark_skin_tone')
    await until(async () => (await rated())?.join() === 'up')
    server.react(reply, 'thumbsdown')
    await until(async () => (await rated())?.join() === 'down')
    server.react(reply, '+1_dark_skin_tone', 'reaction_removed')
    const admin = await join(scene.app, 'admin')
    await scene.link('kimkimkimkim', admin.id)
    server.react(reply, 'tada', 'reaction_removed')
    assert.deepEqual(await rated(), ['down'])
    server.react(reply, 'thumbsdown', 'reaction_removed')
    server.react(reply, '-1')
    await until(
      async () => (await scene.readRun(runId)).thumbs?.some(({ person }) => person.id === admin.id) === true,
    )
    await until(() =>
      server.calls.some(({ body }) => JSON.stringify(body).includes(`/runs/${runId}?rate=down`)),
    )
  },
)

verifies(
  'thumbs:reactions',
  'Discord: a reaction is a thumb, in a direct conversation too, and the last one counts; who gave a thumb down is asked why in a direct message',
  async () => {
    const scene = await startPlatformSceneOn(await sharedApp(), startDiscord, discordConnection, () => ({
      text: 'Fine.',
    }))
    await using _ = scene
    const discord = scene.platform
    await until(() => discord.isOpen())
    const channel = await scene.channel('500')
    const webhook = await scene.createWebhook({ channelId: channel.id })
    const { runId } = await scene.sendEvent(webhook)
    await scene.endedRun(runId)
    const message = (await scene.app.get<Page<Message>>(`/api/v1/channels/${channel.id}/messages`)).items[0]
    const shown = message?.permalink.split('/').at(-1) ?? ''
    const react = (user: string, name: string, event = 'MESSAGE_REACTION_ADD') =>
      discord.dispatch(event, {
        user_id: user,
        channel_id: '500',
        message_id: shown,
        guild_id: '1',
        emoji: { id: null, name },
      })
    const rated = async () => kinds(await scene.readRun(runId))

    react(bot.id, '👎')
    react('7', '🎉')
    react('7', '👍🏽')
    await until(async () => (await rated())?.join() === 'up')
    react('7', '👍🏽', 'MESSAGE_REACTION_REMOVE')
    await until(async () => (await rated())?.length === 0)

    const member = await join(scene.app, 'member')
    await scene.link('7', member.id)
    react('7', '👎')
    await until(() => discord.calls.some(({ path }) => path === 'users/@me/channels'))
    await until(async () => (await scene.readRun(runId)).thumbs?.[0]?.person.id === member.id)

    // In a direct conversation too.
    discord.speak('900', 'are you there?')
    await until(() => discord.messages.some(({ place }) => place === '900'))
    const answer = (await scene.runs()).find(({ id }) => id !== runId)?.id ?? ''
    await scene.endedRun(answer)
    const direct = discord.messages.find(({ place }) => place === '900')?.id ?? ''
    const inDirect = (name: string) =>
      discord.dispatch('MESSAGE_REACTION_ADD', {
        user_id: '7',
        channel_id: '900',
        message_id: direct,
        emoji: { id: null, name },
      })
    // However fast somebody changes their mind, and however many workers read it, the last thumb counts.
    for (let n = 0; n < 10; n += 1) {
      inDirect('👍')
      inDirect('👎')
    }
    await until(() => hasReadThumbs(scene.app, `900:${direct}:7`, 20))
    assert.deepEqual(kinds(await scene.readRun(answer)), ['down'])
  },
)

verifies(
  'thumbs:reactions',
  'a reaction that comes before the platform has told the id of the reply is a thumb all the same',
  async () => {
    const scene = await startPlatformSceneOn(
      await sharedApp(),
      () => startMattermost({ slowMs: 1000 }),
      mattermostConnection,
      () => ({ text: 'Fine.' }),
    )
    await using _ = scene
    const server = scene.platform
    await until(() => server.isOpen())
    const question = server.speak('opsopsopsops', '@house.bot where to?')
    await until(() => server.ours().length === 1)
    const [reply] = server.ours()
    assert.ok(reply)
    server.react(question, '+1')
    server.react(reply, '+1')
    await until(async () => (await scene.runs())[0]?.status === 'succeeded')
    const runId = (await scene.runs())[0]?.id ?? ''
    await until(async () => kinds(await scene.readRun(runId))?.join() === 'up')
  },
)

verifies(
  'thumbs:reactions',
  'a reaction is kept if the id of the reply is stored while the reaction is being received',
  async () => {
    const app = await sharedApp()
    const { ctx } = app.app
    const workspaceId = newId('workspace')
    await sql`
      insert into workspaces (id, platform, name, settings) values (${workspaceId}, 'discord', 'Team', '{}')`.execute(
      ctx.db,
    )
    const channel = { externalId: '900', name: 'ops', kind: 'channel' as const }
    const channelId = await upsertExternalChannel(ctx.db, { ...channel, workspaceId, now: ctx.now() })
    assert.ok(channelId)
    const messageId = newId('message')
    await insertMessage(ctx.db, {
      id: messageId,
      channelId,
      threadId: null,
      authorKind: 'agent',
      authorId: null,
      authorName: 'Bellhop',
      text: 'Paid.',
      delivery: 'sending',
    })
    const part = { messageId, part: 0, text: 'Paid.', file: null, externalId: null }
    await insertParts(ctx.db, messageId, [part])
    await leasePart(ctx.db, part, 60_000)
    let looks = 0
    const looking = new Set<object>()
    const db = ctx.db.withPlugin({
      transformQuery({ node, queryId }) {
        if (JSON.stringify(node).includes('message_parts')) looking.add(queryId)
        return node
      },
      async transformResult({ result, queryId }) {
        if (looking.has(queryId) && looks++ === 0) await savePart(ctx.db, part, '901')
        return result
      },
    })
    const thumb = {
      kind: 'thumb' as const,
      key: 'thumb 1',
      externalId: '901',
      thread: null,
      channel,
      sender: { id: '7', name: 'Kim' },
      rating: { thumb: 'up' as const },
    }
    await db.transaction().execute((tx) => storeEvents(ctx, tx, workspaceId, { events: [thumb] }))
    const { rows } = await sql`select from inbound_messages where workspace_id = ${workspaceId}`.execute(
      ctx.db,
    )
    assert.deepEqual([looks > 0, rows.length], [true, 1])
  },
)
