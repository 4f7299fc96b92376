import assert from 'node:assert/strict'
import type { RunShape } from '../../src/runs/contract.ts'
import { textsOf } from '../support/model-script.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { shopTools, startShopOn } from '../support/start-shop.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

type Call = { name: string; input: Record<string, unknown> }

/** A model that makes these calls in one step and then replies. */
const callThenReply = (calls: Call[]) =>
  startStubAnthropic(({ body }) => (body.includes('tool_result') ? { text: 'Done.' } : { calls }))

/** What the model was told, answer by answer. */
function answersOf(model: Awaited<ReturnType<typeof callThenReply>>): string[] {
  return textsOf(model.requests.at(-1)?.json.messages).filter((text) => /^(HTTP|error) /.test(text))
}

verifies(
  'runs:helpful-errors',
  'a read that timed out may be tried again, one that the target put off is repeated once after the wait, an unknown tool names the nearest',
  async () => {
    const read = (id: string) => ({ name: 'shop__get_order', input: { id } })
    await using model = await callThenReply([
      read('slow'),
      read('soon'),
      read('later'),
      { name: 'shop__orders_get', input: {} },
    ])
    const seen: string[] = []
    const more = [
      'list_customers',
      'get_orders',
      'get_customer',
      'rename_customer',
      'send_mail',
      'list_mails',
    ]
    await using shop = await startShopOn(await sharedApp(), {
      model,
      tools: [...shopTools, ...more.map((name) => ({ ...shopTools[0], name, path: `/${name}/{id}` }))],
      answer: ({ url }, response) => {
        const isFirst = !seen.includes(url)
        seen.push(url)
        if (url.endsWith('slow')) return
        if (url.endsWith('later')) response.writeHead(429, { 'retry-after': '3600' }).end('{}')
        else if (isFirst) response.writeHead(429, { 'retry-after': '1' }).end('{}')
        else response.setHeader('content-type', 'application/json').end('{"state":"paid"}')
      },
    })
    const slow = await shop.app.api('PATCH', `/api/v1/connectors/${shop.connectorId}`, { timeoutMs: 1000 })
    assert.equal(slow.status, 200, slow.text)
    await shop.endedRun((await shop.sendEvent(await shop.createWebhook())).runId)

    const [timedOut, repeated, putOff, unknown] = answersOf(model)
    assert.match(timedOut ?? '', /^error timeout: .+ It only reads, so it may be tried once more\.$/)
    assert.match(repeated ?? '', /^HTTP 200 [\s\S]+"paid"/)
    assert.match(putOff ?? '', /^HTTP 429\nThe target .+ asks to wait 3600 s before the next one\./)
    assert.match(unknown ?? '', /^error invalid_input: There is no tool shop__orders_get\. The nearest are: /)
    const named = /are: (.+)\.$/.exec(unknown ?? '')?.[1]?.split(', ') ?? []
    assert.equal(named.length, 5)
    assert.deepEqual(new Set(named.slice(0, 2)), new Set(['shop__get_orders', 'shop__get_order']))
    assert.deepEqual(seen.filter((url) => !url.endsWith('slow')).sort(), [
      '/orders/later',
      '/orders/soon',
      '/orders/soon',
    ])
  },
)

verifies(
  ['runs:helpful-errors', 'approvals:denial-is-data'],
  'after an approval the model is told who gave it and why',
  async () => {
    await using model = await callThenReply([{ name: 'shop__refund', input: { id: 'A-1' } }])
    await using shop = await startShopOn(await sharedApp(), { model })
    const { runId } = await shop.sendEvent(await shop.createWebhook())
    const waiting = await shop.runWhen(runId, ({ status }) => status === 'waiting')
    const decided = await shop.app.api(
      'POST',
      `/api/v1/approvals/${waiting.toolCalls[0]?.approvalId}/approve`,
      { reason: 'the customer is right' },
    )
    assert.equal(decided.status, 200, decided.text)
    await shop.endedRun(runId)
    assert.match(
      answersOf(model)[0] ?? '',
      /^HTTP 200 application\/json\n.+ approved this call: the customer is right\n/,
    )
  },
)

verifies(
  ['runs:helpful-errors', 'http-tools:undeclared-inputs', 'events:replay-dry'],
  'a dry replay refuses a write with an input that its tool does not have, in the words of a real run',
  async () => {
    const input = { id: 'A-1', _method: 'DELETE' }
    await using model = await callThenReply([{ name: 'shop__refund', input }])
    await using shop = await startShopOn(await sharedApp(), { model })
    const { runId, eventId } = await shop.sendEvent(await shop.createWebhook({ ceiling: 'write' }))
    await shop.endedRun(runId)
    const [refused] = answersOf(model)
    assert.match(
      refused ?? '',
      /^error invalid_input: .+\n\/_method: There is no such input\. There are: id\.$/,
    )
    const dry = await shop.app.api<RunShape>('POST', `/api/v1/events/${eventId}/replay`, { dryRun: true })
    await shop.endedRun(dry.body.id)
    assert.deepEqual(answersOf(model), [refused])
    assert.equal(shop.target.seen.length, 0)
  },
)

verifies(
  ['runs:helpful-errors', 'events:replay-dry'],
  'a dry replay refuses what a real run would be refused, with the same reason',
  async () => {
    await using model = await callThenReply([{ name: 'shop__refund', input: { id: 'A-1' } }])
    await using shop = await startShopOn(await sharedApp(), { model })
    const webhook = await shop.createWebhook({ ceiling: 'read' })
    const { runId, eventId } = await shop.sendEvent(webhook)
    await shop.endedRun(runId)
    const [refused] = answersOf(model)
    assert.match(refused ?? '', /^error denied: This webhook may use tools up to read; this one is write\./)
    const dry = await shop.app.api<RunShape>('POST', `/api/v1/events/${eventId}/replay`, { dryRun: true })
    await shop.endedRun(dry.body.id)
    assert.deepEqual(answersOf(model), [refused])
  },
)
