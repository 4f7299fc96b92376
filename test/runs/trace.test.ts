import assert from 'node:assert/strict'
import { makeJobsDue } from '../support/make-jobs-due.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startShopOn } from '../support/start-shop.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

verifies(
  'runs:trace-times',
  'the time of a tool is that of its request, not of the wait for an admin; failed model calls stay after the end; an erasure leaves none of their words',
  async () => {
    await using model = await startStubAnthropic([
      { status: 500, message: 'The model is overloaded' },
      { status: 529, message: 'Still overloaded' },
      { calls: [{ name: 'shop__refund', input: { id: 'A-1' } }] },
      { text: 'Refunded.' },
    ])
    await using shop = await startShopOn(await sharedApp(), { model })
    const { runId, eventId } = await shop.sendEvent(await shop.createWebhook())
    const { db } = shop.app.app.ctx
    await until(async () => {
      await makeJobsDue(db)
      return (await shop.readRun(runId)).status === 'waiting'
    })
    const waiting = await shop.readRun(runId)
    assert.deepEqual(
      waiting.spans.map(({ kind, ms }) => [kind, ms === null]),
      [
        ['retry', false],
        ['pause', false],
        ['retry', false],
        ['pause', false],
        ['model', false],
        ['waiting', true],
      ],
    )
    const [call] = waiting.toolCalls
    assert.deepEqual([call?.sentAt, call?.decidedBy], [null, null])
    const decided = await shop.app.api<{ decidedAt: string }>(
      'POST',
      `/api/v1/approvals/${call?.approvalId}/approve`,
    )
    const run = await shop.endedRun(runId)
    const [sent] = run.toolCalls
    assert.ok((sent?.sentAt ?? '') >= decided.body.decidedAt, `${sent?.sentAt}`)
    assert.equal(sent?.decidedBy, 'API_KEY')
    const lengthOf = (from: string | undefined | null, to: string | undefined | null) =>
      Date.parse(to ?? '') - Date.parse(from ?? '')
    const spanOf = (wanted: string) => run.spans.find(({ kind }) => kind === wanted)?.ms ?? Number.NaN
    // Rounded apart.
    assert.ok(Math.abs(spanOf('waiting') - lengthOf(sent?.startedAt, sent?.sentAt)) <= 2)
    assert.ok(Math.abs(spanOf('tool') - lengthOf(sent?.sentAt, sent?.endedAt)) <= 2)
    assert.deepEqual(
      run.attempts.map(({ seq, message, retryAt }) => [seq, /overloaded/i.test(message), retryAt === null]),
      [
        [1, true, false],
        [1, true, false],
      ],
    )
    // The last thing that a run does, up to its end.
    const posting = run.spans.at(-1)
    assert.equal(posting?.kind, 'posting')
    assert.ok(Math.abs(posting.atMs + (posting.ms ?? 0) - lengthOf(run.startedAt, run.endedAt)) <= 2)
    const { items } = await shop.app.get<{ items: { id: string; spans: unknown }[] }>(
      `/api/v1/runs?channelId=${shop.channelId}`,
    )
    assert.deepEqual(items.find(({ id }) => id === runId)?.spans, run.spans)

    assert.equal((await shop.app.api('DELETE', `/api/v1/events/${eventId}`)).status, 204)
    const erased = await shop.readRun(runId)
    assert.deepEqual(erased.attempts, [])
  },
)

verifies('runs:trace-times', 'a run that the model ends for good keeps the last attempt', async () => {
  await using model = await startStubAnthropic([{ status: 401, message: 'invalid x-api-key' }])
  await using shop = await startShopOn(await sharedApp(), { model })
  const run = await shop.endedRun((await shop.sendEvent(await shop.createWebhook())).runId)
  assert.deepEqual(
    run.attempts.map(({ retryAt }) => retryAt),
    [null],
  )
  assert.deepEqual(
    run.spans.map(({ kind }) => kind),
    ['retry', 'posting'],
  )
})
