import assert from 'node:assert/strict'
import type { ApprovalShape } from '../../src/approvals/contract.ts'
import type { Card } from '../../src/chat/chat.ts'
import { join } from '../accounts/visitor.ts'
import { textsOf } from '../support/model-script.ts'
import { sayAs } from '../support/say-as.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startShopOn } from '../support/start-shop.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

type Shop = Awaited<ReturnType<typeof startShopOn>>

async function listApprovals(shop: Shop): Promise<ApprovalShape[]> {
  const { items } = await shop.app.get<{ items: ApprovalShape[] }>(
    `/api/v1/approvals?channelId=${shop.channelId}`,
  )
  return items
}

/** The ids in the list of waiting calls that the newest turn begins with. */
function waitingIn(messages: unknown): string[] {
  const turn = textsOf(messages).at(-1) ?? ''
  const list = /<<waiting for a decision (\S+)>>\n([\s\S]+?)\n<<end \1>>/.exec(turn)?.[2] ?? ''
  return list.split('\n').flatMap((line) => /^(call_\S+) /.exec(line)?.[1] ?? [])
}

verifies(
  'runs:withdraw-call',
  'a turn lists the calls of the thread that wait; who asked for one takes it back, its run is told, and its card says by whom',
  async () => {
    await using model = await startStubAnthropic(({ json, body }) => {
      const said = textsOf(json.messages)
      const newest = said.at(-1) ?? ''
      if (newest.includes('Withdrawn. It will not be sent.')) return { text: 'I took it back.' }
      if (newest.includes('error denied')) return { text: 'Only they may.' }
      if (body.includes('error withdrawn')) return { text: 'It was withdrawn.' }
      const [call] = waitingIn(json.messages)
      if (call) return { calls: [{ name: 'withdraw_call', input: { call, why: 'the amount was wrong' } }] }
      return { calls: [{ name: 'shop__refund', input: { id: 'A-1' } }] }
    })
    await using shop = await startShopOn(await sharedApp(), { model })
    const [member, other] = [await join(shop.app, 'member'), await join(shop.app, 'member')]
    const threadId = await sayAs(shop, member, '@bellhop refund A-1')
    await until(async () => (await listApprovals(shop))[0]?.status === 'pending')
    const [asked] = await listApprovals(shop)

    // Somebody else may not.
    await sayAs(shop, other, '@bellhop stop that', threadId)
    await until(() =>
      model.requests.some(({ body }) =>
        body.includes('error denied: Only an admin or The member, who asked for it,'),
      ),
    )
    assert.equal((await listApprovals(shop))[0]?.status, 'pending')

    await sayAs(shop, member, '@bellhop sorry, do not do that', threadId)
    await until(async () => (await shop.replies()).some(({ text }) => text === 'I took it back.'))
    await until(async () => (await shop.replies()).some(({ text }) => text === 'It was withdrawn.'))
    const [withdrawn] = await listApprovals(shop)
    assert.deepEqual(
      [withdrawn?.status, withdrawn?.decidedBy?.name, withdrawn?.reason],
      ['void', 'The member', 'the amount was wrong'],
    )
    await until(async () =>
      (await shop.messages()).some(({ text }) =>
        text.startsWith('The member withdrew the request to call Shop · refund: the amount was wrong'),
      ),
    )
    const late = await shop.app.api<{ detail: string }>('POST', `/api/v1/approvals/${asked?.id}/approve`, {})
    assert.deepEqual([late.status, late.body.detail], [409, 'The member withdrew it.'])
    assert.equal(shop.target.seen.length, 0)
    assert.ok(
      model.requests.some(({ json }) => {
        const turn = textsOf(json.messages).at(-1) ?? ''
        return /\ncall_\S+ shop__refund \{"id":"A-1"\}, asked for by The member, since \w+day \d{4}/.test(
          turn,
        )
      }),
    )
  },
)

