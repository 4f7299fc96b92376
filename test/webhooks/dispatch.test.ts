import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { dispatchEvents } from '../../src/events/inbox/dispatch-events.ts'
import { eventsWaiting, moveEvent, parkEvent } from '../../src/events/inbox/move-events.ts'
import type { JobQueue } from '../../src/jobs.ts'
import { defaultSettings } from '../../src/settings/open-settings.ts'
import type { EventId, WebhookId } from '../../src/shared/ids.ts'
import { pauseWebhook } from '../../src/webhooks/manage/pause-webhook.ts'
import { someoneWaits } from '../support/ask-during.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'
import { count, startWebhookApp, type WebhookApp } from './start-webhook-app.ts'

const sharedApp = shareInFile(() => startWebhookApp({ quiet: true }))
const sharedWorker = shareInFile(startWebhookApp)

const maxActiveRuns = defaultSettings.limits.activeRuns

/** What a storm leaves in the inbox, without sending each event. */
async function storm(
  app: WebhookApp,
  webhookId: string,
  events: number,
  kind = 8,
  body = sql`'{}'`,
): Promise<void> {
  await sql`
    insert into events (id, source_id, run_id, status, received_at, sender_address, headers, verification, size_bytes, body)
    select 'evt_' || n.id, ${webhookId}, 'run_' || n.id, 'accepted', now(), '127.0.0.1', '{}', 'off', 2, convert_to(${body}, 'UTF8')
    from (select n, ${`00000000-0000-7000-${kind}000-`}::text || lpad(n::text, 12, '0') as id from generate_series(1, ${events}::int) n) n`.execute(
    app.db,
  )
}

/** Events that an earlier test left would take the places of this one's. */
async function emptyInbox(): Promise<WebhookApp> {
  const app = await sharedApp()
  await sql`truncate events cascade`.execute(app.db)
  await sql`delete from jobs.job where name = 'run.start'`.execute(app.db)
  return app
}

const dispatch = (app: WebhookApp) => dispatchEvents(app.test.app.ctx)

async function dispatched(app: WebhookApp, webhookId: string): Promise<EventId[]> {
  const { rows } = await sql<{ id: EventId }>`
    select id from events where source_id = ${webhookId} and status = 'dispatched' order by id`.execute(
    app.db,
  )
  return rows.map(({ id }) => id)
}

verifies(
  'dispatch:concurrency',
  'a webhook has at most 4 active runs, and says when that is why events wait; one that waits for people does not count',
  async () => {
    const app = await emptyInbox()
    const { id, endpointUrl } = await app.create()
    for (let n = 0; n < 10; n++) await app.post(endpointUrl, '{}')
    const saysWhy = async () =>
      (await app.test.get<{ concurrencyReached: boolean }>(`/api/v1/webhooks/${id}`)).concurrencyReached
    assert.equal(await saysWhy(), false, 'they wait for the dispatcher')
    assert.equal(await dispatch(app), 4)
    assert.equal(await dispatch(app), 0)
    assert.equal(await saysWhy(), true)
    const [first, second] = await dispatched(app, id)
    assert.ok(first && second)
    let bells = 0
    const stop = await app.test.app.ctx.notifications.listen(eventsWaiting, () => bells++)
    await parkEvent(app.db, first, true)
    await until(() => bells > 0)
    stop()
    assert.equal(await saysWhy(), false, 'a place is free')
    assert.equal(await dispatch(app), 1)
    assert.equal(await moveEvent(app.db, second, 'done'), true)
    for (const late of ['accepted', 'failed', 'dead', 'ignored'] as const) {
      assert.equal(await moveEvent(app.db, second, late), false, `what is done is not ${late} any more`)
    }
    assert.equal(await dispatch(app), 1)
    await parkEvent(app.db, first, false)
    assert.equal(await dispatch(app), 0, 'five at work now: no further one starts')
    await app.test.api('PATCH', `/api/v1/webhooks/${id}`, { concurrency: 6 })
    assert.equal(await dispatch(app), 1)
  },
)

