import assert from 'node:assert/strict'
import type { Channel, Message } from '../../src/chat/contract.ts'
import type { RunSummary } from '../../src/runs/contract.ts'
import { join, type Person } from '../accounts/visitor.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'
import { readEvents } from './support/read-events.ts'
import { botUserId, slackMessage } from './support/start-slack.ts'
import { startSlackScene } from './support/start-slack-scene.ts'

type Page<T> = { items: T[] }

verifies(
  'chat:private-channels',
  'a private Slack channel is visible to operators, admins and those who asked there; for members it does not exist',
  async () => {
    await using scene = await startSlackScene(() => ({ text: 'The board resigns.' }))
    const made = await scene.slack.ask<{ channel: { id: string } }>('conversations.create', {
      name: 'board',
      is_private: true,
    })
    await scene.app.api('POST', `/api/v1/workspaces/${scene.workspace.id}/refresh`)
    const people = {
      member: await join(scene.app, 'member'),
      kim: await join(scene.app, 'member', 'kim@example.com'),
      operator: await join(scene.app, 'operator'),
      admin: await join(scene.app, 'admin'),
    }
    const board = (await channelsOf(people.operator)).find(({ name }) => name === 'board')
    assert.equal(board?.isPrivate, true)
    assert.equal((await channelsOf(people.operator)).find(({ name }) => name === 'ops')?.isPrivate, false)
    await scene.app.api('PUT', `/api/v1/workspaces/${scene.workspace.id}/identities/${scene.kim}`, {
      userId: people.kim.id,
    })

    const webhook = await scene.createWebhook({ channelId: board.id })
    const { id: rung } = await scene.endedRun((await scene.sendEvent(webhook)).runId)
    const question = {
      user: scene.kim,
      channel: made.channel.id,
      text: `<@${botUserId}> really?`,
      ts: '1700000000.1',
    }
    await scene.deliver(slackMessage(question, 'app_mention'))
    await until(async () => (await runsOf(people.admin)).length === 2)
    const asked = (await runsOf(people.admin)).find((id) => id !== rung) ?? ''
    await scene.endedRun(asked)

    const [told] = await messagesOf(people.operator)
    const there = await people.operator.visitor.send('PUT', `/messages/${told?.id}/reactions/tada`)
    assert.equal(there.status, 400)
    assert.match(there.text, /React to it there/)
    for (const person of [people.operator, people.admin]) {
      assert.deepEqual((await runsOf(person)).toSorted(), [asked, rung].toSorted())
      assert.equal((await messagesOf(person)).length, 3)
      assert.equal((await found(person)).length, 2)
    }
    assert.deepEqual(await runsOf(people.kim), [asked])
    assert.deepEqual(await runsOf(people.member), [])
    for (const { visitor } of [people.kim, people.member]) {
      assert.ok((await channelsOf({ visitor })).every(({ name }) => name !== 'board'))
      assert.deepEqual(await found({ visitor }), [])
      const [message] = await messagesOf(people.admin)
      for (const path of [
        `/channels/${board.id}`,
        `/channels/${board.id}/messages`,
        `/channels/${board.id}/stream`,
        `/messages/${message?.id}`,
        `/runs/${rung}`,
      ]) {
        assert.equal((await visitor.send('GET', path)).status, 404, path)
      }
      assert.equal((await visitor.send('PUT', `/messages/${message?.id}/reactions/tada`)).status, 404)
    }
    assert.equal((await people.kim.visitor.send('GET', `/runs/${asked}`)).status, 200)
    // Those who asked there see the run, and nothing else of the channel.
    const nameFor = async ({ visitor }: Person) =>
      (await visitor.send<RunSummary>('GET', `/runs/${asked}`)).body.channelName
    assert.equal(await nameFor(people.operator), `#board (${scene.workspace.name})`)
    assert.equal(await nameFor(people.kim), null)

    // A run that waits in the inbox has no row yet, and is already as private as it will be.
    await scene.app.api('PATCH', '/api/v1/settings', { agent: { paused: true } })
    const { runId: queued } = await scene.sendEvent(webhook)
    assert.equal((await people.operator.visitor.send('GET', `/runs/${queued}`)).status, 200)
    assert.equal((await people.member.visitor.send('GET', `/runs/${queued}`)).status, 404)
    for (const query of ['', '?status=queued', `?webhookId=${webhook.id}`, `?channelId=${board.id}`]) {
      assert.equal((await runsOf(people.operator, query)).includes(queued), true, query)
      assert.deepEqual(await runsOf(people.member, query), [], query)
    }

    async function channelsOf({ visitor }: Pick<Person, 'visitor'>) {
      return (await visitor.send<Page<Channel>>('GET', '/channels?limit=100')).body.items
    }
    async function runsOf({ visitor }: Person, query = ''): Promise<string[]> {
      return (await visitor.send<Page<RunSummary>>('GET', `/runs${query}`)).body.items.map(({ id }) => id)
    }
    async function messagesOf({ visitor }: Person) {
      return (await visitor.send<Page<Message>>('GET', `/channels/${board?.id}/messages`)).body.items
    }
    async function found({ visitor }: Pick<Person, 'visitor'>) {
      return (await visitor.send<Page<Message>>('GET', '/messages?q=resigns')).body.items
    }
  },
)

