import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { join } from '../accounts/visitor.ts'
import { discordConnection, kim, startDiscord } from '../chat/support/start-discord.ts'
import { mattermostConnection, startMattermost } from '../chat/support/start-mattermost.ts'
import { startPlatformSceneOn } from '../chat/support/start-platform-scene.ts'
import { botUserId, slackClick, slackMessage } from '../chat/support/start-slack.ts'
import { startSlackSceneOn } from '../chat/support/start-slack-scene.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

/** A model that looks up an order, asks for a refund where told to, and does not answer before `release`. */
async function startSlowScene(calls: string[]) {
  const gate = Promise.withResolvers<void>()
  let asked = false
  let isSignedFirst: boolean | null = null
  const scene = await startSlackSceneOn(await sharedApp(), async (_request, index) => {
    asked = true
    const name = calls[index]
    if (name) return { calls: [{ name, input: { id: 'A-1' } }] }
    await gate.promise
    return { text: 'It is paid.' }
  })
  const root = `${Math.floor(Date.now() / 1000)}.000100`
  const { slack, ops, kim } = scene
  slack.fault = ({ method }) => {
    if (method === 'assistant.threads.setStatus') isSignedFirst ??= !asked
    return null
  }
  await scene.deliver(
    slackMessage({ user: kim, channel: ops, text: `<@${botUserId}> is A-1 paid?`, ts: root }, 'app_mention'),
  )
  const texts = async () => (await slack.replies(ops, root)).map(({ text }) => text)
  return { ...scene, root, release: gate.resolve, isSignedFirst: () => isSignedFirst, texts }
}

verifies(
  'runs:live-plan',
  'a mention gets a sign before the model is asked; a run longer than 5 s shows its tools in one message, which is sealed at the end, beside one reply',
  async () => {
    await using scene = await startSlowScene(['shop__get_order'])
    const { texts } = scene
    await until(async () => (await texts()).length === 1)
    assert.deepEqual(await texts(), ['⏳ Working on it\n- ✔️ Shop · get_order'])
    assert.equal(scene.isSignedFirst(), true)
    scene.release()
    await until(async () => /^✅/.test((await texts())[0] ?? ''))
    assert.match((await texts())[0] ?? '', /^✅ Done in \d+ s\n- ✔️ Shop · get_order$/)
    assert.deepEqual((await texts()).slice(1), ['It is paid.'])
    assert.equal((await scene.runs()).length, 1)
  },
)

verifies(
  'runs:live-plan',
  'a plan is sealed by others too: here somebody cancels the run while its worker waits for the model',
  async () => {
    await using scene = await startSlowScene([])
    await until(async () => (await scene.texts()).some((text) => text.startsWith('⏳ Working on it')))
    const { items } = await scene.app.get<{ items: { id: string }[] }>(
      `/api/v1/runs?channelId=${scene.channel.id}`,
    )
    const cancelled = await scene.app.api('POST', `/api/v1/runs/${items[0]?.id}/cancel`)
    assert.equal(cancelled.status, 200, cancelled.text)
    await until(async () => (await scene.texts()).some((text) => text.startsWith('⏹️ Cancelled')))
    scene.release()
  },
)

