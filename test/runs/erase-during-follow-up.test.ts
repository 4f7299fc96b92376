import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { countWaiting } from '../support/ask-during.ts'
import { dumpDatabase } from '../support/dump-database.ts'
import { general, startShop } from '../support/start-shop.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const marker = 'jane-4711-planted'
const question = 'and who was that'

verifies(
  'events:erase',
  'a question in the thread that is asked while the event is being erased is answered without its content',
  async () => {
    await using model = await startStubAnthropic(({ body }) => ({
      text: body.includes(marker) ? `It was ${marker}.` : 'That is erased.',
    }))
    await using shop = await startShop({ env: model.env })
    const { app } = shop
    const { db, store } = app.app.ctx
    const { runId, eventId } = await shop.ring(await shop.createWebhook(), { name: marker })
    const { reply } = await shop.endedRun(runId)
    const answers = async () => (await shop.replies()).filter(({ threadId }) => threadId !== null)

    // Somebody else holds a step of the run for a moment, so that the erasure has begun and is not done.
    const { erasing, asking } = await db.transaction().execute(async (tx) => {
      await sql`select from run_steps where run_id = ${runId} for update`.execute(tx)
      const erased = app.api('DELETE', `/api/v1/events/${eventId}`)
      await until(async () => (await countWaiting(db)) === 1)
      const message = { text: question, threadId: reply?.messageId }
      const asked = app.api('POST', `/api/v1/channels/${general}/messages`, message)
      await until(async () => (await countWaiting(db)) === 2 || (await answers()).length === 1)
      return { erasing: erased, asking: asked }
    })
    assert.equal((await erasing).status, 204)
    assert.equal((await asking).status, 201)
    await until(async () => (await answers()).length === 1)

    const kept = (await dumpDatabase(store.database.pool)).filter(({ text }) => text.includes(marker))
    assert.deepEqual(
      kept.map(({ table, column }) => `${table}.${column}`),
      [],
    )
  },
)
