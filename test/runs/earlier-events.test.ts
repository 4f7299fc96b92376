import assert from 'node:assert/strict'
import { join } from '../accounts/visitor.ts'
import { dumpDatabase } from '../support/dump-database.ts'
import { textsOf } from '../support/model-script.ts'
import { sayAs } from '../support/say-as.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startShopOn } from '../support/start-shop.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

const groupKey = '{}:{alertname="HighErrorRate"}'
const alert = (status: string, more: object = {}) => ({ status, groupKey, ...more })

verifies(
  'runs:earlier-events',
  'the resolved alert finds the firing one with the reply to it, in capitals or not, and reads it whole',
  async () => {
    await using model = await startStubAnthropic(({ json }) => {
      const told = textsOf(json.messages).at(-1) ?? ''
      if (told.includes('"status":"firing"') && told.startsWith('An event'))
        return { text: 'Restarted **checkout**.' }
      const found = /<<event (evt_\S+) of/.exec(told)?.[1]
      if (found)
        return { calls: [{ name: 'read_more', input: { source: found, pointer: '/log', from: -1 } }] }
      if (told.includes('part of evt_')) return { text: 'Resolved.' }
      return {
        calls: [
          { name: 'earlier_events', input: { about: 'nowhere' } },
          { name: 'earlier_events', input: { about: groupKey } },
          { name: 'earlier_events', input: { about: 'higherrorrate, RESTARTED' } },
        ],
      }
    })
    await using shop = await startShopOn(await sharedApp(), { model })
    const [webhook, other] = [await shop.createWebhook(), await shop.createWebhook({ name: 'Other' })]
    await shop.endedRun(
      (await shop.sendEvent(other, alert('firing', { secret: 'of another webhook' }))).runId,
    )
    const log = Array.from({ length: 300 }, (_, n) => `line ${n}`)
    const firing = await shop.sendEvent(webhook, alert('firing', { log }))
    await shop.endedRun(firing.runId)
    const resolved = await shop.endedRun((await shop.sendEvent(webhook, alert('resolved'))).runId)

    assert.equal(resolved.reply?.text, 'Resolved.')
    const [none, byKey, byWords] = resolved.steps[0]?.calls.map(({ result }) => result ?? '') ?? []
    const word = /The word of this turn is (\S+)\./.exec(resolved.turnNote ?? '')?.[1]
    for (const found of [byKey, byWords]) {
      assert.match(
        found ?? '',
        new RegExp(`<<event ${firing.eventId} of 20\\S+Z ${word}>>\n\\{"status":"firing".*\n<<end ${word}>>`),
      )
      assert.ok(
        found?.includes(`<<reply to ${firing.eventId} ${word}>>\nRestarted **checkout**.\n<<end ${word}>>`),
      )
      assert.ok(found?.includes(`Read it with read_more {"source":"${firing.eventId}"}.`), found)
      assert.doesNotMatch(found ?? '', /another webhook|"resolved"/)
    }
    assert.equal(none, 'There is no earlier event that matches.')
    assert.match(resolved.steps[1]?.calls[0]?.result ?? '', /\["line 299"\]/)
  },
)