verifies(
  'runs:withdraw-call',
  'an event in a thread lists the calls that wait there: once the alert is resolved, the agent takes back what it asked for',
  async () => {
    await using model = await startStubAnthropic(({ json }) => {
      const said = textsOf(json.messages)
      const newest = said.at(-1) ?? ''
      if (newest.includes('Withdrawn. It will not be sent.')) return { text: 'Resolved, nothing to do.' }
      if (newest.startsWith('error withdrawn')) return { text: 'It fired, and was over soon.' }
      const [call] = waitingIn(json.messages)
      if (call && newest.includes('"resolved"'))
        return { calls: [{ name: 'withdraw_call', input: { call, why: 'resolved' } }] }
      return { text: 'It fires.', calls: [{ name: 'shop__refund', input: { id: 'A-1' } }] }
    })
    await using shop = await startShopOn(await sharedApp(), { model })
    const webhook = await shop.createWebhook({ ceiling: 'write', threadKey: '/alert' })
    const firing = await shop.sendEvent(webhook, { alert: 'disk', status: 'firing' })
    await shop.runWhen(firing.runId, ({ status }) => status === 'waiting')
    const resolved = await shop.sendEvent(webhook, { alert: 'disk', status: 'resolved' })
    const run = await shop.endedRun(resolved.runId)
    assert.equal(run.reply?.text, 'Resolved, nothing to do.')
    assert.match(run.turnNote ?? '', /asked for by the webhook "[^"]+", since/)
    assert.equal((await shop.endedRun(firing.runId)).reply?.text, 'It fired, and was over soon.')
    const [withdrawn] = await listApprovals(shop)
    assert.deepEqual([withdrawn?.status, withdrawn?.reason], ['void', 'resolved'])
    assert.equal(shop.target.seen.length, 0)
  },
)

verifies(
  'runs:early-reply',
  'what the agent found out is posted before it waits, the question stands in its thread, and the same message becomes the reply',
  async () => {
    const findings = 'Order **A-1** was charged twice. I ask to refund it.'
    await using model = await startStubAnthropic(({ json, body }) => {
      if ((textsOf(json.messages).at(-1) ?? '').includes('why?'))
        return { text: 'Because of the double charge.' }
      return body.includes('tool_result')
        ? { text: 'Refunded A-1.' }
        : { text: findings, calls: [{ name: 'shop__refund', input: { id: 'A-1' } }] }
    })
    await using shop = await startShopOn(await sharedApp(), { model })
    const member = await join(shop.app, 'member')
    const { runId } = await shop.sendEvent(await shop.createWebhook())
    await until(async () => (await shop.messages()).some(({ card }) => card !== null))
    const early = (await shop.messages()).find(({ text }) => text.startsWith(findings))
    assert.ok(early)
    assert.deepEqual([early.runId, early.threadId], [runId, null])
    assert.match(early.text, /\n\n⏳ _Waiting for a decision: Shop · refund\._$/)
    const card = (await shop.messages()).find((message) => message.card !== null)
    assert.equal(card?.threadId, early.id)

    // Whoever asks in the thread meanwhile is answered with the findings in context.
    await sayAs(shop, member, '@bellhop why?', early.id)
    await until(async () =>
      (await shop.replies()).some(({ text }) => text === 'Because of the double charge.'),
    )
    const told = JSON.stringify(model.requests.at(-1)?.json.messages)
    assert.ok(told.includes('charged twice') && told.includes('order.paid'))
    assert.ok(!told.includes('⏳'))

    const [asked] = await listApprovals(shop)
    await shop.app.api('POST', `/api/v1/approvals/${asked?.id}/approve`, {})
    const run = await shop.endedRun(runId)
    assert.deepEqual([run.reply?.messageId, run.reply?.text], [early.id, 'Refunded A-1.'])
    const shown = (await shop.messages()).filter(
      (message) => message.runId === runId && message.card === null,
    )
    assert.deepEqual(
      shown.map(({ id, text }) => [id, text]),
      [[early.id, 'Refunded A-1.']],
    )
  },
)

