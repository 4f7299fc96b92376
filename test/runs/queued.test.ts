import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { Db } from '../../src/platform/db/database.ts'
import type { RunSummary } from '../../src/runs/contract.ts'
import { getRun } from '../../src/runs/history/get-run.ts'
import { listRuns } from '../../src/runs/history/list-runs.ts'
import { startRun } from '../../src/runs/loop/start/start-run.ts'
import { systemActor } from '../../src/shared/actor.ts'
import type { RunId } from '../../src/shared/ids.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startShopOn } from '../support/start-shop.ts'
import { loopback, startTestApp, type TestApp } from '../support/start-test-app.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

type Page = { items: RunSummary[]; nextCursor: string | null }

async function readAll(
  app: TestApp,
  query: string,
  limit: number,
  between?: () => Promise<unknown>,
): Promise<RunSummary[]> {
  const all: RunSummary[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Page = await app.get(`/api/v1/runs?limit=${limit}${query}${cursor && `&cursor=${cursor}`}`)
    all.push(...page.items)
    cursor = page.nextCursor
    await between?.()
  }
  return all
}

verifies(
  ['runs:queued-at-once', 'api:lists'],
  'runs that wait in the inbox are in the list with the others, newest first, page by page, each once',
  async () => {
    await using shop = await startShopOn(await sharedApp())
    const [one, two] = [await shop.createWebhook(), await shop.createWebhook({ name: 'Other' })]
    const began = await shop.endedRun((await shop.sendEvent(one)).runId)
    await shop.app.api('PATCH', '/api/v1/settings', { agent: { paused: true } })
    const waiting: string[] = []
    for (let n = 0; n < 5; n++) {
      waiting.push((await shop.sendEvent(one)).runId, (await shop.sendEvent(two)).runId)
    }
    const newestFirst = [...waiting, began.id].sort().toReversed()

    for (const limit of [1, 3, 100]) {
      const all = (await readAll(shop.app, '', limit)).map(({ id }) => id)
      assert.deepEqual(
        all.filter((id) => newestFirst.includes(id)),
        newestFirst,
      )
    }
    const queued = await readAll(shop.app, '&status=queued', 4)
    assert.deepEqual(
      queued.map(({ id }) => id),
      newestFirst.filter((id) => id !== began.id),
    )
    assert.deepEqual(new Set(queued.map(({ status }) => status)), new Set(['queued']))
    const ofTwo = await readAll(shop.app, `&webhookId=${two.id}`, 2)
    assert.equal(ofTwo.length, 5)
    const [newest] = queued
    const {
      steps: _,
      toolCalls: __,
      prompt: ___,
      system: ____,
      tools: _____,
      modelPause: ______,
      attempts: _attempts,
      modelSilence: _modelSilence,
      turnNote: _______,
      threadContext: ________,
      revisions: _revisions,
      modelSilence: _________,
      ...alone
    } = await shop.readRun(newest?.id ?? '')
    assert.deepEqual(newest, alone)
    const ended = await readAll(shop.app, '&status=succeeded', 5)
    assert.deepEqual(
      [ended.some(({ id }) => id === began.id), ended.some(({ id }) => waiting.includes(id))],
      [true, false],
    )

    // They start between two pages: nothing is skipped or repeated.
    let pages = 0
    const meanwhile = await readAll(shop.app, '', 2, async () => {
      if (pages++ === 0) await shop.app.api('PATCH', '/api/v1/settings', { agent: { paused: false } })
    })
    assert.deepEqual(
      meanwhile.map(({ id }) => id).filter((id) => newestFirst.includes(id)),
      newestFirst,
    )
    for (const id of waiting) await shop.endedRun(id)
  },
)

