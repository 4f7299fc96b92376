import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { dispatchEvents } from '../../src/events/inbox/dispatch-events.ts'
import { findTrigger } from '../../src/events/inbox/find-trigger.ts'
import type { Jobs } from '../../src/jobs.ts'
import type { Db } from '../../src/platform/db/database.ts'
import { findSpentBudget } from '../../src/runs/loop/start/find-spent-budget.ts'
import { startRun } from '../../src/runs/loop/start/start-run.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { type Receipt, startShopOn, type Webhook } from '../support/start-shop.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { verifies } from '../support/verifies.ts'

let fault: (point: string) => void = () => undefined
const sharedWeb = shareInFile(() =>
  startTestApp({ env: { ...loopback, ROLE: 'web' }, faults: (point) => fault(point) }),
)

/** Nobody starts runs here but the test. */
async function startScene() {
  await using stack = new AsyncDisposableStack()
  const model = stack.use(await startStubAnthropic(() => ({ text: 'Seen.' })))
  const shop = stack.use(await startShopOn(await sharedWeb(), { model }))
  const { ctx } = shop.app.app
  const opened = stack.move()
  return {
    ...shop,
    model,
    ctx,
    start(webhook: Webhook, receipt: Receipt): Promise<void> {
      const asked = { ...receipt, sourceId: webhook.id } as Jobs['run.start'] // ids as the ingress gives them
      return startRun(ctx, asked, new AbortController().signal)
    },
    eventStatus: async ({ eventId }: Receipt) =>
      (await shop.app.get<{ status: string }>(`/api/v1/events/${eventId}`)).status,
    isPaused: async ({ id }: Webhook) =>
      (await shop.app.get<{ paused: boolean }>(`/api/v1/webhooks/${id}`)).paused,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

verifies(
  ['runs:webhook-budgets', 'runs:journal'],
  'a start that is repeated goes on with its run, although other runs have used up the budget meanwhile',
  async () => {
    await using scene = await startScene()
    fault = (point) => {
      if (point !== 'run.taken') return
      fault = () => undefined
      throw new Error('a planned fault')
    }
    const webhook = await scene.createWebhook({ runsPerHour: 2, connectorIds: [] })
    const [first, second] = [await scene.sendEvent(webhook), await scene.sendEvent(webhook)]
    await dispatchEvents(scene.ctx)
    await assert.rejects(scene.start(webhook, first), /a planned fault/)
    await scene.start(webhook, second)
    await scene.app.api('PATCH', `/api/v1/webhooks/${webhook.id}`, { runsPerHour: 1 })
    await scene.start(webhook, first)
    assert.equal((await scene.readRun(first.runId)).status, 'succeeded')
    assert.deepEqual([await scene.eventStatus(first), await scene.isPaused(webhook)], ['done', false])
  },
)

verifies(
  ['runs:journal', 'dispatch:concurrency'],
  'an event that waits although its run has ended is settled when it is started, and keeps no place',
  async () => {
    await using scene = await startScene()
    const webhook = await scene.createWebhook({ connectorIds: [] })
    const [done, failed] = [await scene.sendEvent(webhook), await scene.sendEvent(webhook)]
    await dispatchEvents(scene.ctx)
    await scene.start(webhook, done)
    await scene.app.api('POST', `/api/v1/runs/${failed.runId}/cancel`)
    // As an earlier version left them.
    await sql`update events set status = 'accepted', settled_at = null where source_id = ${webhook.id}`.execute(
      scene.ctx.db,
    )
    assert.equal(await dispatchEvents(scene.ctx), 2)
    await scene.start(webhook, done)
    await scene.start(webhook, failed)
    assert.deepEqual([await scene.eventStatus(done), await scene.eventStatus(failed)], ['done', 'failed'])
    assert.equal(scene.model.requests.length, 1)
  },
)

verifies(
  'runs:webhook-budgets',
  'of events that start at the same moment, no more run than the runs per hour allow; the others are kept',
  async () => {
    await using scene = await startScene()
    const webhook = await scene.createWebhook({ runsPerHour: 2, concurrency: 8, connectorIds: [] })
    const receipts = await Promise.all(Array.from({ length: 8 }, () => scene.sendEvent(webhook)))
    await dispatchEvents(scene.ctx)
    await Promise.all(receipts.map((receipt) => scene.start(webhook, receipt)))
    assert.equal(scene.model.requests.length, 2)
    const states = await Promise.all(receipts.map(scene.eventStatus))
    assert.deepEqual(states.toSorted(), [...Array(6).fill('accepted'), 'done', 'done'])
    assert.equal(await scene.isPaused(webhook), true)
  },
)

verifies(
  'runs:webhook-budgets',
  'the budget of a webhook is found without reading its older runs',
  async () => {
    await using scene = await startScene()
    const { db } = scene.ctx
    const webhook = await scene.createWebhook({ connectorIds: [] })
    const receipt = await scene.sendEvent(webhook)
    await dispatchEvents(scene.ctx)
    await scene.start(webhook, receipt)
    await sql`
    insert into runs (id, trigger, source_id, requester, prompt, system, model_provider, model_name, delimiter, tool_set, status,
      asked_at, created_at, ended_at)
    select 'run_' || n, 'webhook', source_id, requester, prompt, system, model_provider, model_name, delimiter, tool_set, status,
      asked_at, now() - interval '2 days', now()
    from runs, generate_series(1, 20000) n where id = ${receipt.runId}`.execute(db)
    await sql`vacuum analyze runs`.execute(db)
    const trigger = await findTrigger(db, receipt.eventId as Jobs['run.start']['eventId']) // as the ingress gave it out
    assert.ok(trigger)
    const limited = { ...trigger.source, runsPerHour: 1 }
    const read = await db.transaction().execute(async (tx) => {
      const before = await countRead(tx)
      assert.match((await findSpentBudget(tx, limited, 'run_next')) ?? '', /1 run within an hour/)
      return (await countRead(tx)) - before
    })
    assert.ok(read > 0 && read < 1000, `${read} rows`)
  },
)

/** Rows of runs that this connection has read, whatever the plan. */
async function countRead(tx: Db): Promise<number> {
  const { rows } = await sql<{ read: number }>`
    select (seq_tup_read + idx_tup_fetch)::float8 as read from pg_stat_xact_user_tables where relname = 'runs'`.execute(
    tx,
  )
  return rows[0]?.read ?? 0
}