verifies(
  'runs:early-reply',
  'if the run ends with a notice or in silence, the findings stay, without the mark',
  async () => {
    await using model = await startStubAnthropic(({ body }) => {
      if (!body.includes('tool_result'))
        return { text: 'The disk is full.', calls: [{ name: 'shop__refund', input: { id: 'A-1' } }] }
      return body.includes('be silent') ? { text: 'NO_REPLY' } : { status: 400, message: 'not like this' }
    })
    await using shop = await startShopOn(await sharedApp(), { model })
    for (const [prompt, expected] of [
      ['Then be silent.', /^The disk is full\.$/],
      ['Then fail.', /^The disk is full\.\n\n[^⏳]*could not finish/],
    ] as const) {
      const webhook = await shop.createWebhook({ prompt, allowSilence: true })
      const { runId } = await shop.sendEvent(webhook)
      await until(async () => (await listApprovals(shop))[0]?.runId === runId)
      const [asked] = await listApprovals(shop)
      await shop.app.api('POST', `/api/v1/approvals/${asked?.id}/deny`, {})
      await shop.endedRun(runId)
      const own = (await shop.messages()).filter(
        (message) => message.runId === runId && message.card === null,
      )
      assert.equal(own.length, 1)
      assert.match(own[0]?.text ?? '', expected)
    }
  },
)

verifies(
  'runs:early-reply',
  'a run that asks a second time adds what it found out since to the same message',
  async () => {
    const steps = ['Charged twice.', 'Refunded once, the second refund is due.']
    await using model = await startStubAnthropic((_request, index) => {
      const text = steps[index]
      return text
        ? { text, calls: [{ name: 'shop__refund', input: { id: `A-${index}` } }] }
        : { text: 'Done.' }
    })
    await using shop = await startShopOn(await sharedApp(), { model })
    const { runId } = await shop.sendEvent(await shop.createWebhook())
    const shown = async () =>
      (await shop.messages()).filter((message) => message.runId === runId && message.card === null)
    for (const [index] of steps.entries()) {
      await until(async () => (await listApprovals(shop)).length === index + 1)
      const findings = steps.slice(0, index + 1).join('\n\n')
      await until(async () => (await shown())[0]?.text.startsWith(`${findings}\n\n⏳`) ?? false)
      const [asked] = await listApprovals(shop)
      await shop.app.api('POST', `/api/v1/approvals/${asked?.id}/approve`, {})
    }
    await shop.endedRun(runId)
    assert.deepEqual(
      (await shown()).map(({ text }) => text),
      ['Done.'],
    )
  },
)

verifies(
  'approvals:names-earlier-call',
  'a second card for the same tool in a thread names the first, and says so when the first is approved',
  async () => {
    let asked = 0
    await using model = await startStubAnthropic(({ json }) => {
      const isAnswered = (textsOf(json.messages).at(-1) ?? '').startsWith('HTTP')
      return isAnswered
        ? { text: 'Done.' }
        : { calls: [{ name: 'shop__refund', input: { id: `A-${++asked}` } }] }
    })
    await using shop = await startShopOn(await sharedApp(), { model })
    const member = await join(shop.app, 'member')
    const cards = async () => {
      const shown = (await shop.messages()).filter(({ card }) => card !== null)
      return shown.map(({ card }) =>
        (card as Card).lines.filter(({ label }) => label === 'Earlier in this thread'),
      )
    }
    const threadId = await sayAs(shop, member, '@bellhop refund A-1')
    await until(async () => (await cards()).length === 1)
    await sayAs(shop, member, '@bellhop sorry, A-2', threadId)
    await until(async () => (await cards()).length === 2)
    // The same tool in another thread is another matter.
    await sayAs(shop, member, '@bellhop refund A-3')
    await until(async () => (await cards()).length === 3)

    const [first, second, third] = (await listApprovals(shop)).toReversed()
    const named = { id: first?.id, request: `POST ${shop.target.origin}/orders/A-1/refund` }
    assert.deepEqual([first?.earlier, third?.earlier], [[], []])
    assert.deepEqual(second?.earlier, [{ ...named, status: 'pending' }])
    const lines = (await cards()).flat()
    assert.equal(lines.length, 1)
    assert.match(
      lines[0]?.value ?? '',
      /^the same tool still waits for a decision: POST \S+\/orders\/A-1\/refund http\S+apr_/,
    )

    await shop.app.api('POST', `/api/v1/approvals/${first?.id}/approve`, {})
    await until(
      async () => (await cards()).flat()[0]?.value.startsWith('the same tool was approved: ') ?? false,
    )
  },
)