verifies(
  ['runs:queued-at-once', 'runs:succeeded-means-posted'],
  'a run that starts and ends during a request is shown with its reply',
  async () => {
    await using shop = await startShopOn(await sharedApp())
    const { ctx } = shop.app.app
    await shop.app.api('PATCH', '/api/v1/settings', { agent: { paused: true } })
    const { runId } = await shop.sendEvent(await shop.createWebhook())
    let looks = 0
    const db = ctx.db.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        if (looks++ > 0) return result
        await shop.app.api('PATCH', '/api/v1/settings', { agent: { paused: false } })
        await shop.endedRun(runId)
        return result
      },
    })
    const run = await getRun({ ...ctx, db }, systemActor, runId as RunId) // as the ingress gave it out
    assert.ok(looks > 1)
    assert.deepEqual([run.status, run.reply?.state, run.steps.length > 0], ['succeeded', 'posted', true])
  },
)

verifies('api:lists', 'a list of runs does not read settled events', async () => {
  await using shop = await startShopOn(await sharedApp())
  const webhook = await shop.createWebhook()
  const { db } = shop.app.app.ctx
  await sql`
    insert into events (id, source_id, run_id, status, received_at, sender_address, headers, verification, size_bytes, body)
    select 'evt_' || number, ${webhook.id}, 'run_' || number, 'done', now(), '', '{}', 'off', 2, '{}'
    from (select lpad(to_hex(n), 8, '0') || '-0000-7000-8000-000000000000' as number from generate_series(1, 60000) n) made`.execute(
    db,
  )
  await sql`vacuum analyze events`.execute(db)
  await shop.app.api('PATCH', '/api/v1/settings', { agent: { paused: true } })
  const { runId } = await shop.sendEvent(webhook)
  const read = await db.transaction().execute(async (tx) => {
    const before = await countRead(tx)
    const { items } = await listRuns({ db: tx }, systemActor, { limit: 50 })
    assert.equal(items[0]?.id, runId)
    assert.ok(items.length < 50)
    await listRuns({ db: tx }, systemActor, { limit: 50, sourceId: webhook.id })
    return (await countRead(tx)) - before
  })
  assert.ok(read > 0 && read < 1000, `${read} rows`)
})

/** Event rows that this connection has read, whatever the plan. Other users of the connection may have read some before. */
async function countRead(db: Db): Promise<number> {
  const { rows } = await sql<{ read: number }>`
    select (seq_tup_read + idx_tup_fetch)::int as read from pg_stat_xact_user_tables where relname = 'events'`.execute(
    db,
  )
  return rows[0]?.read ?? Number.NaN
}

verifies(
  'runs:cancel',
  'a run that still waits in the inbox is cancelled: it never starts, and one notice is posted in the channel',
  async () => {
    await using shop = await startShopOn(await sharedApp())
    const webhook = await shop.createWebhook()
    await shop.app.api('PATCH', '/api/v1/settings', { agent: { paused: true } })
    const { runId, eventId } = await shop.sendEvent(webhook)
    const cancelled = await shop.app.api<RunSummary>('POST', `/api/v1/runs/${runId}/cancel`)
    assert.deepEqual([cancelled.status, cancelled.body.status], [200, 'cancelled'])
    assert.equal((await shop.app.api('POST', `/api/v1/runs/${runId}/cancel`)).status, 409)
    await shop.app.api('PATCH', '/api/v1/settings', { agent: { paused: false } })

    // A faster dispatcher may have sent the job that starts it; the job does nothing.
    const { ctx } = shop.app.app
    const asked = { runId, eventId, sourceId: webhook.id } as Parameters<typeof startRun>[1]
    await startRun(ctx, asked, new AbortController().signal)
    const later = await shop.endedRun((await shop.sendEvent(webhook)).runId)
    assert.equal(later.status, 'succeeded')
    await until(async () => (await shop.replies()).length === 2)

    const run = await shop.readRun(runId)
    assert.deepEqual([run.status, run.steps.length, run.error?.code], ['cancelled', 0, 'cancelled'])
    const notices = (await shop.replies()).filter((message) => message.runId === runId)
    assert.equal(notices.length, 1)
    assert.match(notices[0]?.text ?? '', /cancelled by/)
    const event = await shop.app.get<{ status: string }>(`/api/v1/events/${eventId}`)
    assert.equal(event.status, 'failed')
    assert.equal(shop.target.seen.length, 1)
  },
)
