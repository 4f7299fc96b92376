import assert from 'node:assert/strict'
import { mock } from 'node:test'
import { sql } from 'kysely'
import { startShop } from '../support/start-shop.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

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
      await using shop = await startShop({ env: model.env })
      const webhook = await shop.createWebhook()
      mock.timers.enable({ apis: ['Date'], now: Date.now() + off })
      try {
        await shop.ring(webhook)
        let seconds: number | undefined
        await until(async () => {
          const { rows } = await sql<{ seconds: number }>`
            select extract(epoch from start_after - now())::float8 as seconds from jobs.job
            where name = 'run.advance' and state = 'created'`.execute(shop.app.app.ctx.db)
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
