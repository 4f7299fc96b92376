import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { faultPoints, waitingPoints } from '../../support/fault-points.ts'
import { autoTools, interruptRun } from '../../support/interrupt-run.ts'
import { startRefundingModel } from '../../support/start-refunding-model.ts'
import { startShop } from '../../support/start-shop.ts'
import { until } from '../../support/until.ts'
import { verifies } from '../../support/verifies.ts'

for (const signal of ['SIGKILL', 'SIGSTOP'] as const) {
  for (const point of [...faultPoints, ...waitingPoints]) {
    verifies(
      ['runs:journal', 'runs:one-worker', 'runs:no-repeated-write', 'runs:outbox'],
      `${signal} at ${point}: one reply, no repeated write`,
      async () => {
        const { run, replies, writes } = await interruptRun(point, signal)
        assert.deepEqual([run.status, run.reply?.text], ['succeeded', 'Paid back.'])
        assert.equal(replies.length, 1)
        assert.equal(writes, 1)
      },
    )
  }
}

verifies(
  ['runs:journal', 'runs:one-worker', 'runs:no-repeated-write', 'runs:outbox'],
  'work that hangs inside a healthy process is taken over, and changes nothing when it resumes: one reply, one write for each run',
  async () => {
    await using model = await startRefundingModel('Paid back.')
    const hung = new Set<string>()
    const wake = Promise.withResolvers<void>()
    await using shop = await startShop({
      env: model.env,
      tools: autoTools,
      // The first run that comes to a point hangs there.
      async faults(point) {
        if (hung.has(point)) return
        hung.add(point)
        await wake.promise
      },
    })
    await shop.app.api('PATCH', '/api/v1/settings', { limits: { workSecondsPerRun: 10 } })
    const webhook = await shop.createWebhook({ concurrency: 30 })
    const rung = await Promise.all(
      Array.from({ length: 3 * faultPoints.length }, () => shop.sendEvent(webhook)),
    )
    for (const { runId } of rung) {
      const run = await shop.endedRun(runId, 180_000)
      assert.deepEqual([run.status, run.reply?.text], ['succeeded', 'Paid back.'])
    }
    assert.deepEqual([...hung].toSorted(), faultPoints.toSorted())
    wake.resolve()
    const { db } = shop.app.app.ctx
    await until(async () => {
      const { rows } = await sql`select from jobs.job where name like 'run.%' and state = 'active'`.execute(
        db,
      )
      return rows.length === 0
    }, 60_000)
    assert.equal(shop.target.seen.length, rung.length)
    const replies = (await shop.replies()).map(({ runId }) => runId)
    assert.deepEqual(replies.toSorted(), rung.map(({ runId }) => runId).toSorted())
  },
)
