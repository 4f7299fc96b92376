import assert from 'node:assert/strict'
import type { ApprovalShape } from '../../src/approvals/contract.ts'
import type { RunShape, RunSummary } from '../../src/runs/contract.ts'
import { join, type Person } from '../accounts/visitor.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'
import { slackMessage } from './support/start-slack.ts'
import { startSlackScene } from './support/start-slack-scene.ts'

verifies(
  'chat:direct-private',
  'a direct conversation with the agent is shown to its person and to admins only',
  async () => {
    await using scene = await startSlackScene(({ body }) =>
      body.includes('tool_result')
        ? { text: 'Done.' }
        : { calls: [{ name: 'shop__refund', input: { id: 'A-1' } }] },
    )
    const { slack } = scene
    const { channel } = await slack.ask<{ channel: { id: string } }>('conversations.open', {
      users: scene.kim,
    })
    let said = 0
    const say = (text: string) =>
      scene.deliver(
        slackMessage({ user: scene.kim, channel: channel.id, text, ts: `170000000${++said}.1`, im: true }),
      )
    const kim = await join(scene.app, 'member', 'kim@example.com')
    const others = [await join(scene.app, 'member', 'max@example.com'), await join(scene.app, 'operator')]
    const admin = await join(scene.app, 'admin')

    // Before the account is linked, and after.
    await say('my secret wish')
    await until(async () => (await listed(admin)).runs.length === 1)
    const { body: code } = await kim.visitor.send<{ text: string }>('POST', '/chat-accounts/code')
    await say(code.text)
    await until(() =>
      slack.callsOf('chat.postMessage').some(({ body }) => /linked to The member/.test(body.text ?? '')),
    )
    await say('my other wish')
    await until(async () => (await listed(admin)).approvals.length === 2)
    const seen = await listed(admin)
    assert.equal(seen.runs.length, 2)
    // An unlinked person may have any name: the card says that a guest asks.
    const isAsked = (line: string) =>
      slack
        .callsOf('chat.postMessage')
        .some(({ body }) => JSON.stringify(body).includes(`Asked by*\\\\n${line}`))
    await until(() => isAsked('guest ') && isAsked('member The member'))

    assert.deepEqual(await listed(kim), seen)
    for (const person of others) assert.deepEqual(await listed(person), { runs: [], approvals: [] })
    for (const id of seen.runs) {
      const path = `/runs/${id}`
      assert.match((await kim.visitor.send<RunShape>('GET', path)).body.prompt, /my (secret|other) wish/)
      for (const { visitor } of others) assert.equal((await visitor.send('GET', path)).status, 404)
    }
    for (const id of seen.approvals) {
      assert.equal((await kim.visitor.send('GET', `/approvals/${id}`)).status, 200)
      for (const { visitor } of others)
        assert.equal((await visitor.send('GET', `/approvals/${id}`)).status, 404)
    }
    const operator = others[1]?.visitor
    assert.equal((await operator?.send('POST', `/runs/${seen.runs[0]}/cancel`))?.status, 404)

    // It is not listed or readable as a channel, even with its id or that of a message in it.
    const { body: alone } = await admin.visitor.send<RunShape>('GET', `/runs/${seen.runs[0]}`)
    assert.equal(alone.channelName, null)
    const cardOf = async (id = seen.approvals[0]) =>
      (await kim.visitor.send<ApprovalShape>('GET', `/approvals/${id}`)).body.messageId
    await until(async () => (await cardOf()) !== null)
    for (const path of [`/channels/${alone.channelId}`, `/messages/${await cardOf()}`]) {
      for (const { visitor } of others) assert.equal((await visitor.send('GET', path)).status, 404, path)
    }

    // Nor can a webhook post into it.
    const intruder = { name: 'Intruder', prompt: 'Speak up.', channelId: alone.channelId }
    for (const { visitor } of [...others, admin]) {
      const { status } = await visitor.send('POST', '/webhooks', intruder)
      assert.ok(status === 422 || status === 403, String(status))
    }

    // Messages in a channel are visible to everybody, like the channel.
    const { runId } = await scene.sendEvent(await scene.createWebhook())
    await scene.runWhen(runId, ({ status }) => status === 'waiting')
    for (const person of others) assert.deepEqual((await listed(person)).runs, [runId])

    async function listed({ visitor }: Person): Promise<{ runs: string[]; approvals: string[] }> {
      const runs = await visitor.send<{ items: RunSummary[] }>('GET', '/runs')
      const approvals = await visitor.send<{ items: { id: string }[] }>('GET', '/approvals')
      return {
        runs: runs.body.items.map(({ id }) => id),
        approvals: approvals.body.items.map(({ id }) => id),
      }
    }
  },
)
