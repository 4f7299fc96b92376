import assert from 'node:assert/strict'
import { join } from '../accounts/visitor.ts'
import type { Script } from '../support/model-script.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'
import { discordToken, kim, startDiscord } from './support/start-discord.ts'
import { startPlatformScene } from './support/start-platform-scene.ts'

const startScene = (script: Script) =>
  startPlatformScene(
    startDiscord,
    ({ origin, publicKey }) => ({
      platform: 'discord',
      botToken: discordToken,
      applicationId: '99',
      publicKey,
      apiUrl: `${origin}/api/v10/`,
    }),
    script,
  )

verifies(
  ['chat:inbound-verified', 'chat:outbound-idempotent', 'chat:outbound-rate-limits'],
  'Discord: a command is answered once, also when answers are lost and waits are asked for; only Discord is heard',
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
    const runs = async () => (await scene.app.get<{ items: { status: string }[] }>('/api/v1/runs')).items
    await until(async () => (await runs())[0]?.status === 'succeeded')

    assert.equal((await runs()).length, 1)
    assert.deepEqual(
      discord.messages.map(({ place, content }) => [place, content]),
      [['500', 'To **Berlin**.\n\n```\n| a | b |\n|---|---|\n| 1 | 2 |\n```']],
    )
    const [post] = discord.calls.filter(({ path }) => path === 'channels/500/messages')
    assert.deepEqual(post?.body.allowed_mentions, { parse: [] })
    assert.ok(discord.calls.some(({ path }) => path === 'applications/99/commands'))
    assert.equal((await scene.channel('500')).name, 'ops')
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
    const { runId } = await scene.ring(await scene.createWebhook({ channelId }))
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
