import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { advanceRun } from '../../src/runs/loop/advance-run.ts'
import { startRun } from '../../src/runs/loop/start/start-run.ts'
import type { RunId } from '../../src/shared/ids.ts'
import { autoTools } from '../support/interrupt-run.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startShopOn } from '../support/start-shop.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

/** Without workers nobody else takes the run up. */
const sharedWeb = shareInFile(() => startTestApp({ env: { ...loopback, ROLE: 'web' } }))

const ids = ['A-1', 'A-2', 'A-3']

for (const [says, stopsAt] of [
  ['begins no other call of the step after the one under way', 0],
  ['does not ask the model after the last call of the step', 2],
] as const) {
  verifies(
    ['house:clean-stop', 'runs:no-repeated-write', 'runs:journal'],
    `a service that stops ${says}: the next process does the rest, and repeats nothing`,
    async () => {
      await using model = await startStubAnthropic(({ body }) =>
        body.includes('tool_result')
          ? { text: 'Paid back.' }
          : { calls: ids.map((id) => ({ name: 'shop__refund', input: { id } })) },
      )
      const gate = Promise.withResolvers<void>()
      await using shop = await startShopOn(await sharedWeb(), {
        model,
        tools: autoTools,
        async answer({ url }, response) {
          if (url.includes(`/${ids[stopsAt]}/`)) await gate.promise
          response.setHeader('content-type', 'application/json').end('{"ok":true}')
        },
      })
      const { ctx } = shop.app.app
      const webhook = await shop.createWebhook()
      const receipt = await shop.sendEvent(webhook)
      const runId = receipt.runId as RunId // the answer of the ingress
      const asked = { ...receipt, sourceId: webhook.id } as Parameters<typeof startRun>[1] // the same
      const stop = new AbortController()
      const stopped = startRun(ctx, asked, stop.signal)
      await until(() => shop.target.seen.length === stopsAt + 1)
      stop.abort(new Error('The service stops.'))
      gate.resolve()
      await stopped
      assert.equal(shop.target.seen.length, stopsAt + 1)
      assert.equal(model.requests.length, 1)
      const { rows } = await sql`
        select from jobs.job where name = 'run.advance' and singleton_key = ${runId}`.execute(ctx.db)
      assert.equal(rows.length, 1, 'a job takes the run up')

      await advanceRun(ctx, runId, new AbortController().signal)
      const run = await shop.readRun(runId)
      assert.deepEqual([run.status, run.reply?.text, run.steps.length], ['succeeded', 'Paid back.', 2])
      assert.deepEqual(
        run.toolCalls.map(({ state }) => state),
        ids.map(() => 'answered'),
      )
      assert.deepEqual(
        shop.target.seen.map(({ url }) => url.split('/')[2]),
        ids,
      )
    },
  )
}
