import assert from 'node:assert/strict'
import { mock } from 'node:test'
import { sql } from 'kysely'
import { findTrigger } from '../../src/events/inbox/find-trigger.ts'
import { advanceRun } from '../../src/runs/loop/advance-run.ts'
import { readFirstRun } from '../../src/runs/loop/start/start-run.ts'
import { sweepRuns } from '../../src/runs/loop/sweep-runs.ts'
import { renewLease } from '../../src/runs/store/leases.ts'
import { insertRun } from '../../src/runs/store/run-rows.ts'
import { eventOf, newId, type RunId } from '../../src/shared/ids.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { general, startShop, startShopOn } from '../support/start-shop.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

const dayMs = 86_400_000

for (const [says, off] of [
  ['ahead', dayMs],
  ['behind', -dayMs],
] as const) {
  verifies(
    'jobs:wake-up',
    `a run whose model did not answer waits as long as it should, by the database’s clock, where ours is a day ${says}`,
    async () => {
      await using model = await startStubAnthropic(() => ({ status: 529, headers: { 'retry-after': '30' } }))
      await using shop = await startShopOn(await sharedApp(), { model })
      const webhook = await shop.createWebhook()
      mock.timers.enable({ apis: ['Date'], now: Date.now() + off })
      try {
        const { runId } = await shop.sendEvent(webhook)
        let seconds: number | undefined
        await until(async () => {
          const { rows } = await sql<{ seconds: number }>`
            select extract(epoch from start_after - now())::float8 as seconds from jobs.job
            where name = 'run.advance' and state = 'created' and singleton_key = ${runId}`.execute(
            shop.app.app.ctx.db,
          )
          seconds = rows[0]?.seconds
          return seconds !== undefined
        })
        assert.ok(seconds !== undefined && seconds > 0 && seconds <= 30, `${seconds} s`)
      } finally {
        mock.timers.reset()
      }
    },
  )
}

verifies(
  ['log:event-to-reply-histogram', 'chat:built-in-workspace'],
  'the time to a reply and the times of messages are by the database’s clock, where ours is a day ahead',
  async () => {
    await using model = await startStubAnthropic([{ text: 'Seen.' }])
    await using shop = await startShop({ env: model.env, now: () => new Date(Date.now() + dayMs) })
    await shop.endedRun((await shop.sendEvent(await shop.createWebhook())).runId)
    // The run ends a moment before it is counted.
    let metrics = ''
    await until(async () => {
      metrics = (await shop.app.api('GET', '/metrics')).text
      return metrics.includes('bellhop_event_to_reply_seconds_count 1')
    })
    const seconds = Number(/bellhop_event_to_reply_seconds_sum (.*)/.exec(metrics)?.[1])
    assert.ok(seconds < 3600, `${seconds} s`)
    const { items } = await shop.app.get<{ items: { createdAt: string }[] }>(
      `/api/v1/channels/${general}/messages`,
    )
    assert.equal(items.length, 1)
    for (const { createdAt } of items) assert.ok(Date.parse(createdAt) < Date.now() + dayMs / 2, createdAt)
  },
)

verifies(
  ['chat:retention', 'events:retention'],
  'a replica whose clock is years ahead deletes what is too old by the database’s clock, and nothing else',
  async () => {
    await using shop = await startShop({ env: { ROLE: 'web' } })
    const { ctx } = shop.app.app
    for (const text of ['old', 'young']) {
      const said = await shop.app.api('POST', `/api/v1/channels/${general}/messages`, { text })
      assert.equal(said.status, 201)
    }
    const old = newId('message', new Date(Date.now() - 400 * dayMs))
    await sql`update messages set id = ${old} where text = 'old'`.execute(ctx.db)
    const ahead = () => new Date(Date.now() + 1000 * dayMs)
    await using _other = await startTestApp({ databaseUrl: shop.app.databaseUrl, now: ahead })
    const texts = async () => (await shop.messages()).map(({ text }) => text)
    await until(async () => !(await texts()).includes('old'))
    assert.deepEqual(await texts(), ['young'])
  },
)

verifies(
  ['runs:journal', 'runs:one-worker'],
  'after the database’s clock was set back, a run of a dead worker waits no longer than any other, and a live worker keeps its run',
  async () => {
    await using model = await startStubAnthropic([{ text: 'Seen.' }])
    // Without workers nobody else takes the run up.
    await using shop = await startShop({ env: { ...model.env, ROLE: 'web' } })
    const { ctx } = shop.app.app
    const receipt = await shop.sendEvent(await shop.createWebhook())
    const runId = receipt.runId as RunId // the answer of the ingress
    const trigger = await findTrigger(ctx.db, eventOf(runId))
    assert.ok(trigger)
    const run = await insertRun(ctx.db, await readFirstRun(ctx, trigger))
    assert.ok(run)
    const secondsLeft = async () => {
      const { rows } = await sql<{ left: number }>`
        select extract(epoch from lease_until - now())::float8 as left from runs where id = ${runId}`.execute(
        ctx.db,
      )
      return rows[0]?.left ?? Number.NaN
    }
    await sql`update runs set lease_until = lease_until + interval '1 hour'`.execute(ctx.db)
    await sweepRuns(ctx)
    const left = await secondsLeft()
    assert.ok(left <= 6, `${left} s`)
    // Its worker may be alive, and is not robbed of the run.
    assert.equal(await renewLease(ctx.db, run), true)

    await sql`update runs set lease_until = now() - interval '6 seconds'`.execute(ctx.db)
    await sweepRuns(ctx)
    const { rows: jobs } = await sql`
      select from jobs.job where name = 'run.advance' and singleton_key = ${runId}`.execute(ctx.db)
    assert.equal(jobs.length, 1)
    await advanceRun(ctx, runId, new AbortController().signal)
    assert.equal((await shop.readRun(runId)).status, 'succeeded')
  },
)