verifies(
  'runs:earlier-events',
  'only conversations about an event look back, and only at events of the same webhook that were handled in the same channel',
  async () => {
    await using model = await startStubAnthropic(({ json }) => {
      const told = textsOf(json.messages).at(-1) ?? ''
      const source = /read (evt_\S+)/.exec(told)?.[1]
      if (source) return { calls: [{ name: 'read_more', input: { source } }] }
      return told.includes('look back')
        ? { calls: [{ name: 'earlier_events', input: {} }] }
        : { text: 'Seen.' }
    })
    await using shop = await startShopOn(await sharedApp(), { model })
    const member = await join(shop.app, 'member')
    const [webhook, other] = [await shop.createWebhook(), await shop.createWebhook()]
    const foreign = await shop.sendEvent(other, { n: 'foreign' })
    const first = await shop.sendEvent(webhook, { n: 'first' })
    await shop.endedRun(foreign.runId)
    await shop.endedRun(first.runId)
    const second = await shop.endedRun((await shop.sendEvent(webhook, { n: 'second' })).runId)

    const answerTo = async (text: string, threadId?: string) => {
      const count = (await shop.replies()).length
      await sayAs(shop, member, `@bellhop ${text}`, threadId)
      await until(async () => (await shop.replies()).length === count + 1)
      return textsOf(model.requests.at(-1)?.json.messages).at(-1) ?? ''
    }
    const toolsShown = () => JSON.stringify(model.requests.at(-1)?.json.tools)
    assert.match(await answerTo('look back'), /^error invalid_input: There is no tool earlier_events\./)
    assert.doesNotMatch(toolsShown(), /"earlier_events"/)

    const threadId = second.reply?.messageId ?? ''
    const inThread = await answerTo('look back', threadId)
    assert.match(toolsShown(), /"earlier_events"/)
    assert.match(inThread, /\{"n":"first"\}/)
    assert.doesNotMatch(inThread, /second|foreign/)
    assert.match(await answerTo(`read ${first.eventId}`, threadId), /\{"n":"first"\}/)
    const refused = await answerTo(`read ${foreign.eventId}`, threadId)
    assert.match(refused, /^error invalid_input: There is no source evt_/)

    // What was handled in one channel is not told in another.
    const channel = await shop.app.api<{ id: string }>('POST', '/api/v1/channels', { name: 'elsewhere' })
    await shop.app.api('PATCH', `/api/v1/webhooks/${webhook.id}`, { channelId: channel.body.id })
    const moved = await shop.endedRun((await shop.sendEvent(webhook, { n: 'look back' })).runId)
    assert.equal(moved.steps[0]?.calls[0]?.result, 'There is no earlier event that matches.')
  },
)

verifies('runs:earlier-events', 'a schedule looks back at what it reported the last time', async () => {
  await using model = await startStubAnthropic(({ json }, index) => {
    if (index === 0) return { text: 'Two disks are nearly full.' }
    const isAnswered = (textsOf(json.messages).at(-1) ?? '').includes('reply to evt_')
    return isAnswered
      ? { text: 'Still two.' }
      : { calls: [{ name: 'earlier_events', input: { about: 'DISKS' } }] }
  })
  await using shop = await startShopOn(await sharedApp(), { model })
  const made = await shop.app.api<{ id: string }>('POST', '/api/v1/schedules', {
    name: 'Disks',
    channelId: shop.channelId,
    prompt: 'Compare with the last report.',
    cron: '0 9 * * 1',
  })
  assert.equal(made.status, 201, made.text)
  for (const text of ['Two disks are nearly full.', 'Still two.']) {
    const rung = await shop.app.api<{ runId: string }>('POST', `/api/v1/schedules/${made.body.id}/run-now`)
    assert.equal((await shop.endedRun(rung.body.runId)).reply?.text, text, rung.text)
  }
})

verifies('events:erase', 'erasing an event also wipes it where a later run looked back at it', async () => {
  const marker = `jane-${crypto.randomUUID()}`
  await using model = await startStubAnthropic(({ json }) => {
    const told = textsOf(json.messages).at(-1) ?? ''
    const found = /<<event (evt_\S+) of/.exec(told)?.[1]
    if (found) return { calls: [{ name: 'read_more', input: { source: found } }] }
    return told.includes('look back') ? { calls: [{ name: 'earlier_events', input: {} }] } : { text: 'Seen.' }
  })
  await using shop = await startShopOn(await sharedApp(), { model })
  const webhook = await shop.createWebhook()
  const first = await shop.sendEvent(webhook, { name: marker })
  await shop.endedRun(first.runId)
  const second = await shop.sendEvent(webhook, { n: 'look back' })
  assert.match((await shop.endedRun(second.runId)).steps[1]?.calls[0]?.result ?? '', new RegExp(marker))
  assert.equal((await shop.app.api('DELETE', `/api/v1/events/${first.eventId}`)).status, 204)
  const kept = (await dumpDatabase(shop.app.app.ctx.store.database.pool)).filter(({ text }) =>
    text.includes(marker),
  )
  assert.deepEqual(
    kept.map(({ table }) => table),
    [],
  )
  const run = await shop.readRun(second.runId)
  assert.deepEqual(
    run.steps.flatMap(({ calls }) => calls.map(({ result }) => result)),
    ['An event in this answer was erased since.', 'An event in this answer was erased since.'],
  )
})