verifies(
  'runs:live-plan',
  'Slack: the plan has a Cancel for operators and for who asked; a click of somebody else, or in another channel, ends nothing',
  async () => {
    await using scene = await startSlowScene([])
    const { app, slack, ops, kim } = scene
    const plan = async () =>
      (await slack.history(ops).then(() => slack.replies(ops, scene.root))).find(({ text }) =>
        /^(⏳|⏹️)/.test(text),
      )
    const buttonOf = (one: Awaited<ReturnType<typeof plan>>) =>
      one?.blocks
        ?.flatMap(({ elements = [] }) => elements)
        .find(({ action_id: id }) => id === 'bellhop_cancel')
    await until(async () => buttonOf(await plan()) !== undefined)
    const shown = await plan()
    const value = buttonOf(shown)?.value ?? ''
    assert.match(value, /^run_/)
    const click = (more: object = {}) =>
      scene.deliver(
        slackClick({
          user: kim,
          channel: ops,
          ts: shown?.ts ?? '',
          action: 'bellhop_cancel',
          value,
          ...more,
        }),
      )
    const told = (words: RegExp) =>
      until(() => slack.callsOf('chat.postEphemeral').some(({ body }) => words.test(body.text ?? '')))
    await click()
    await told(/does not know who you are/)
    const member = await join(app, 'member')
    const link = (userId: string) =>
      app.api('PUT', `/api/v1/workspaces/${scene.workspace.id}/identities/${kim}`, { userId })
    await link(member.id)
    await click()
    await told(/Only the person who asked and operators can cancel this run/)
    const operator = await join(app, 'operator')
    await link(operator.id)
    await click({ channel: 'C0ELSEWHERE' })
    await told(/belongs to another channel/)
    assert.deepEqual(
      (await scene.runs()).map(({ status }) => status),
      ['running'],
    )
    await click()
    await until(async () => (await scene.texts()).some((text) => text.startsWith('⏹️ Cancelled')))
    assert.equal(buttonOf(await plan()), undefined)
    const { items } = await app.get<{ items: { actor: { id: string }; subject: string }[] }>(
      '/api/v1/audit?action=run.cancelled',
    )
    assert.ok(items.some(({ actor, subject }) => actor.id === operator.id && subject === value))
    scene.release()
  },
)

verifies('runs:live-plan', 'Mattermost and Discord: the plan has a Cancel, for who asked too', async () => {
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const
  const slow = (gate: PromiseWithResolvers<void>) => async () => {
    await gate.promise
    return { text: 'Late.' }
  }
  const app = await sharedApp()
  await using mattermost = await startPlatformSceneOn(
    app,
    startMattermost,
    mattermostConnection,
    slow(gates[0]),
  )
  const asker = await join(app, 'member')
  await mattermost.link('kimkimkimkim', asker.id)
  const { platform: server } = mattermost
  await until(() => server.isOpen())
  server.speak('opsopsopsops', '@house.bot where to?')
  await until(() =>
    server.ours().some(({ props }) => props.attachments?.[0]?.actions?.[0]?.name === 'Cancel'),
  )
  const plan = server.ours().find(({ message }) => message.startsWith('⏳'))
  assert.ok(plan)
  assert.equal((await mattermost.send(server.press(plan, 'Cancel'), {})).status, 200)
  await until(() => plan.message.startsWith('⏹️ Cancelled'))
  assert.equal(plan.props.attachments, undefined)
  gates[0].resolve()

  await using discord = await startPlatformSceneOn(app, startDiscord, discordConnection, slow(gates[1]))
  await discord.link('7', asker.id)
  const { platform } = discord
  const send = (body: object) => {
    const text = JSON.stringify(body)
    return discord.send(text, platform.sign(text))
  }
  await send({
    id: 'q1',
    type: 2,
    token: 'token-q1',
    channel_id: '500',
    channel: { id: '500', type: 0 },
    member: { user: kim },
    data: { name: 'bellhop', options: [{ name: 'text', value: 'where to?' }] },
  })
  const shown = () => platform.messages.find(({ content }) => content.startsWith('⏳'))
  const button = () => shown()?.components?.[0]?.components[0]?.custom_id
  await until(() => button() !== undefined)
  await send({
    id: 'c1',
    type: 3,
    token: 'token-c1',
    channel_id: '500',
    channel: { id: '500', type: 0 },
    member: { user: kim },
    message: { id: shown()?.id },
    data: { custom_id: button() },
  })
  await until(() =>
    platform.calls.some(
      ({ method, body }) =>
        method === 'PATCH' &&
        String(body.content).startsWith('⏹️ Cancelled') &&
        isDeepStrictEqual(body.components, []),
    ),
  )
  gates[1].resolve()
})