verifies(
  'dispatch:concurrency',
  'the total number of active runs is limited, whichever process dispatches',
  async () => {
    const app = await emptyInbox()
    const [{ id }, second, other] = [
      await app.create({ concurrency: 1000 }),
      await app.create({ concurrency: 1000 }),
      await app.create(),
    ]
    await storm(app, id, 200)
    await storm(app, second.id, 200, 9)
    const { queue } = app.test.app.ctx
    const [chosen, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const slowQueue: Pick<JobQueue, 'sendMany'> = {
      async sendMany(...jobs) {
        chosen.resolve()
        await goesOn.promise
        await queue.sendMany(...jobs)
      },
    }
    const first = dispatchEvents({ ...app.test.app.ctx, queue: slowQueue })
    await chosen.promise
    // A concurrent dispatcher sees an event that the first one has not seen.
    await app.post(other.endpointUrl, '{}')
    const late = dispatch(app)
    await until(() => someoneWaits(app.db))
    goesOn.resolve()
    assert.deepEqual([await first, await late], [maxActiveRuns, 0])
    const [atWork] = await dispatched(app, id)
    assert.ok(atWork)
    await parkEvent(app.db, atWork, true)
    assert.equal(await dispatch(app), 1, 'one that waits for people does not count')
  },
)

verifies(
  'dispatch:concurrency',
  'two concurrent dispatchers together dispatch no more than one would',
  async () => {
    const app = await emptyInbox()
    const { id } = await app.create()
    await storm(app, id, 50)
    const rounds = await Promise.all([dispatch(app), dispatch(app), dispatch(app)])
    assert.deepEqual(rounds.sort(), [0, 0, 4])
    assert.equal(await count(app.db, 'jobs.job', `name = 'run.start'`), 4)
  },
)

verifies(
  'dispatch:fair',
  'after a storm of 100,000 events on one webhook, the next round serves the others',
  async () => {
    const app = await emptyInbox()
    const [noisy, quiet, calm] = [
      await app.create({ concurrency: 1000 }),
      await app.create(),
      await app.create(),
    ]
    await storm(app, noisy.id, 100_000)
    for (let n = 0; n < 3; n++) await app.post(quiet.endpointUrl, '{}')
    await app.post(calm.endpointUrl, '{}')
    await dispatch(app)
    assert.deepEqual(
      await Promise.all([noisy, quiet, calm].map(async ({ id }) => (await dispatched(app, id)).length)),
      [maxActiveRuns / 2, 3, 1],
    )
  },
)

verifies(
  'dispatch:never-stuck',
  'what was accepted before the start is dispatched without a further event',
  async () => {
    const web = await emptyInbox()
    const { endpointUrl } = await web.create()
    for (let n = 0; n < 12; n++) await web.post(endpointUrl, '{}')
    assert.equal(await count(web.db, 'events', `status = 'accepted'`), 12)
    await using worker = await startWebhookApp({ databaseUrl: web.test.databaseUrl })
    await until(async () => (await count(worker.db, 'events', `status = 'done'`)) === 12)
  },
)

verifies(
  'dispatch:paused-keeps',
  'a paused webhook and a paused agent keep new events and start them on resume',
  async () => {
    const app = await emptyInbox()
    const { id, endpointUrl } = await app.create()
    const accepted = await app.post(endpointUrl, '{}')
    await dispatch(app)
    await moveEvent(app.db, accepted.body.eventId as EventId, 'accepted')
    await pauseWebhook(app.db, id as WebhookId, 'The budget of today is spent.')
    assert.equal((await app.post(endpointUrl, '{}')).status, 200)
    assert.equal(await dispatch(app), 0)
    const shown = await app.test.get<{ paused: boolean; pauseReason: string }>(`/api/v1/webhooks/${id}`)
    assert.deepEqual([shown.paused, shown.pauseReason], [true, 'The budget of today is spent.'])

    await app.test.api('PATCH', `/api/v1/webhooks/${id}`, { paused: false })
    await sql`insert into settings (name, value) values ('agent', '{"paused":true}')
            on conflict (name) do update set value = excluded.value`.execute(app.db)
    assert.equal(await dispatch(app), 0)
    await sql`update settings set value = '{"paused":false}' where name = 'agent'`.execute(app.db)
    assert.equal(await dispatch(app), 2)
  },
)

verifies(
  'dispatch:fair',
  'while a storm is being handled, the event of another webhook is answered',
  async () => {
    await using app = await startWebhookApp()
    const [noisy, quiet] = [await app.create(), await app.create()]
    await storm(app, noisy.id, 10_000)
    const { body } = await app.post(quiet.endpointUrl, '{"a":1}')
    const run = () => app.test.get<{ status: string }>(`/api/v1/runs/${body.runId}`)
    await until(async () => (await run()).status === 'succeeded')
    assert.ok((await count(app.db, 'events', `status = 'accepted'`)) > 9_000)
  },
)

verifies(
  ['dispatch:fair', 'rules:one-thread-per-key'],
  'events with 10,000 different keys at once are in threads of their own, and delay no other webhook',
  async () => {
    await using app = await startWebhookApp()
    const [noisy, quiet] = [await app.create({ threadKey: '/k' }), await app.create()]
    await storm(app, noisy.id, 10_000, 8, sql`'{"k":"key ' || n.n || '"}'`)
    const { body } = await app.post(quiet.endpointUrl, '{"a":1}')
    const run = () => app.test.get<{ status: string }>(`/api/v1/runs/${body.runId}`)
    await until(async () => (await run()).status === 'succeeded')
    await until(async () => (await count(app.db, 'event_threads', `source_id = '${noisy.id}'`)) >= 20)
    assert.ok((await count(app.db, 'events', `status = 'accepted'`)) > 5_000)
    const roots = await count(app.db, 'messages', `thread_id is null and run_id is not null`)
    assert.ok(roots >= 20)
    assert.equal(await count(app.db, 'messages', `thread_id is not null`), 0)
  },
)

verifies('dispatch:never-stuck', 'events whose wake-up was lost are found by the sweep', async () => {
  const app = await sharedWorker()
  const { id, endpointUrl } = await app.create()
  const pause = (at: object | null) =>
    sql`update webhooks set paused_at = ${at} where id = ${id}`.execute(app.db)
  await pause(new Date())
  await app.post(endpointUrl, '{}')
  // The wake-up at its arrival has no effect.
  assert.equal(await dispatch(app), 0)
  await pause(null)
  await until(async () => (await count(app.db, 'events', `source_id = '${id}' and status = 'done'`)) === 1)
})

verifies('hooks:one-event-one-run', 'each of many events makes one run and one reply', async () => {
  const app = await sharedWorker()
  const { id, endpointUrl } = await app.create()
  await Promise.all(Array.from({ length: 30 }, (_, n) => app.post(endpointUrl, `{"n":${n}}`)))
  const ofWebhook = `source_id = '${id}'`
  await until(async () => (await count(app.db, 'events', `${ofWebhook} and status = 'done'`)) === 30)
  assert.equal(await count(app.db, 'runs', ofWebhook), 30)
  const replies = `author_kind = 'agent' and run_id in (select id from runs where ${ofWebhook})`
  assert.equal(await count(app.db, 'messages', replies), 30)
})
