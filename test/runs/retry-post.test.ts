import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../../src/platform/db/database.ts'
import { wipeRuns } from '../../src/runs/store/wipe-runs.ts'
import type { RunId } from '../../src/shared/ids.ts'
import { askDuring } from '../support/ask-during.ts'
import { makeJobsDue } from '../support/make-jobs-due.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startRefundingModel } from '../support/start-refunding-model.ts'
import { startShopOn } from '../support/start-shop.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

/** A run whose channel is deleted before the reply, so that the reply is stored but cannot be posted. */
async function startRefusedReply() {
  await using stack = new AsyncDisposableStack()
  const model = stack.use(await startRefundingModel('The refund was not paid.'))
  const shop = stack.use(await startShopOn(await sharedApp(), { model }))
  const channel = await shop.app.api<{ id: string }>('POST', '/api/v1/channels', { name: randomUUID() })
  const { runId, eventId } = await shop.sendEvent(await shop.createWebhook({ channelId: channel.body.id }))
  const waiting = await shop.runWhen(runId, ({ status }) => status === 'waiting')
  const setDeleted = (deleted: boolean) =>
    sql`update channels set deleted_at = ${deleted ? sql`now()` : null} where id = ${channel.body.id}`.execute(
      shop.app.app.ctx.db,
    )
  await setDeleted(true)
  await shop.app.api('POST', `/api/v1/approvals/${waiting.toolCalls[0]?.approvalId}/deny`, {})
  const run = await shop.endedRun(runId)
  const opened = stack.move()
  return {
    shop,
    model,
    run,
    eventId,
    channelId: channel.body.id,
    setDeleted,
    retry: () => shop.app.api<{ type: string; detail: string }>('POST', `/api/v1/runs/${runId}/retry-post`),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

verifies(
  'runs:retry-post',
  'a reply that could not be posted is posted on request, once, and then the run has succeeded',
  async () => {
    await using scene = await startRefusedReply()
    const { shop, run, retry } = scene
    assert.deepEqual([run.status, run.error?.code, run.reply?.state], ['failed', 'reply_refused', 'withheld'])

    const still = await retry()
    assert.deepEqual([still.status, still.body.type], [409, 'nothing-to-post'], still.text)
    assert.match(still.body.detail, /channel or its workspace was deleted/)

    await scene.setDeleted(false)
    const asked = scene.model.requests.length
    assert.equal((await retry()).status, 200)
    const posted = await shop.runWhen(run.id, ({ status }) => status === 'succeeded')
    assert.deepEqual([posted.reply?.state, posted.error], ['posted', null])
    const { items } = await shop.app.get<{ items: { text: string; runId: string | null }[] }>(
      `/api/v1/channels/${scene.channelId}/messages`,
    )
    assert.equal(items.filter(({ text }) => text === 'The refund was not paid.').length, 1)
    assert.equal(scene.model.requests.length, asked)
    const event = await shop.app.get<{ status: string }>(`/api/v1/events/${scene.eventId}`)
    assert.equal(event.status, 'done')
    const audit = await shop.app.get<{ items: { action: string }[] }>('/api/v1/audit')
    assert.ok(audit.items.some(({ action }) => action === 'run.reply_retried'))

    const twice = await retry()
    assert.deepEqual([twice.status, twice.body.type], [409, 'nothing-to-post'])
  },
)

verifies(
  'runs:retry-post',
  'a reply that was posted, is dry, was erased or does not exist cannot be posted again',
  async () => {
    await using scene = await startRefusedReply()
    const { shop } = scene
    const retry = (id: string) => shop.app.api('POST', `/api/v1/runs/${id}/retry-post`)
    await scene.setDeleted(false)
    await shop.app.api('DELETE', `/api/v1/events/${scene.eventId}`)
    assert.equal((await scene.retry()).status, 409)

    const fine = await shop.sendEvent(await shop.createWebhook({ connectorIds: [] }))
    await shop.endedRun(fine.runId)
    assert.equal((await retry(fine.runId)).status, 409)
    const dry = await shop.app.api<{ id: string }>('POST', `/api/v1/events/${fine.eventId}/replay`, {
      dryRun: true,
    })
    await shop.endedRun(dry.body.id)
    assert.equal((await retry(dry.body.id)).status, 409)
    // Nobody has tried to post it, whatever became of the run.
    await sql`update runs set status = 'failed' where id = ${dry.body.id}`.execute(shop.app.app.ctx.db)
    assert.equal((await retry(dry.body.id)).status, 409)
    assert.equal((await retry('run_00000000-0000-7000-8000-000000000000')).status, 404)
  },
)

verifies(
  ['runs:retry-post', 'runs:failure-notice'],
  'a notice that is posted on request leaves its run failed',
  async () => {
    const setDeleted = (deleted: boolean) =>
      sql`update channels set deleted_at = ${deleted ? sql`now()` : null} where id = ${shop.channelId}`.execute(
        shop.app.app.ctx.db,
      )
    await using model = await startStubAnthropic(async () => {
      await setDeleted(true)
      return { status: 400, message: 'not like this' }
    })
    await using shop = await startShopOn(await sharedApp(), { model })
    const { runId } = await shop.sendEvent(await shop.createWebhook())
    assert.equal((await shop.endedRun(runId)).error?.code, 'reply_refused')
    await setDeleted(false)
    assert.equal((await shop.app.api('POST', `/api/v1/runs/${runId}/retry-post`)).status, 200)
    // It is posted a moment before the run says so.
    const run = await shop.runWhen(
      runId,
      ({ error }) => error?.message.startsWith('The run failed. The notice') === true,
    )
    assert.equal(run.status, 'failed')
    assert.equal(run.reply?.state, 'posted')
    assert.match((await shop.replies())[0]?.text ?? '', /^⚠️ I could not finish this/)
  },
)

verifies(
  'runs:outbox',
  'a reply that cannot be posted is tried thirty times, and then the run has failed',
  async () => {
    await using model = await startStubAnthropic([{ text: 'Seen.' }])
    await using shop = await startShopOn(await sharedApp(), { model })
    const { db } = shop.app.app.ctx
    await sql`
      create function refuse_message() returns trigger language plpgsql as $$
      begin raise exception 'could not read block 7 of relation messages'; end $$`.execute(db)
    await sql`
      create trigger refuse_message before insert on messages for each row execute function refuse_message()`.execute(
      db,
    )
    await using _ = {
      [Symbol.asyncDispose]: async () =>
        void (await sql`drop trigger refuse_message on messages`.execute(db)),
    }
    const { runId } = await shop.sendEvent(await shop.createWebhook())
    const tries = async () =>
      (await sql<{ tries: number }>`select tries from replies where run_id = ${runId}`.execute(db)).rows[0]
        ?.tries
    await until(async () => (await tries()) === 1)
    await sql`update replies set tries = 28 where run_id = ${runId}`.execute(db)
    await until(async () => {
      await makeJobsDue(db)
      return (await shop.readRun(runId)).endedAt !== null
    })
    const run = await shop.readRun(runId)
    assert.deepEqual(
      [run.status, run.error?.code, run.reply?.state, await tries()],
      ['failed', 'reply_refused', 'withheld', 30],
    )
    assert.equal(model.requests.length, 1)
  },
)

verifies(
  ['runs:retry-post', 'events:erase'],
  'a reply that is erased while somebody has it posted again is not posted',
  async () => {
    await using scene = await startRefusedReply()
    await scene.setDeleted(false)
    const wipe = (tx: Db) => wipeRuns(tx, [scene.run.id as RunId]) // the answer of the ingress
    const late = await askDuring(scene.shop.app.app.ctx.db, wipe, scene.retry)
    assert.deepEqual([late.status, late.body.type], [409, 'nothing-to-post'], late.text)
  },
)
