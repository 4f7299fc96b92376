import assert from 'node:assert/strict'
import { mock } from 'node:test'
import { sql } from 'kysely'
import { findTrigger } from '../../src/events/inbox/find-trigger.ts'
import { advanceRun } from '../../src/runs/loop/advance-run.ts'
import { holdLease } from '../../src/runs/loop/hold-lease.ts'
import { readFirstRun, startRun } from '../../src/runs/loop/start/start-run.ts'
import { releaseRun, takeRun } from '../../src/runs/store/leases.ts'
import { insertRun } from '../../src/runs/store/run-rows.ts'
import { eventOf, type RunId } from '../../src/shared/ids.ts'
import { autoTools } from '../support/interrupt-run.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { shopTools, startShop, startShopOn } from '../support/start-shop.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

/** Without workers nobody else takes the run up. */
const sharedWeb = shareInFile(() => startTestApp({ env: { ...loopback, ROLE: 'web' } }))

const ids = ['A-1', 'A-2', 'A-3', 'A-4']

/**
 * A run with four writes in one step. Its worker was cut off from the database during the first write for longer than its lease,
 * and another one is at the second write when the first worker is back.
 */
async function takeOver({ approved }: { approved: boolean }) {
  await using stack = new AsyncDisposableStack()
  const model = stack.use(
    await startStubAnthropic(({ body }) =>
      body.includes('tool_result')
        ? { text: 'Paid back.' }
        : { calls: ids.map((id) => ({ name: 'shop__refund', input: { id } })) },
    ),
  )
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  stack.defer(() => {
    first.resolve()
    second.resolve()
  })
  const shop = stack.use(
    await startShopOn(await sharedWeb(), {
      model,
      tools: approved ? shopTools : autoTools,
      async answer({ url }, response) {
        if (url.includes('A-1')) await first.promise
        if (url.includes('A-2')) await second.promise
        response.setHeader('content-type', 'application/json').end('{"ok":true}')
      },
    }),
  )
  const { ctx } = shop.app.app
  const { signal } = new AbortController()
  const webhook = await shop.createWebhook()
  const receipt = await shop.sendEvent(webhook)
  const runId = receipt.runId as RunId // the answer of the ingress
  const asked = { ...receipt, sourceId: webhook.id } as Parameters<typeof startRun>[1] // the same
  let former = startRun(ctx, asked, signal)
  if (approved) {
    await former
    for (const { approvalId } of (await shop.readRun(runId)).toolCalls)
      await shop.app.api('POST', `/api/v1/approvals/${approvalId}/approve`, {})
    former = advanceRun(ctx, runId, signal)
  }
  await until(() => shop.target.seen.length === 1)
  await sql`update runs set lease_until = now() - interval '1 second' where id = ${runId}`.execute(ctx.db)
  const owner = advanceRun(ctx, runId, signal)
  await until(() => shop.target.seen.length === 2)
  const opened = stack.move()
  const sent = () => shop.target.seen.map(({ url }) => url.split('/')[2])
  return {
    former,
    answerFirst: first.resolve,
    /** The owner cannot know what became of the write that the first worker had begun. It makes the others, once each. */
    async ownerMakesTheRest() {
      assert.deepEqual(sent(), ids.slice(0, 2))
      second.resolve()
      await owner
      const { status, toolCalls } = await shop.readRun(runId)
      assert.deepEqual(
        { status, calls: toolCalls.map(({ state, error }) => [state, error?.code ?? null]), sent: sent() },
        {
          status: 'succeeded',
          calls: [['unknown', 'outcome_unknown'], ...ids.slice(1).map(() => ['answered', null])],
          sent: ids,
        },
      )
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

for (const approved of [false, true]) {
  const writes = approved ? 'approved writes' : 'writes that need no approval'
  verifies(
    ['runs:one-worker', 'runs:no-repeated-write'],
    `a worker that notices that it has lost its run begins none of the remaining ${writes} and stores nothing about them`,
    async () => {
      await using scene = await takeOver({ approved })
      // It notices when it renews its lease.
      await scene.former
      await scene.ownerMakesTheRest()
    },
  )

  verifies(
    ['runs:one-worker', 'runs:no-repeated-write'],
    `a worker that does not know yet that it has lost its run changes nothing about the owner's ${writes}`,
    async () => {
      await using scene = await takeOver({ approved })
      scene.answerFirst()
      await scene.former.catch(() => {})
      await scene.ownerMakesTheRest()
    },
  )
}

verifies(
  ['runs:one-worker', 'runs:no-repeated-write'],
  'what became of a write that was cut off when its worker lost the run is for the owner to say: it is unknown',
  async () => {
    await using model = await startStubAnthropic(({ body }) =>
      body.includes('tool_result')
        ? { text: 'Look there yourself.' }
        : { calls: [{ name: 'shop__refund', input: { id: 'A-1' } }] },
    )
    await using shop = await startShopOn(await sharedWeb(), {
      model,
      tools: autoTools,
      // The target never answers.
      answer() {},
    })
    const { ctx } = shop.app.app
    const { signal } = new AbortController()
    const webhook = await shop.createWebhook()
    const receipt = await shop.sendEvent(webhook)
    const runId = receipt.runId as RunId // the answer of the ingress
    const asked = { ...receipt, sourceId: webhook.id } as Parameters<typeof startRun>[1] // the same
    const former = startRun(ctx, asked, signal)
    await until(() => shop.target.seen.length === 1)
    await sql`update runs set lease_until = now() - interval '1 second' where id = ${runId}`.execute(ctx.db)
    const taken = await takeRun(ctx.db, runId)
    assert.ok(taken.kind === 'taken')
    await former
    assert.equal((await shop.readRun(runId)).toolCalls[0]?.state, 'sending')
    await releaseRun(ctx.db, taken.run, { status: 'running', workMs: 1, madeProgress: true })
    await advanceRun(ctx, runId, signal)
    const run = await shop.readRun(runId)
    const [call] = run.toolCalls
    assert.deepEqual(
      [run.status, call?.state, call?.error?.code],
      ['succeeded', 'unknown', 'outcome_unknown'],
    )
    assert.equal(shop.target.seen.length, 1)
  },
)

verifies(
  'runs:one-worker',
  'a worker that works on after its run has used up its time knows that it has lost the run',
  async () => {
    await using shop = await startShopOn(await sharedWeb())
    const { db } = shop.app.app.ctx
    const { runId } = await shop.sendEvent(await shop.createWebhook())
    const run = await findRunAfter(runId as RunId) // the answer of the ingress
    mock.timers.enable({ apis: ['setInterval'] })
    const { now } = performance
    try {
      using lease = holdLease({ db }, run, 1000, performance.now())
      assert.equal(lease.signal.aborted, false)
      mock.method(performance, 'now', () => now.call(performance) + 60_000)
      mock.timers.tick(2000)
      assert.equal(lease.signal.reason?.name, 'LeaseLost')
    } finally {
      mock.reset()
    }

    async function findRunAfter(id: RunId) {
      const trigger = await findTrigger(db, eventOf(id))
      assert.ok(trigger)
      const inserted = await insertRun(db, await readFirstRun(shop.app.app.ctx, trigger))
      assert.ok(inserted)
      return inserted
    }
  },
)

verifies(
  ['runs:cancel', 'runs:no-repeated-write'],
  'the outcome of a write that was under way when its run was cancelled is unknown',
  async () => {
    await using model = await startStubAnthropic(() => ({
      calls: [{ name: 'shop__refund', input: { id: 'A-1' } }],
    }))
    await using shop = await startShop({ env: model.env, tools: autoTools, answer() {} })
    const { runId } = await shop.sendEvent(await shop.createWebhook())
    await until(() => shop.target.seen.length === 1)
    await shop.app.api('POST', `/api/v1/runs/${runId}/cancel`)
    const run = await shop.runWhen(runId, ({ toolCalls }) => toolCalls[0]?.state !== 'sending')
    const [call] = run.toolCalls
    assert.deepEqual([call?.state, call?.error?.code], ['unknown', 'outcome_unknown'])
  },
)