verifies(
  'chat:private-channels',
  'a channel counts as private until Slack has described it; when it becomes private later, its readers are disconnected, as they are when demoted or when the workspace is deleted',
  async () => {
    await using scene = await startSlackScene()
    const isPrivate = async (externalId: string) => {
      const { items } = await scene.app.get<Page<Channel>>('/api/v1/channels?limit=100')
      return items.find((channel) => channel.externalId === externalId)?.isPrivate
    }
    const say = (
      channel: string,
      ts: string,
      type: 'app_mention' | 'message',
      channel_type?: string,
      words = 'hello',
    ) => {
      const said = { user: scene.kim, channel, text: `<@${botUserId}> ${words}`, ts }
      return scene.deliver(slackMessage({ ...said, ...(channel_type ? { channel_type } : {}) }, type))
    }
    await say('C0NEW', '1700000001.1', 'app_mention')
    await until(async () => (await isPrivate('C0NEW')) === true)
    await say('C0NEW', '1700000002.1', 'message', 'channel')
    await until(async () => (await isPrivate('C0NEW')) === false)

    const { items } = await scene.app.get<Page<Channel>>('/api/v1/channels?limit=100')
    const id = items.find((channel) => channel.externalId === 'C0NEW')?.id
    const streamOf = ({ visitor }: Person, after?: string) =>
      readEvents(`${scene.app.url}/api/v1/channels/${id}/stream`, {
        cookie: visitor.cookie,
        ...(after ? { 'last-event-id': after } : {}),
      })
    const people = { member: await join(scene.app, 'member'), operator: await join(scene.app, 'operator') }
    await using member = await streamOf(people.member)
    await using operator = await streamOf(people.operator)
    const secret = 'not for members'
    await say('C0NEW', '1700000003.1', 'message', 'group', secret)
    // Both must reconnect, and only one of them is allowed to.
    for (const reader of [member, operator]) {
      await assert.rejects(async () => {
        for (;;) assert.ok(!String((await reader.next()).body.text).includes(secret))
      }, /The stream ended/)
    }
    await assert.rejects(streamOf(people.member), /404/)
    await using again = await streamOf(people.operator, '0')
    while (!String((await again.next()).body.text).includes(secret));

    // A former operator reads no further, and nobody does once the workspace is deleted.
    const demoted = await join(scene.app, 'operator', 'demoted@example.com')
    await using lesser = await streamOf(demoted)
    await scene.app.api('PATCH', `/api/v1/users/${demoted.id}`, { role: 'member' })
    assert.equal(await lesser.ended(), true)
    await say('C0NEW', '1700000004.1', 'message', 'group', 'still here')
    while (!String((await again.next()).body.text).includes('still here'));
    assert.equal((await scene.app.api('DELETE', `/api/v1/workspaces/${scene.workspace.id}`)).status, 204)
    assert.equal(await again.ended(), true)
    await assert.rejects(streamOf(people.operator), /404/)
  },
)
