import assert from 'node:assert/strict'
import { botUserId, slackMessage } from '../chat/support/start-slack.ts'
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
  return { ...scene, release: gate.resolve, isSignedFirst: () => isSignedFirst, texts }
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
