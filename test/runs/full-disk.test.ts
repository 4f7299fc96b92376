import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { startShop } from '../support/start-shop.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { verifies } from '../support/verifies.ts'

verifies(
  'jobs:waits-for-room',
  'a run that meets a full disk more often than it has tries, and again when storing its reply, ends with exactly one reply',
  async () => {
    await using model = await startStubAnthropic([{ text: 'Paid back.' }])
    const missing = { 'run.taken': 6, 'reply.posted': 1 }
    await using shop = await startShop({
      env: model.env,
      faults(point) {
        if ((point !== 'run.taken' && point !== 'reply.posted') || missing[point]-- <= 0) return
        throw Object.assign(new Error('could not extend file: No space left on device'), { code: '53100' })
      },
    })
    const { runId } = await shop.sendEvent(await shop.createWebhook())
    const run = await shop.endedRunWithoutPauses(runId)

    assert.deepEqual([run.status, run.reply?.text], ['succeeded', 'Paid back.'])
    assert.equal((await shop.replies()).length, 1)
    assert.equal(model.requests.length, 1)
    const { rows } = await sql`select tries from replies where run_id = ${runId}`.execute(shop.app.app.ctx.db)
    assert.deepEqual(rows, [{ tries: 0 }])
  },
)
