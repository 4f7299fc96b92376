import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { reportDeadJob } from '../../src/app/report-dead-job.ts'
import { createLog } from '../../src/platform/log.ts'
import type { RunId } from '../../src/shared/ids.ts'
import { makeJobsDue } from '../support/make-jobs-due.ts'
import { startShop } from '../support/start-shop.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'
import { count, startWebhookApp, type WebhookApp } from './start-webhook-app.ts'

/** A row that the database refuses, as with a broken page or an added constraint. */
async function refuseRunsOf(app: WebhookApp, webhookId: string): Promise<void> {
  await sql`
    create function refuse_run() returns trigger language plpgsql as $$
    begin raise exception 'could not read block 7 of relation runs'; end $$`.execute(app.db)
  await sql`
    create trigger refuse_run before insert on runs for each row
    when (new.source_id = ${sql.lit(webhookId)}) execute function refuse_run()`.execute(app.db)
}

verifies(
  'dispatch:dead-letter',
  'an event whose run cannot be started is dead after 5 tries, with one notice, replayable, and delays nobody, even if the notice cannot be posted',
  async () => {
    const lines: string[] = []
    const destination = { write: (line: string) => void lines.push(line) }
    const log = await createLog({ level: 'error', pretty: false, destination })
    await using app = await startWebhookApp({ log })
    const poisoned = await app.create({ name: 'Poisoned', concurrency: 1 })
    const healthy = await app.create()
    await refuseRunsOf(app, poisoned.id)
    const { eventId } = (await app.post(poisoned.endpointUrl, '{"poison":1}')).body
    const behind = (await app.post(poisoned.endpointUrl, '{"next":1}')).body.eventId
    const meanwhile = (await app.post(healthy.endpointUrl, '{}')).body.eventId
    const statusOf = async (id: string | undefined) =>
      (await app.test.get<{ status: string }>(`/api/v1/events/${id}`)).status
    await until(async () => (await statusOf(meanwhile)) === 'done')

    await until(async () => {
      await makeJobsDue(app.db)
      return (await statusOf(eventId)) === 'dead'
    })
    assert.deepEqual(
      (await app.events('?status=dead')).map(({ id }) => id),
      [eventId],
    )
    const { rows } = await sql<{ tries: number }>`
      select retry_count + 1 as tries from jobs.job
      where name = 'run.start' and data ->> 'eventId' = ${eventId} and state = 'failed'`.execute(app.db)
    assert.deepEqual(rows, [{ tries: 5 }])
    const told = lines.find((line) => line.includes('"event.dead"')) ?? ''
    assert.match(told, /"message":"could not read block 7 of relation runs"/)
    // Its slot is free for the next event, which is handled once the cause is gone.
    await sql`drop trigger refuse_run on runs`.execute(app.db)
    await until(async () => {
      await makeJobsDue(app.db)
      return (await statusOf(behind)) === 'done'
    })
    const notices = `author_kind = 'system' and text like 'An event of “Poisoned” could not be handled%'`
    assert.equal(await count(app.db, 'messages', notices), 1)

    const replay = await app.test.api<{ id: string; runId?: string }>(
      'POST',
      `/api/v1/events/${eventId}/replay`,
      {},
    )
    const runId = replay.body.runId ?? replay.body.id
    await until(
      async () => (await app.test.get<{ status: string }>(`/api/v1/runs/${runId}`)).status === 'succeeded',
    )
    assert.equal(await statusOf(eventId), 'dead')
    assert.equal(await count(app.db, 'messages', notices), 1)

    // After a crash between the notice and the end, another worker posts no second notice, and none for settled events.
    await sql`update events set status = 'dispatched' where id = ${eventId}`.execute(app.db)
    const letters = [eventId, behind].map((id) => ({
      name: 'run.start',
      payload: { eventId: id },
      error: new Error('refused'),
    }))
    for (const letter of letters) await reportDeadJob(app.test.app.ctx, letter)
    assert.deepEqual([await statusOf(eventId), await statusOf(behind)], ['dead', 'done'])
    // Any other dead job is logged.
    const other = { name: 'chat.inbound', payload: { workspaceId: 'ws_1' }, error: new Error('no answer') }
    await reportDeadJob(app.test.app.ctx, other)
    const given = lines.find((line) => line.includes('"job.dead"')) ?? ''
    assert.match(given, /"job":"chat.inbound".*"workspaceId":"ws_1".*"message":"no answer"/)
    assert.equal(await count(app.db, 'messages', notices), 1)

    // Even if its notice cannot be posted, a dead event does not block others.
    await sql`
      create trigger refuse_run before insert on runs for each row
      when (new.source_id = ${sql.lit(poisoned.id)}) execute function refuse_run()`.execute(app.db)
    await sql`
      create trigger refuse_message before insert on messages for each row execute function refuse_run()`.execute(
      app.db,
    )
    const unheard = (await app.post(poisoned.endpointUrl, '{"poison":2}')).body.eventId
    await until(async () => {
      await makeJobsDue(app.db)
      return (await statusOf(unheard)) === 'dead'
    })
    assert.equal(await count(app.db, 'messages', notices), 1)
  },
)

verifies(
  ['events:life', 'dispatch:never-stuck'],
  'an event that another process accepts just after the webhook was deleted does not wait forever',
  async () => {
    await using app = await startWebhookApp()
    const { id, endpointUrl } = await app.create()
    // Paused, so that they wait while the webhook is deleted.
    await app.test.api('PATCH', '/api/v1/settings', { agent: { paused: true } })
    for (let n = 0; n < 3; n++) await app.post(endpointUrl, '{}')
    await app.test.api('DELETE', `/api/v1/webhooks/${id}`)
    await until(async () => (await count(app.db, 'events', `status = 'ignored'`)) === 3)
    await app.test.api('PATCH', '/api/v1/settings', { agent: { paused: false } })
    await sql`
      insert into events (id, source_id, run_id, status, received_at, sender_address, headers, verification, size_bytes, body)
      select 'evt_late', ${id}, 'run_late', 'accepted', now(), '127.0.0.1', '{}', 'off', 2, '{}'`.execute(
      app.db,
    )
    await until(async () => (await count(app.db, 'events', `status = 'ignored'`)) === 4)
    assert.equal(await count(app.db, 'runs'), 0)
  },
)

verifies(
  ['dispatch:dead-letter', 'events:life'],
  'an event whose run has started is not dead, however often a worker that was at it has died',
  async () => {
    let deaths = 0
    await using model = await startStubAnthropic(() =>
      deaths < 5 ? { calls: [{ name: 'shop__get_order', input: { id: 'A-1' } }] } : { text: 'Seen.' },
    )
    await using shop = await startShop({
      env: model.env,
      faults(point) {
        if (point === 'step.saved' && deaths++ < 5) throw new Error('The worker died.')
      },
    })
    const { ctx } = shop.app.app
    const { runId, eventId } = await shop.sendEvent(await shop.createWebhook())
    await until(async () => {
      await makeJobsDue(ctx.db)
      return (await count(ctx.db, 'jobs.job', `name = 'run.start' and state = 'failed'`)) === 1
    })
    await until(async () => (await count(ctx.db, 'jobs.job', `name = 'dead-letters'`)) === 0)
    // As the sweep does, sooner.
    const { id } = await shop.readRun(runId)
    await ctx.queue.send(ctx.db, 'run.advance', { runId: id as RunId }, { key: id }) // the server gives ids of this kind
    assert.equal((await shop.endedRun(runId)).status, 'succeeded')
    assert.equal((await shop.app.get<{ status: string }>(`/api/v1/events/${eventId}`)).status, 'done')
    assert.deepEqual(
      (await shop.messages()).map(({ text }) => text),
      ['Seen.'],
    )
  },
)
